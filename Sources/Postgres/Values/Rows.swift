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

    /// The only row.
    ///
    /// - Throws: ``PostgresError`` with code `unexpected` if there is not exactly one.
    public func only() throws(PostgresError) -> Row {
        guard count == 1 else { throw PostgresError(.unexpected, "expected one row, got \(count)") }
        return self[0]
    }
}
