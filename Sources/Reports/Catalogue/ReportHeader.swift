/// Reads the comment that a report's file begins with.
///
/// Its lines are `-- <field>: <text>`; a line `--   <text>` goes on with the field above it. Fields:
///
/// - `report` (or `listing`, where rows are single things), `purpose`, `reads` (names), `filters` (names), `table` (columns of a terminal table);
/// - `parameter: name | kind | default | accepts | description`, with the kinds of ``ReportParameterDefinition/Kind``;
/// - `column: name | type | unit | description`.
struct ReportHeader {
    private let file: String
    private var fields: [(name: String, text: String)] = []

    init(file: String, sql: String) {
        self.file = file
        for line in sql.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("--") else { break }
            let text = line.dropFirst(2)
            if text.hasPrefix("   "), !fields.isEmpty {
                fields[fields.count - 1].text += " " + text.trimmed
            } else if let colon = text.firstIndex(of: ":") {
                fields.append((text[..<colon].trimmed, text[text.index(after: colon)...].trimmed))
            }
        }
    }

    /// - Throws: ``ReportError`` with code `catalogue`.
    func definition(checkpoint: (String) -> String) throws(ReportError) -> ReportDefinition {
        let isListing = !all("listing").isEmpty
        let name = try only(isListing ? "listing" : "report")
        guard "\(name).sql" == file else { throw wrong("names \"\(name)\"") }
        let reads = try only("reads").names
        var parameters: [ReportParameterDefinition] = []
        for text in all("parameter") { parameters.append(try parameter(text)) }
        var columns: [ReportColumn] = []
        for text in all("column") {
            let parts = text.parts
            guard parts.count == 4, parts.enumerated().allSatisfy({ $0.offset == 2 || !$0.element.isEmpty }) else {
                throw wrong("has a column that is not `name | type | unit | description`: \(text.shortened)")
            }
            columns.append(
                ReportColumn(
                    name: parts[0],
                    type: parts[1],
                    unit: parts[2].isEmpty ? nil : parts[2],
                    description: parts[3]
                )
            )
        }
        let table = all("table").first?.names ?? columns.map(\.name)
        guard table.allSatisfy({ name in columns.contains { $0.name == name } }) else {
            throw wrong("has a column in `table` that it does not give")
        }
        return ReportDefinition(
            name: name,
            purpose: try only("purpose"),
            reads: reads,
            checkpoints: Set(reads.map(checkpoint)).sorted(),
            parameters: parameters,
            filters: all("filters").first?.names ?? [],
            columns: columns,
            tableColumns: table,
            isListing: isListing
        )
    }

    private func parameter(_ text: String) throws(ReportError) -> ReportParameterDefinition {
        let parts = text.parts
        guard parts.count == 5, let kind = ReportParameterDefinition.Kind(rawValue: parts[1]) else {
            throw wrong(
                "has a parameter that is not `name | kind | default | accepts | description`: \(text.shortened)"
            )
        }
        let accepted: [String]
        switch kind {
        case .choice: accepted = parts[3].names
        case .dimensions: accepted = ["none"] + (parts[3].range(after: " of ") ?? "").names
        case .time, .zone, .duration, .text, .whole: accepted = []
        }
        let parameter = ReportParameterDefinition(
            name: parts[0],
            kind: kind,
            defaultText: parts[2],
            acceptedText: parts[3],
            accepted: accepted,
            description: parts[4]
        )
        guard kind != .whole || parameter.bounds != nil else {
            throw wrong("has a whole number that does not accept `least to greatest`: \(text.shortened)")
        }
        return parameter
    }

    private func all(_ field: String) -> [String] {
        fields.filter { $0.name == field }.map(\.text)
    }

    private func only(_ field: String) throws(ReportError) -> String {
        let found = all(field)
        guard found.count == 1, let text = found.first, !text.isEmpty else { throw wrong("must say `\(field)` once") }
        return text
    }

    private func wrong(_ what: String) -> ReportError {
        ReportError(.catalogue, "the header of sql/reports/\(file) \(what)")
    }
}

extension StringProtocol {
    /// Without the blanks around it.
    var trimmed: String {
        String(drop { $0 == " " || $0 == "\r" }.reversed().drop { $0 == " " || $0 == "\r" }.reversed())
    }

    /// The names of a list with commas.
    var names: [String] {
        split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
    }

    /// What stands between vertical bars, empty parts included.
    fileprivate var parts: [String] {
        split(separator: "|", omittingEmptySubsequences: false).map(\.trimmed)
    }

    /// What follows the first place where `mark` stands.
    fileprivate func range(after mark: String) -> String? {
        var rest = self[...]
        while !rest.isEmpty {
            if rest.hasPrefix(mark) { return String(rest.dropFirst(mark.count)) }
            rest = rest.dropFirst()
        }
        return nil
    }
}
