public import Postgres

/// Sessions that hold locks for which others wait, by the names that PostgreSQL knows them by (`application_name`).
public enum LockingSessions: String, Sendable {
    /// Append events.
    case append = "notilog append"
    /// Apply batches to versions in use.
    case projections = "notilog projections"
    /// Build versions.
    case rebuild = "notilog rebuild"
    /// Build versions that are compared with those in use.
    case verify = "notilog verify"

    /// Ends those of them that have waited for their process in the middle of a statement, as it is frozen: no time limit of the
    /// server does (`sql/lock/end_stalled.sql`).
    ///
    /// - Parameter limit: how long they may wait, in whole seconds.
    /// - Returns: the number of sessions ended.
    /// - Throws: `PostgresError`.
    public func endStalled(after limit: Duration, on connection: Connection) async throws -> Int64 {
        try await connection.query(
            "SELECT lock.end_stalled($1, $2)",
            [.text(rawValue), .int4(Int32(limit.components.seconds))]
        ).only().get(0)
    }
}
