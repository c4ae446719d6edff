/// CSV by RFC 4180: commas, CRLF, doubled quotes.
enum CSVText {
    static func line(_ fields: [String]) -> String {
        fields.joined(separator: ",") + "\r\n"
    }

    /// A value: empty for null, else its text. A name that a spreadsheet would run as a formula gets an apostrophe before it
    /// (OWASP, "CSV Injection"), because clients choose names. JSON has every name unchanged.
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
        guard let first = text.unicodeScalars.first else { return "\"\"" }
        let isFormula = formulaStarts.contains(first)
        let isPlain = text.utf8.allSatisfy { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") && $0 >= 0x20 }
        if isPlain, !isFormula { return text }
        var result = isFormula ? "\"'" : "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { result += "\"" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }

    /// Some spreadsheets take the full-width forms for the others.
    private static let formulaStarts = Array("=+-@\t\r\n＝＋－＠".unicodeScalars)
}
