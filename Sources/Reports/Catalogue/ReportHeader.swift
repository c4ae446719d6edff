internal import Schema

/// A report's definition, from the header of its file, in which what reports share is filled in. The fields:
///
/// - `report` (or `listing`, for single rows), `purpose`, `reads` (names), `filters` (names), `table` (columns of a terminal table);
/// - `in window`: the counts of what was done within `window`, or of those whose window is over, as rates are;
/// - `growing`: the counts of responses at any time (names, each with `of` and a key if in that row alone), or `none`; a report
///   of a `window` whose rows are named by their keys has to say it, as digests compare no count that grows;
/// - `differences`: the columns that are differences of two fractions, and the bounds of such;
/// - `by rows`: what it reads one by one, instead of from rollups; left out where nothing is;
/// - `parameter: name | kind | default | accepts | description`, with the kinds of ``ReportParameterDefinition/Kind``;
/// - `column: name | type | unit | description`; that of a rate names the column that it is divided by after `÷`.
struct ReportHeader {
    private let file: String
    private let header: SQLHeader

    init(file: String, sql: String) {
        self.file = file
        header = SQLHeader(sql)
    }

    /// - Throws: ``ReportError`` with code `catalogue`.
    func definition(checkpoint: (String) -> String) throws(ReportError) -> ReportDefinition {
        let isListing = !header["listing"].isEmpty
        let name = try only(isListing ? "listing" : "report").text
        guard "\(name).sql" == file else { throw wrong("names \"\(name)\"") }
        let reads = try only("reads").names
        var parameters: [ReportParameterDefinition] = []
        for field in header["parameter"] { parameters.append(try parameter(field)) }
        var columns: [ReportColumn] = []
        for field in header["column"] {
            let cells = field.cells
            guard cells.count == 4, cells.enumerated().allSatisfy({ $0.offset == 2 || !$0.element.isEmpty }) else {
                throw wrong("has a column that is not `name | type | unit | description`: \(field.text.shortened)")
            }
            columns.append(
                ReportColumn(
                    name: cells[0],
                    type: cells[1],
                    unit: cells[2].isEmpty ? nil : cells[2],
                    description: cells[3],
                    maturity: cells[1] == "double precision" ? .afterWindow : .atOnce
                )
            )
        }
        let table = header["table"].first?.names ?? columns.map(\.name)
        guard table.allSatisfy({ name in columns.contains { $0.name == name } }) else {
            throw wrong("has a column in `table` that it does not give")
        }
        for column in header["in window"].flatMap(\.names) { try mature(column, .afterWindow, &columns) }
        let growing = header["growing"].flatMap(\.names)
        for column in growing == ["none"] ? [] : growing {
            let words = column.split(separator: " of ", maxSplits: 1).map(String.init)
            try mature(words[0], .never(key: words.count == 2 ? words[1] : nil), &columns)
        }
        for name in header["differences"].flatMap(\.names) {
            guard let index = columns.firstIndex(where: { $0.name == name && $0.unit == "fraction" }) else {
                throw wrong("has a column in `differences` that is no fraction: \(name)")
            }
            columns[index].isDifference = true
        }
        try divide(&columns)
        let definition = ReportDefinition(
            name: name,
            purpose: try only("purpose").text,
            reads: reads,
            byRows: header["by rows"].first?.text,
            checkpoints: Set(reads.map(checkpoint)).sorted(),
            parameters: parameters,
            filters: header["filters"].first?.names ?? [],
            columns: columns,
            tableColumns: table,
            isListing: isListing
        )
        guard !growing.isEmpty || definition.parameter("window") == nil || !definition.namesRowsByFirstKeys else {
            throw wrong("has `window`, but does not say in `growing` which counts grow with age, or `none`")
        }
        return definition
    }

    private func mature(
        _ name: String,
        _ maturity: ReportColumn.Maturity,
        _ columns: inout [ReportColumn]
    ) throws(ReportError) {
        guard let index = columns.firstIndex(where: { $0.name == name }), columns[index].maturity == .atOnce else {
            throw wrong("has a column in `in window` or `growing` that it does not give, or says twice: \(name)")
        }
        columns[index].maturity = maturity
    }

    /// Finds what rates are divided by. What a rate's name begins, such as its bounds, is of the same.
    private func divide(_ columns: inout [ReportColumn]) throws(ReportError) {
        var rates: [(name: String, denominator: String)] = []
        for column in columns {
            guard let rest = column.description.text(after: "÷ `"), let end = rest.firstIndex(of: "`"),
                // Of another row.
                !rest[end...].hasPrefix("` of ")
            else { continue }
            let denominator = String(rest[..<end])
            guard columns.contains(where: { $0.name == denominator }) else {
                throw wrong("has a rate that is divided by no column: \(column.name)")
            }
            rates.append((column.name, denominator))
        }
        for index in columns.indices where columns[index].type == "double precision" {
            let name = columns[index].name
            let rate = rates.first { $0.name == name } ?? rates.first { name.hasPrefix($0.name + "_") }
            columns[index].denominator = rate?.denominator
        }
    }

    private func parameter(_ field: SQLHeader.Field) throws(ReportError) -> ReportParameterDefinition {
        let cells = field.cells
        guard cells.count == 5, let kind = ReportParameterDefinition.Kind(rawValue: cells[1]) else {
            throw wrong(
                "has a parameter that is not `name | kind | default | accepts | description`: \(field.text.shortened)"
            )
        }
        let accepted: [String]
        switch kind {
        case .choice, .flag: accepted = cells[3].names
        case .dimensions: accepted = ["none"] + (cells[3].text(after: " of ") ?? "").names
        case .time, .zone, .duration, .text, .whole: accepted = []
        }
        let parameter = ReportParameterDefinition(
            name: cells[0],
            kind: kind,
            defaultText: cells[2],
            acceptedText: cells[3],
            accepted: accepted,
            description: cells[4]
        )
        guard kind != .whole || parameter.bounds != nil else {
            throw wrong("has a whole number that does not accept `least to greatest`: \(field.text.shortened)")
        }
        guard kind != .time || ["from", "to"].contains(parameter.name) else {
            throw wrong("has a time other than from and to, which answers do not repeat: \(field.text.shortened)")
        }
        return parameter
    }

    private func only(_ name: String) throws(ReportError) -> SQLHeader.Field {
        let found = header[name]
        guard found.count == 1, let field = found.first, !field.text.isEmpty else {
            throw wrong("must have the field `\(name)` once")
        }
        return field
    }

    private func wrong(_ what: String) -> ReportError {
        ReportError(.catalogue, "the header of sql/reports/\(file) \(what)")
    }
}

extension StringProtocol {
    /// The text after the first occurrence of `mark`.
    fileprivate func text(after mark: String) -> String? {
        firstRange(of: mark).map { String(self[$0.upperBound...]) }
    }
}
