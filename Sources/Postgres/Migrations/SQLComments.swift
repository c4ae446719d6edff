/// What a file says of a function, a table or a column beside its definition, to be kept with it in the database.
struct SQLComment: Sendable, Equatable {
    /// Of what: `function` or `relation`.
    var kind: String
    /// The object's name, with its schema where that is known.
    var object: String
    /// The column; nil for the object itself.
    var column: String?
    var text: String
}

/// Reads the comments of a file: what stands right before a CREATE is about the object, what follows a column on its line
/// about the column.
struct SQLComments {
    private let schema: String?
    private(set) var all: [SQLComment] = []
    private var block: [Substring] = []
    private var isInBlock = false
    /// The table or view whose lines follow.
    private var relation: String?

    /// - Parameter schema: of names without one; nil where the session's search path says it.
    init(_ sql: String, schema: String?) {
        self.schema = schema
        for line in sql.split(separator: "\n", omittingEmptySubsequences: false) { read(line) }
    }

    private mutating func read(_ line: Substring) {
        if line.hasPrefix("--") {
            if !isInBlock { block = [] }
            isInBlock = true
            // A line drawn between parts of a file is about none of them.
            if !line.hasSuffix("----") { block.append(line.dropFirst(line.hasPrefix("-- ") ? 3 : 2)) }
            return
        }
        isInBlock = false
        guard !line.isEmpty else { return }
        if let relation {
            if let comment = Self.column(line) {
                add("relation", relation, column: comment.name, String(comment.text))
            }
            if line.hasSuffix(";") { self.relation = nil }
        } else {
            statement(line)
        }
        block = []
    }

    private mutating func statement(_ line: Substring) {
        var words = line.split { $0 == " " || $0 == "(" }
        if words.starts(with: ["ALTER", "TABLE"]), words.count > 5, words[3...4] == ["ADD", "COLUMN"] {
            add("relation", qualified(words[2]), column: String(words[5]), text)
        }
        guard words.first == "CREATE" else { return }
        words.removeFirst()
        words.removeAll { ["OR", "REPLACE", "IF", "NOT", "EXISTS"].contains($0) }
        guard words.count > 1 else { return }
        let name = qualified(words[1])
        switch words[0] {
        case "FUNCTION", "PROCEDURE": add("function", name, column: nil, text.isEmpty ? Self.applying(name) : text)
        case "TABLE", "VIEW":
            add("relation", name, column: nil, text)
            if !line.hasSuffix(";") { relation = name }
        default: break
        }
    }

    private static func applying(_ function: String) -> String {
        guard function.hasSuffix("_apply") else { return "" }
        let name = function.dropLast(6).split(separator: ".").last ?? ""
        return "Applies the events of a range of the log, or what they changed, to the projection \(name)."
    }

    private func qualified(_ name: Substring) -> String {
        guard let schema, !name.contains(".") else { return String(name) }
        return "\(schema).\(name)"
    }

    private mutating func add(_ kind: String, _ object: String, column: String?, _ text: String) {
        all.append(SQLComment(kind: kind, object: object, column: column, text: text))
    }

    /// `name type, -- text` of a table, `expression AS name, -- text` of a view.
    private static func column(_ line: Substring) -> (name: String, text: Substring)? {
        guard let dashes = line.firstRange(of: "--") else { return nil }
        let text = line[dashes.upperBound...].drop { $0 == " " }
        let words = line[..<dashes.lowerBound].split { $0 == " " || $0 == "," }
        let place = words.lastIndex(of: "AS").map { $0 + 1 } ?? 0
        guard place < words.count, let first = words[place].first, first.isLowercase else { return nil }
        return (String(words[place]), text)
    }

    /// The block before an object, in paragraphs.
    private var text: String {
        if let first = block.first {
            if first.hasPrefix("report: ") || first.hasPrefix("listing: ") { return report }
            // The header of a projection, which says what it comes after.
            if first.hasPrefix("projection: ") { return "" }
        }
        var text = ""
        for line in block {
            if line.isEmpty {
                text += "\n\n"
            } else {
                let goesOn = !text.isEmpty && !text.hasSuffix("\n")
                text += (goesOn ? line.hasPrefix(" ") || line.hasPrefix("- ") ? "\n" : " " : "") + line
            }
        }
        return text
    }

    /// A report's header: what it is for, then its parameters and columns, a line each.
    private var report: String {
        var fields: [(name: Substring, text: String)] = []
        for line in block {
            if line.hasPrefix("  "), !fields.isEmpty {
                fields[fields.count - 1].text += " " + line.drop { $0 == " " }
            } else if let colon = line.firstIndex(of: ":") {
                fields.append((line[..<colon], String(line[colon...].dropFirst().drop { $0 == " " })))
            }
        }
        func all(_ name: String) -> [[String]] {
            fields.filter { $0.name == name }.map { field in
                field.text.split(separator: "|", omittingEmptySubsequences: false).map { part in
                    String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
                }
            }
        }
        var lines = all("purpose").flatMap { $0 }
        lines += ["", "Parameters:"]
        lines += all("parameter").filter { $0.count == 5 }.map { "  \($0[0]) (\($0[2])): \($0[4]). Accepts \($0[3])" }
        lines += all("filters").map { "  filters ({}): \($0[0]), each with an array of accepted values, null for none" }
        lines += ["", "Columns:"]
        lines += all("column").filter { $0.count == 4 }.map { column in
            "  \(column[0]), \(column[1])\(column[2].isEmpty ? "" : ", \(column[2])"): \(column[3])"
        }
        return lines.joined(separator: "\n")
    }
}

extension Connection {
    /// Keeps comments with the objects that they are about, as far as these are there.
    ///
    /// - Throws: ``PostgresError``.
    func describe(_ comments: [SQLComment]) async throws {
        // The schema, as some tests have it, has no functions.
        guard try await has("notilog.describe") else { return }
        try await query(
            "SELECT notilog.describe($1, $2, $3, $4)",
            [
                .texts(comments.map(\.kind)), .texts(comments.map(\.object)), .texts(comments.map { $0.column ?? "" }),
                .texts(comments.map(\.text)),
            ]
        )
    }

    /// Makes the views that analysts read, and the reports by one dimension each.
    ///
    /// - Throws: ``PostgresError``.
    func makeReadable() async throws {
        guard try await has("notilog.make_all_readable") else { return }
        try await query("SELECT notilog.make_all_readable(), reporting.name_dimensions()")
    }

    private func has(_ function: String) async throws -> Bool {
        try await query("SELECT to_regproc($1) IS NOT NULL", [.text(function)]).only().get(0)
    }
}
