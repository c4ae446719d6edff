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
            if !line.hasSuffix("----") { block.append(line) }
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
        guard let comment = line.comment else { return nil }
        let text = comment.drop { $0 == " " }
        let words = line.withoutComment.split { $0 == " " || $0 == "," }
        let index = words.lastIndex(of: "AS").map { $0 + 1 } ?? 0
        guard index < words.count, let first = words[index].first, first.isLowercase else { return nil }
        return (String(words[index]), text)
    }

    /// The block before an object, in paragraphs.
    private var text: String {
        let header = SQLHeader(lines: block)
        if header.isReport { return Self.text(ofReport: header) }
        if !header["projection"].isEmpty { return "" }
        var text = ""
        // A migration's header may stand right before its first object.
        let lines = block.map { $0.dropFirst($0.hasPrefix("-- ") ? 3 : 2) }.drop {
            $0.hasPrefix("oldest service:") || $0.isEmpty
        }
        for line in lines {
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
    private static func text(ofReport header: SQLHeader) -> String {
        var lines = header["purpose"].map(\.text)
        lines += ["", "Parameters:"]
        lines += header["parameter"].map(\.cells).filter { $0.count == 5 }.map { cells in
            "  \(cells[0]) (\(cells[2])): \(cells[4]). Accepts \(cells[3])"
        }
        lines += header["filters"].map { field in
            "  filters ({}): \(field.text), each with an array of accepted values, null for none"
        }
        lines += ["", "Columns:"]
        lines += header["column"].map(\.cells).filter { $0.count == 4 }.map { cells in
            "  \(cells[0]), \(cells[1])\(cells[2].isEmpty ? "" : ", \(cells[2])"): \(cells[3])"
        }
        return lines.joined(separator: "\n")
    }
}

extension Substring {
    /// What follows `--` on a line; nil where there is no comment.
    var comment: Substring? {
        dashes.map { self[$0...].dropFirst(2) }
    }

    /// What precedes `--` on a line.
    var withoutComment: Substring {
        dashes.map { self[..<$0] } ?? self
    }

    private var dashes: Index? {
        var from = startIndex
        while let dash = self[from...].firstIndex(of: "-") {
            if self[dash...].hasPrefix("--") { return dash }
            from = index(after: dash)
        }
        return nil
    }
}
