/// The comment that an SQL file begins with, as fields: a line is `-- <name>: <text>`, and a line `--   <text>` continues the
/// field above it. The header ends at the first line that is no comment.
///
/// Every header of `sql/` is read here: that of a migration (`oldest service`), of a projection (`projection`, `after`,
/// `with`) and of a report (`report`, `parameter`, `column`, …).
public struct SQLHeader: Sendable, Equatable {
    /// A field of a header.
    public struct Field: Sendable, Equatable {
        /// What the field is about; a name may occur more than once.
        public var name: String
        /// Its text, on one line.
        public var text: String

        /// The text as a list separated by commas, without empty names.
        public var names: [String] { text.names }

        /// The text as cells separated by vertical bars, empty ones included.
        public var cells: [String] {
            text.split(separator: "|", omittingEmptySubsequences: false).map(\.trimmed)
        }
    }

    var fields: [Field] = []

    /// Reads the header of a file.
    public init(_ sql: String) {
        self.init(lines: Self.lines(sql))
    }

    /// The lines of a file that its header is in.
    static func lines(_ sql: String) -> some Sequence<Substring> {
        sequence(state: sql.utf8[...]) { rest -> Substring? in
            guard rest.starts(with: "--".utf8) else { return nil }
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[line.endIndex...].dropFirst()
            return Substring(line)
        }
    }

    init(lines: some Sequence<Substring>) {
        for line in lines {
            guard line.hasPrefix("--") else { break }
            let text = line.dropFirst(2)
            if text.hasPrefix("   "), !fields.isEmpty {
                fields[fields.count - 1].text += " " + text.trimmed
            } else if let colon = text.firstIndex(of: ":") {
                fields.append(Field(name: text[..<colon].trimmed, text: text[text.index(after: colon)...].trimmed))
            }
        }
    }

    /// Whether it is that of a report or a listing.
    var isReport: Bool { !self["report"].isEmpty || !self["listing"].isEmpty }

    /// As a file has it, a line for each field.
    var text: String { fields.map { "-- \($0.name): \($0.text)\n" }.joined() }

    /// The fields of a name, in the order of the file.
    public subscript(_ name: String) -> [Field] {
        fields.filter { $0.name == name }
    }
}

extension StringProtocol {
    /// Without the blanks around it.
    package var trimmed: String {
        let bytes = Substring(self).utf8
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\r") }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(Substring(bytes[first...last]))
    }

    /// The names of a list separated by commas, without empty ones.
    package var names: [String] {
        split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
    }
}
