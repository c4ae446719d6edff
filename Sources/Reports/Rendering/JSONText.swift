/// JSON, written by hand so that a large report is written piece by piece, and counts and fractions exactly.
enum JSONText {
    static func append(_ value: ReportValue, to text: inout String) {
        switch value {
        case .null: text += "null"
        case .integer(let number): text += "\(number)"
        case .double(let number): text += number.isFinite ? "\(number)" : "null"
        case .bool(let flag): text += flag ? "true" : "false"
        case .text(let string): append(string, to: &text)
        case .json(let json): text += json
        case .time, .localTime: append(TimeText.rfc3339(value), to: &text)
        case .list(let names):
            text += "["
            for (place, name) in names.enumerated() {
                if place > 0 { text += "," }
                if let name { append(name, to: &text) } else { text += "null" }
            }
            text += "]"
        }
    }

    /// A string with its quotes (RFC 8259, section 7).
    static func append(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    /// An object of arrays, its keys in order.
    static func object(_ lists: [String: [String?]]) -> String {
        var text = "{"
        for (place, (name, values)) in lists.sorted(by: { $0.key < $1.key }).enumerated() {
            if place > 0 { text += "," }
            append(name, to: &text)
            text += ":"
            append(.list(values), to: &text)
        }
        return text + "}"
    }
}
