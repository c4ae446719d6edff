import Foundation

/// A generator of numbers that gives the same ones for the same seed (splitmix64).
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

/// Where a file of `Fixtures` is.
func fixture(_ name: String, file: String = #filePath) -> URL {
    URL(fileURLWithPath: file).deletingLastPathComponent().appendingPathComponent("Fixtures/\(name).json")
}

/// JSON that can be written in more than one way.
indirect enum JSONValue {
    case object([(String, JSONValue)])
    case array([JSONValue])
    case string(String)
    case literal(String)

    init(parsing text: String) {
        let value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: [.fragmentsAllowed])
        self = Self.from(value ?? NSNull())
    }

    private static func from(_ value: Any) -> JSONValue {
        switch value {
        case let object as [String: Any]: .object(object.sorted { $0.key < $1.key }.map { ($0.key, from($0.value)) })
        case let array as [Any]: .array(array.map(from))
        case let string as String: .string(string)
        case let number as NSNumber where CFBooleanLike.isBoolean(number): .literal(number.boolValue ? "true" : "false")
        case let number as NSNumber: .literal(number.stringValue)
        default: .literal("null")
        }
    }

    func shuffled(using generator: inout some RandomNumberGenerator) -> JSONValue {
        switch self {
        case .object(let members):
            var shuffled: [(String, JSONValue)] = []
            for (key, value) in members.shuffled(using: &generator) {
                shuffled.append((key, value.shuffled(using: &generator)))
            }
            return .object(shuffled)
        case .array(let elements):
            var inner: [JSONValue] = []
            for element in elements {
                inner.append(element.shuffled(using: &generator))
            }
            return .array(inner)
        default: return self
        }
    }

    /// The JSON text, with white space and escapes here and there.
    func text(using generator: inout some RandomNumberGenerator) -> String {
        let blank = ["", "", " ", "\n\t"].randomElement(using: &generator) ?? ""
        switch self {
        case .object(let members):
            var parts: [String] = []
            for (key, value) in members {
                parts.append(quoted(key, using: &generator) + blank + ":" + value.text(using: &generator))
            }
            return "{" + blank + parts.joined(separator: blank + ",") + "}"
        case .array(let elements):
            var parts: [String] = []
            for element in elements {
                parts.append(element.text(using: &generator))
            }
            return "[" + parts.joined(separator: "," + blank) + blank + "]"
        case .string(let string): return quoted(string, using: &generator)
        case .literal(let text): return text
        }
    }

    private func quoted(_ string: String, using generator: inout some RandomNumberGenerator) -> String {
        var text = "\""
        for unit in string.utf16 {
            if unit < 0x20 || unit > 0x7E || unit == 0x22 || unit == 0x5C
                || Int.random(in: 0..<8, using: &generator) == 0
            {
                text += "\\u" + String("000\(String(unit, radix: 16))".suffix(4))
            } else {
                text.unicodeScalars.append(UnicodeScalar(UInt8(unit)))
            }
        }
        return text + "\""
    }
}

/// Tells the booleans among Foundation's numbers.
enum CFBooleanLike {
    static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c"
    }
}
