internal import EventLog

/// A terminal table: its columns, their widths, and its lines.
struct TableLayout: Sendable {
    private struct Column: Sendable {
        var index: Int
        var name: String
        var isText: Bool
        var width: Int
    }

    private let result: ReportResult
    private let columns: [Column]
    private let hidden: Int
    private let withTime: Bool
    /// Whether the reader has the options of the command.
    private let isCommand: Bool
    /// The column that marks the row for all keys beyond the limit.
    private let other: Int?

    private static let longestText = 40

    /// - Parameter allColumns: nil over HTTP, where every column is in the other formats.
    init(_ result: ReportResult, width: Int, allColumns: Bool?) {
        self.result = result
        isCommand = allColumns != nil
        let allColumns = allColumns ?? false
        let hours = result.parameters.contains { $0.name == "interval" && $0.value == .text("hour") }
        withTime = hours
        let other = result.columns.firstIndex { $0.name == "other" }
        self.other = other
        let limit = allColumns ? Int.max : min(max(width, 80), 200)
        let names = allColumns ? result.columns.map(\.name) : result.tableColumns
        var chosen: [Column] = []
        var used = 0
        for name in names {
            guard let index = result.columns.firstIndex(where: { $0.name == name }) else { continue }
            let column = result.columns[index]
            let cells = result.rows.map { row in
                TerminalText.width(Self.cell(row, index, column, other: other, withTime: hours))
            }
            let wide = max(TerminalText.width(name), cells.max() ?? 0)
            let gap = chosen.isEmpty ? 0 : TerminalText.width(TerminalText.gap)
            // The most important columns come first; a column that does not fit is left out, and narrower ones may follow.
            guard chosen.isEmpty || used + gap + wide <= limit else { continue }
            used += gap + wide
            chosen.append(Column(index: index, name: name, isText: column.isLeftAligned, width: wide))
        }
        columns = chosen
        hidden = result.columns.count - chosen.count
    }

    /// The title, the names of the columns, and a rule.
    var head: String {
        var text = result.definition.name
        func value(_ name: String) -> ReportValue? { result.parameters.first { $0.name == name }?.value }
        if let from = value("from"), let to = value("to") {
            var zone = "UTC"
            if case .text(let name)? = value("tz") { zone = name }
            text += "  " + TimeText.range(from, to, zone: zone)
        }
        text += "\n\n"
        text += joined(columns.map { $0.name })
        text += joined(columns.map { String(repeating: "─", count: $0.width) })
        return text
    }

    /// The position of the answer, and the number of hidden columns and keys.
    var tail: String {
        var text = result.rows.isEmpty ? "(no rows)\n" : ""
        if let total = result.rowsTotal,
            case .integer(let limit)? = result.parameters.first(where: { $0.name == "limit" })?.value,
            total > limit
        {
            text +=
                "\n\(FigureText.count(limit)) of \(FigureText.count(total)), the rest is in `(other)`; see \(isCommand ? "--limit" : "limit")\n"
        }
        text += "\nas of \(TimeText.rfc3339(.time(result.asOf.at)).prefix(19))Z, position "
        let positions = result.asOf.positions.isEmpty ? [result.asOf.position] : result.asOf.positions
        text += positions.map(\.description).joined(separator: ",")
        if result.asOf.lagSeconds >= 1 { text += ", \(FigureText.duration(result.asOf.lagSeconds)) behind" }
        if hidden > 0 { text += "; \(hidden) more columns with \(isCommand ? "--all-columns" : "format=json")" }
        return text + "\n"
    }

    /// One row.
    func line(_ row: [ReportValue]) -> String {
        joined(
            columns.map { column in
                Self.cell(row, column.index, result.columns[column.index], other: other, withTime: withTime)
            }
        )
    }

    private func joined(_ cells: [String]) -> String {
        TerminalText.line(
            zip(cells, columns).map { TerminalText.padded($0, to: $1.width, isNumber: !$1.isText) }
        ) + "\n"
    }

    private static func cell(
        _ row: [ReportValue],
        _ index: Int,
        _ column: ReportColumn,
        other: Int?,
        withTime: Bool
    ) -> String {
        switch row[index] {
        // The key's columns come before the column `other`.
        case .null where other.map { index < $0 && row[$0] == .bool(true) } == true: "(other)"
        case .null: FigureText.unknown
        case .integer(let number): FigureText.count(number)
        case .double(let number): FigureText.value(number, unit: column.unit, isDifference: column.isDifference)
        case .bool(let flag): flag ? "yes" : "no"
        case .text(let text), .json(let text): TerminalText.fitted(text, longestText)
        case .time, .localTime: TimeText.short(row[index], withTime: withTime)
        case .list(let names):
            TerminalText.fitted(names.map { $0 ?? FigureText.unknown }.joined(separator: ","), longestText)
        }
    }
}

extension ReportColumn {
    /// Whether its values are text rather than numbers.
    fileprivate var isLeftAligned: Bool { ["text", "jsonb", "boolean", "timestamptz"].contains(type) }
}
