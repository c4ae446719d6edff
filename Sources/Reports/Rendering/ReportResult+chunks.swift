/// A report as bytes, made as they are asked for: pieces of about 64 KiB, so that a large report is never whole in memory
/// a second time.
public struct ReportChunks: Sequence, IteratorProtocol, Sendable {
    private let result: ReportResult
    private let format: ReportFormat
    private let layout: TableLayout?
    private var nextRow = 0
    private var isBegun = false
    private var isEnded = false

    init(_ result: ReportResult, _ format: ReportFormat, width: Int, allColumns: Bool) {
        self.result = result
        self.format = format
        layout = format == .table ? TableLayout(result, width: width, allColumns: allColumns) : nil
    }

    /// The next piece, UTF-8; nil at the end.
    public mutating func next() -> [UInt8]? {
        guard !isEnded else { return nil }
        var text = ""
        if !isBegun {
            isBegun = true
            text += head
        }
        while nextRow < result.rows.count, text.utf8.count < 65_536 {
            append(result.rows[nextRow], isFirst: nextRow == 0, to: &text)
            nextRow += 1
        }
        if nextRow == result.rows.count {
            isEnded = true
            text += tail
        }
        return Array(text.utf8)
    }

    private var head: String {
        switch format {
        case .json: JSONDocument.head(result)
        case .csv: CSVText.line(result.columns.map(\.name))
        case .ndjson: ""
        case .table: layout?.head ?? ""
        }
    }

    private var tail: String {
        switch format {
        case .json: JSONDocument.tail(result)
        case .csv, .ndjson: ""
        case .table: layout?.tail ?? ""
        }
    }

    private func append(_ row: [ReportValue], isFirst: Bool, to text: inout String) {
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
    }
}

extension ReportResult {
    /// The report in a format, piece by piece.
    ///
    /// - Parameters:
    ///   - format: how to write it.
    ///   - width: columns of the terminal, for a table: it takes 80 to 200.
    ///   - allColumns: whether a table shows every column, however wide that is.
    public func chunks(_ format: ReportFormat, width: Int = 120, allColumns: Bool = false) -> ReportChunks {
        ReportChunks(self, format, width: width, allColumns: allColumns)
    }

    /// The report in a format, whole.
    public func text(_ format: ReportFormat, width: Int = 120, allColumns: Bool = false) -> String {
        chunks(format, width: width, allColumns: allColumns).reduce(into: "") {
            $0 += String(decoding: $1, as: UTF8.self)
        }
    }
}
