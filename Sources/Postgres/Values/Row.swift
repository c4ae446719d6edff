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
