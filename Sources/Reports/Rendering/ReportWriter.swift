/// Writes a report in a format, its rows as they come.
public struct ReportWriter: Sendable {
    private let result: ReportResult
    private let format: ReportFormat
    private let layout: TableLayout?
    private var isFirst = true

    /// - Parameters:
    ///   - result: the answer; its own rows are needed for a table alone, whose columns are as wide as the widest of them.
    ///   - format: how to write it.
    ///   - width: columns of the terminal, for a table: it takes 80 to 200.
    ///   - allColumns: whether a table shows every column, however wide that is.
    public init(_ result: ReportResult, _ format: ReportFormat, width: Int = 120, allColumns: Bool = false) {
        self.result = result
        self.format = format
        layout = format == .table ? TableLayout(result, width: width, allColumns: allColumns) : nil
    }

    /// What comes before the first row.
    public var head: String {
        switch format {
        case .json: JSONDocument.head(result)
        case .csv: CSVText.line(result.columns.map(\.name))
        case .ndjson: ""
        case .table: layout?.head ?? ""
        }
    }

    /// What comes after the last row: a JSON document is none without it.
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
