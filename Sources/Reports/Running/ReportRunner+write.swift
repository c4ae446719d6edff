/// A piece of a report as it is written.
public enum ReportPiece: Sendable {
    /// The answer without its rows; the first piece.
    case head(ReportResult)
    /// UTF-8, some 64 KiB apart from the last piece.
    case text([UInt8])
}

extension ReportRunner {
    private static let pieceBytes = 1 << 16

    /// Writes a report while its rows are read: it is never whole in memory, in any format.
    ///
    /// - Parameters:
    ///   - format: the format; the first rows of a table decide the widths of its columns.
    ///   - width: the terminal's width, for a table; it uses 80 to 200 columns.
    ///   - allColumns: whether a table shows every column, however wide it becomes; nil if the caller cannot choose, as over HTTP.
    ///   - consume: takes the pieces in order.
    /// - Throws: as ``stream(_:app:asOf:caller:_:)``.
    public func write(
        _ parameters: ReportParameters,
        app: String,
        as format: ReportFormat,
        width: Int = 120,
        allColumns: Bool? = nil,
        caller: isolated (any Actor)? = #isolation,
        _ consume: (ReportPiece) async throws -> Void
    ) async throws {
        var head: ReportResult?
        var writer: ReportWriter?
        var text = ""
        func begin(_ rows: [[ReportValue]]) {
            guard writer == nil, var result = head else { return }
            result.rows = rows
            let begun = ReportWriter(result, format, width: width, allColumns: allColumns)
            text += begun.head
            writer = begun
        }
        try await stream(parameters, app: app) { part in
            switch part {
            case .head(let result):
                head = result
                try await consume(.head(result))
            case .rows(let rows):
                begin(rows)
                for row in rows {
                    writer?.append(row, to: &text)
                    guard text.utf8.count >= Self.pieceBytes else { continue }
                    try await consume(.text(Array(text.utf8)))
                    text = ""
                }
            }
        }
        begin([])
        text += writer?.tail ?? ""
        try await consume(.text(Array(text.utf8)))
    }
}
