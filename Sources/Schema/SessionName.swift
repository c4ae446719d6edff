public import Postgres

/// What sessions do, as the names that PostgreSQL has for them (`application_name`). Those of other commands have the default.
public enum SessionName: String, Sendable {
    /// Serve requests.
    case serve = "notilog serve"
    /// Append events.
    case append = "notilog append"
    /// Settles the log.
    case settle = "notilog settle"
    /// Erase devices.
    case erase = "notilog erase"
    /// Apply batches to versions in use.
    case projections = "notilog projections"
    /// Build versions.
    case rebuild = "notilog rebuild"
    /// Build versions that are compared with those in use.
    case verify = "notilog verify"
    /// Drops old partitions.
    case retention = "notilog retention"
    /// Copy events to other cells.
    case copy = "notilog copy"
    /// Import another store.
    case storeImport = "notilog import"
    /// Move a cell to another server.
    case move = "notilog move"
    /// Hold a lock, and do nothing else.
    case lock = "notilog lock"
    /// Examine the database.
    case doctor = "notilog doctor"

    /// Ends those sessions of this name whose process is frozen in the middle of a statement, or before it has read the rows:
    /// no time limit of the server does (`sql/lock/end_stalled.sql`).
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
