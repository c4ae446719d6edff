import Foundation
import NotificationEvents

extension Notilog {
    /// The value of an event's field, as in JSON.
    public enum Value: Sendable, Hashable {
        /// Text.
        case string(String)
        /// A whole number.
        case integer(Int64)
        /// A number. A number that is not finite is left out, because JSON has none.
        case number(Double)
        /// True or false.
        case bool(Bool)
        /// A list.
        case list([Value])
        /// An object. Its keys are written in the order of their text.
        case object([String: Value])
    }
}

extension Notilog.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A list.
    public init(arrayLiteral elements: Notilog.Value...) { self = .list(elements) }
    /// An object.
    public init(dictionaryLiteral elements: (String, Notilog.Value)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension Notilog.Value {
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var isFinite: Bool {
        if case .number(let number) = self { number.isFinite } else { true }
    }

    /// Writes the value as JSON. The same value always gives the same bytes.
    func write(to json: inout String) {
        switch self {
        case .string(let text): json.append(json: text)
        case .integer(let number): json += String(number)
        case .number(let number):
            // Written as a whole number where it is one: 60, not 60.0.
            if let whole = Int64(exactly: number) { json += String(whole) } else { json += String(number) }
        case .bool(let bool): json += bool ? "true" : "false"
        case .list(let values):
            json += "["
            for (index, value) in values.filter(\.isFinite).enumerated() {
                if index > 0 { json += "," }
                value.write(to: &json)
            }
            json += "]"
        case .object(let fields):
            json += "{"
            Self.write(fields, to: &json)
            json += "}"
        }
    }

    /// Writes an object's fields, without its braces.
    static func write(_ fields: [String: Notilog.Value], to json: inout String) {
        var isFirst = true
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) where value.isFinite {
            if !isFirst { json += "," }
            isFirst = false
            json.append(json: key)
            json += ":"
            value.write(to: &json)
        }
    }
}
