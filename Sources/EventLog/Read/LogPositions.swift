public import Postgres

/// How far the log has come.
public struct LogPositions: Sendable {
    /// Every position up to this one is settled.
    public var settled: Position
    /// The highest position drawn, which no position can be beyond.
    public var drawn: Position

    /// Reads them.
    ///
    /// - Throws: `PostgresError`.
    public static func read(_ pool: Pool) async throws -> LogPositions {
        let row = try await pool.query(
            "SELECT settled_position, (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM log.position) FROM log.state"
        ).only()
        return LogPositions(settled: try row.get(0), drawn: try row.get(1))
    }
}
