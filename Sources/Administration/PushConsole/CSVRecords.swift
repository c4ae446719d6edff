/// The records of a CSV file (RFC 4180), with blanks around fields left out.
struct CSVRecords {
    private var rest: Substring.UnicodeScalarView
    /// Whether the file ended within quotation marks.
    private(set) var isBroken = false
    private var nextLine = 1

    init(_ text: String) {
        rest = text[...].unicodeScalars
        if rest.first == "\u{FEFF}" { rest.removeFirst() }
    }

    /// The next record, and the line that it begins on; `nil` at the end.
    mutating func next() -> (fields: [String], line: Int)? {
        guard !rest.isEmpty else { return nil }
        let line = nextLine
        var fields: [String] = []
        var field = String.UnicodeScalarView()
        var isQuoted = false
        while let scalar = rest.popFirst() {
            if scalar == "\n" { nextLine += 1 }
            switch scalar {
            case "\"" where isQuoted:
                if rest.first == "\"" {
                    field.append(rest.removeFirst())
                } else {
                    isQuoted = false
                }
            case "\"": isQuoted = true
            case "," where !isQuoted:
                fields.append(Self.trimmed(field))
                field = String.UnicodeScalarView()
            case "\n" where !isQuoted:
                fields.append(Self.trimmed(field))
                return (fields, line)
            default: field.append(scalar)
            }
        }
        isBroken = isQuoted
        fields.append(Self.trimmed(field))
        return (fields, line)
    }

    private static func trimmed(_ field: String.UnicodeScalarView) -> String {
        let blanks: Set<Unicode.Scalar> = [" ", "\t", "\r"]
        var part = field[...]
        while let first = part.first, blanks.contains(first) { part.removeFirst() }
        while let last = part.last, blanks.contains(last) { part.removeLast() }
        return String(part)
    }
}
