internal import NotificationEvents

/// JSON written by hand, so that a large report is written in pieces, and counts and fractions exactly.
enum JSONText {
    static func append(_ value: ReportValue, to text: inout String) {
        switch value {
        case .null: text += "null"
        case .integer(let number): text += "\(number)"
        case .double(let number): text += number.isFinite ? "\(number)" : "null"
        case .bool(let flag): text += flag ? "true" : "false"
        case .text(let string): text.append(json: string)
        case .json(let json): text += json
        case .time, .localTime: text.append(json: TimeText.rfc3339(value))
        case .list(let names):
            text += "["
            for (index, name) in names.enumerated() {
                if index > 0 { text += "," }
                if let name { text.append(json: name) } else { text += "null" }
            }
            text += "]"
        }
    }

    /// An object of arrays, its keys in order.
    static func object(_ lists: [String: [String?]]) -> String {
        var text = "{"
        for (index, (name, values)) in lists.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { text += "," }
            text.append(json: name)
            text += ":"
            append(.list(values), to: &text)
        }
        return text + "}"
    }
}
