/// CSV as RFC 4180 has it: commas, CRLF, quotes doubled.
enum CSVText {
    static func line(_ fields: [String]) -> String {
        fields.joined(separator: ",") + "\r\n"
    }

    /// A value: empty for null, else its text. Data is never changed; what a spreadsheet would take for a formula is
    /// quoted all the same.
    static func field(_ value: ReportValue) -> String {
        switch value {
        case .null: ""
        case .integer(let number): "\(number)"
        case .double(let number): number.isFinite ? "\(number)" : ""
        case .bool(let flag): flag ? "true" : "false"
        case .text(let text), .json(let text): quoted(text)
        case .time, .localTime: TimeText.rfc3339(value)
        case .list(let names): quoted(names.map { $0 ?? "" }.joined(separator: ","))
        }
    }

    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") && $0 >= 0x20 }
        let first = text.utf8.first.map { "=+-@".utf8.contains($0) } ?? true
        guard !isPlain || first else { return text }
        var result = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { result += "\"" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
