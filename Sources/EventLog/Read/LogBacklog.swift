public import Postgres

/// Pending work of the log, and its partitions ahead, for monitoring.
public struct LogBacklog: Sendable {
    /// Items in quarantine, by code.
    public var quarantined: [String: Int64]
    /// Erasures that were begun and are not finished.
    public var pendingErasures: Int64
    /// Months after this one that the log has partitions for; below 0 where it has none for this month.
    public var monthsAhead: Int64

    /// Reads it.
    ///
    /// - Throws: `PostgresError`.
    public static func read(_ pool: Pool) async throws -> LogBacklog {
        let usage = try await pool.query("SELECT code, sum(items)::bigint FROM log.quarantine_usage GROUP BY code")
        let others = try await pool.query("SELECT count(*), log.months_ahead() FROM log.erasure_pending").only()
        return LogBacklog(
            quarantined: Dictionary(try usage.map { (try $0.get(0), try $0.get(1)) }) { $1 },
            pendingErasures: try others.get(0),
            monthsAhead: try others.get(1)
        )
    }
}
