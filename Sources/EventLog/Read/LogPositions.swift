public import Postgres

/// How far the log is drawn and settled at a moment.
public struct LogPositions: Sendable, Equatable {
    /// Every position up to this one is settled.
    public var settled: Position
    /// The highest position drawn, which no position can be beyond.
    public var drawn: Position
    /// The incarnation that the positions belong to.
    public var incarnation: String

    /// Reads them.
    ///
    /// - Throws: `PostgresError`.
    public static func read(_ pool: Pool) async throws -> LogPositions {
        try LogPositions(try await pool.query(sql))
    }

    /// Reads them on a connection.
    ///
    /// - Throws: `PostgresError`.
    public static func read(on connection: Connection) async throws -> LogPositions {
        try LogPositions(try await connection.query(sql))
    }

    private static let sql = "SELECT settled_position, log.drawn_position(), incarnation::text FROM log.state"

    private init(_ rows: Rows) throws {
        let row = try rows.only()
        settled = try row.get(0)
        drawn = try row.get(1)
        incarnation = try row.get(2)
    }
}
