/// One row of a result.
public struct Row: Sendable {
    let result: ResultHandle
    let index: Int

    /// The number of columns.
    public var count: Int { result.columnCount }

    /// The value of a column by its index, from 0.
    ///
    /// - Throws: ``PostgresError`` with code `decoding`, which names column, type and type asked for, never the value.
    public func get<Value: PostgresDecodable>(_ column: Int, as type: Value.Type = Value.self) throws(PostgresError)
        -> Value
    {
        guard column >= 0, column < result.columnCount else {
            throw PostgresError(.decoding, "there is no column \(column) among \(result.columnCount)")
        }
        do {
            return try Value.decode(result.value(row: index, column: column))
        } catch {
            throw PostgresError(.decoding, "column \"\(result.name(column))\": \(error.message)")
        }
    }

    /// Reads the bytes of a column's value where they are, as the server sent them: in PostgreSQL's binary format, unless the
    /// statement gives a type that has none here.
    ///
    /// - Parameters:
    ///   - column: the column's index, from 0.
    ///   - body: takes the bytes, which are good until it returns; nil for NULL.
    @inline(__always)
    public func withBytes<Value, Failure: Error>(
        _ column: Int,
        _ body: (UnsafeRawBufferPointer?) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(result.bytes(row: index, column: column))
    }

    /// The value of a column by its name, compared exactly.
    ///
    /// - Throws: ``PostgresError`` with code `decoding`.
    public func get<Value: PostgresDecodable>(_ name: String, as type: Value.Type = Value.self) throws(PostgresError)
        -> Value
    {
        guard let column = result.index(ofColumn: name) else {
            throw PostgresError(.decoding, "there is no column \"\(name)\"")
        }
        return try get(column)
    }
}
