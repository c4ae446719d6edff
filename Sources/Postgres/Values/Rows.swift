/// The rows that a statement gave, in memory.
public struct Rows: Sendable, RandomAccessCollection {
    let result: ResultHandle

    init(_ result: ResultHandle) {
        self.result = result
    }

    /// The first row's index, 0.
    public var startIndex: Int { 0 }

    /// The number of rows.
    public var endIndex: Int { result.rowCount }

    /// One row.
    public subscript(position: Int) -> Row {
        precondition(indices.contains(position), "row \(position) of \(count)")
        return Row(result: result, index: position)
    }

    /// The columns' names, in order.
    public var columnNames: [String] { (0..<result.columnCount).map(result.name) }

    /// The columns' types, in order.
    public var columnTypes: [DataType] { (0..<result.columnCount).map(result.type) }

    /// Rows inserted, updated, deleted or selected, as the command tag says; 0 for other commands.
    public var affected: Int { result.affected }

    /// The only row.
    ///
    /// - Throws: ``PostgresError`` with code `unexpected` where there is none or more than one.
    public func only() throws(PostgresError) -> Row {
        guard count == 1 else { throw PostgresError(.unexpected, "expected one row, got \(count)") }
        return self[0]
    }
}
