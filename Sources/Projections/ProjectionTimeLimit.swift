internal import Postgres

/// How long a batch may take, by the positions it holds: so that one event that would take for ever is found in minutes.
struct ProjectionTimeLimit: Sendable {
    /// What a batch of `positions` may take, and the most that any may take.
    let whole: Duration
    let positions: Int64
    /// What a batch may take however small it is.
    let least: Duration

    func allowance(positions count: Int64) -> Duration {
        max(least, whole * min(1, Double(count) / Double(max(1, positions))))
    }

    /// Limits the statements of the transaction under way. Locks are waited for half as long: whoever holds one is not
    /// taken for an event's fault.
    func begin(positions count: Int64, on connection: Connection) async throws -> Clock {
        let allowed = allowance(positions: count)
        let milliseconds = max(1, allowed / .milliseconds(1))
        try await connection.query(
            """
            SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true)
            """,
            [
                .text("\(Int64(milliseconds.rounded(.up)))ms"),
                .text("\(Int64(min(30_000, milliseconds / 2).rounded(.up)))ms"),
            ]
        )
        return Clock(allowed: allowed, begun: .now)
    }

    /// The time of one batch.
    struct Clock: Sendable {
        let allowed: Duration
        let begun: ContinuousClock.Instant

        /// Whether an error says that the time was up, rather than that somebody cancelled the statement: both are 57014.
        func isTimeOut(_ error: PostgresError) -> Bool {
            error.sqlState == "57014" && ContinuousClock.now - begun >= allowed && !Task.isCancelled
        }
    }
}
