/// A JSON value, as far as events need one.
enum LawValue: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    case boolean(Bool)
    /// A fraction, as it is written.
    case number(String)
    case array([LawValue])
    case object([String: LawValue])

    var string: String? { if case .string(let value) = self { value } else { nil } }
    var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    var array: [LawValue] { if case .array(let value) = self { value } else { [] } }
    var object: [String: LawValue] { if case .object(let value) = self { value } else { [:] } }

    /// The strings of an array of strings.
    var strings: [String] { array.compactMap(\.string) }

    /// The value of a member of an object.
    subscript(name: String) -> LawValue? { object[name] }

    /// As PostgreSQL writes `jsonb`: members by length of name, then by its bytes.
    var text: String {
        switch self {
        case .string(let value): Self.quoted(value)
        case .integer(let value): "\(value)"
        case .boolean(let value): "\(value)"
        case .number(let digits): digits
        case .array(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
        case .object(let members):
            "{"
                + members.sorted { ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key) }
                .map { "\(Self.quoted($0.key)): \($0.value.text)" }
                .joined(separator: ", ") + "}"
        }
    }

    /// Enough for the plain ASCII that the generator writes.
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

extension LawValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .boolean(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
}

extension LawValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    init(arrayLiteral elements: LawValue...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, LawValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
