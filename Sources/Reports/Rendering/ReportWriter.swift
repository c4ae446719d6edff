/// Writes a report in a format, row by row.
public struct ReportWriter: Sendable {
    private let result: ReportResult
    private let format: ReportFormat
    private let layout: TableLayout?
    private var isFirst = true

    /// - Parameters:
    ///   - result: the answer; only a table needs its rows, because the widest one decides the width of a column.
    ///   - format: the format.
    ///   - width: the terminal's width, for a table; it uses 80 to 200 columns.
    ///   - allColumns: whether a table shows every column, however wide it becomes; nil if the caller cannot choose, as over HTTP.
    public init(_ result: ReportResult, _ format: ReportFormat, width: Int = 120, allColumns: Bool? = nil) {
        self.result = result
        self.format = format
        layout = format == .table ? TableLayout(result, width: width, allColumns: allColumns) : nil
    }

    /// The text before the first row.
    public var head: String {
        switch format {
        case .json: JSONDocument.head(result)
        case .csv: CSVText.line(result.columns.map(\.name))
        case .ndjson: ""
        case .table: layout?.head ?? ""
        }
    }

    /// The text after the last row, which completes a JSON document.
    public var tail: String {
        switch format {
        case .json: JSONDocument.tail(result)
        case .csv, .ndjson: ""
        case .table: layout?.tail ?? ""
        }
    }

    /// The next row.
    public mutating func append(_ row: [ReportValue], to text: inout String) {
        switch format {
        case .json:
            if !isFirst { text += "," }
            JSONDocument.append(row, result.columns, to: &text)
        case .csv: text += CSVText.line(row.map(CSVText.field))
        case .ndjson:
            JSONDocument.append(row, result.columns, to: &text)
            text += "\n"
        case .table: text += layout?.line(row) ?? ""
        }
        isFirst = false
    }
}
