/// A report as bytes, made on demand in pieces of about 64 KiB, so that a large report is not in memory a second time.
public struct ReportChunks: Sequence, IteratorProtocol, Sendable {
    private let rows: [[ReportValue]]
    private var writer: ReportWriter
    private var nextRow = 0
    private var isBegun = false
    private var isEnded = false

    init(_ result: ReportResult, _ format: ReportFormat, width: Int, allColumns: Bool) {
        rows = result.rows
        writer = ReportWriter(result, format, width: width, allColumns: allColumns)
    }

    /// The next piece in UTF-8; nil at the end.
    public mutating func next() -> [UInt8]? {
        guard !isEnded else { return nil }
        var text = ""
        if !isBegun {
            isBegun = true
            text += writer.head
        }
        while nextRow < rows.count, text.utf8.count < 65_536 {
            writer.append(rows[nextRow], to: &text)
            nextRow += 1
        }
        if nextRow == rows.count {
            isEnded = true
            text += writer.tail
        }
        return Array(text.utf8)
    }
}

extension ReportResult {
    /// The report in a format, piece by piece.
    ///
    /// - Parameters:
    ///   - format: the format.
    ///   - width: the terminal's width, for a table; it uses 80 to 200 columns.
    ///   - allColumns: whether a table shows every column, however wide it becomes.
    public func chunks(_ format: ReportFormat, width: Int = 120, allColumns: Bool = false) -> ReportChunks {
        ReportChunks(self, format, width: width, allColumns: allColumns)
    }

    /// The whole report in a format.
    public func text(_ format: ReportFormat, width: Int = 120, allColumns: Bool = false) -> String {
        chunks(format, width: width, allColumns: allColumns).reduce(into: "") {
            $0 += String(decoding: $1, as: UTF8.self)
        }
    }
}
