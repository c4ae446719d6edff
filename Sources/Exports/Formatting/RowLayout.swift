internal import EventLog

/// How the rows of a dataset are written in a format.
struct RowLayout: Sendable {
    /// A column.
    struct Column: Sendable {
        let kind: ColumnKind
        /// What comes before its value.
        let lead: [UInt8]
        /// Whether it tells tombstones from rows.
        let isTombstone: Bool
    }

    let columns: [Column]
    /// NDJSON, or else CSV.
    let isJSON: Bool
    /// The line before the first row; empty for none.
    let header: [UInt8]

    /// The columns of numbers that each cell gives by itself.
    private static let numbers: Set<String> = ["position", "change"]

    /// - Parameter cell: the cell that the rows are of, which numbers of rows end with, as positions do; nil for a database that is alone.
    /// - Throws: ``ExportError`` if a column is of a type that exports cannot write.
    init(_ columns: [ExportColumn], _ format: ExportFormat, cell: Int16? = nil) throws(ExportError) {
        isJSON = format == .ndjson
        var described: [Column] = []
        for column in columns {
            var kind = try ColumnKind(column)
            if let cell, kind == .int8, Self.numbers.contains(column.name) { kind = .numberOfCell(cell) }
            let isFirst = described.isEmpty
            let lead =
                switch format {
                case .ndjson: "\(isFirst ? "{" : ",")\"\(column.name)\":"
                case .csv: isFirst ? "" : ","
                }
            described.append(Column(kind: kind, lead: Array(lead.utf8), isTombstone: column.name == "tombstone"))
        }
        self.columns = described
        header = format == .csv ? Array((columns.map(\.name).joined(separator: ",") + "\n").utf8) : []
    }
}
