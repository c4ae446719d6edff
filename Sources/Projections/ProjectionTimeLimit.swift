internal import Postgres

/// The time limit of a batch, by its size, so that an event that would take forever is found in minutes.
struct ProjectionTimeLimit: Sendable {
    /// The limit of a batch of `positions`, and the highest limit.
    let whole: Duration
    let positions: Int64
    /// The lowest limit, however small the batch is.
    let least: Duration

    /// Limits the statements of a transaction that applies so many positions to a version.
    func begin(positions count: Int64, of schema: String, on connection: Connection) async throws -> Clock {
        try await begin(share: min(1, Double(count) / Double(max(1, positions))), of: schema, on: connection)
    }

    /// Limits the statements of the transaction under way to a share of the highest limit. Half of it limits lock waits: a session
    /// that holds a lock is not an event's fault. For erasures it waits before, as long as the session's own limits allow.
    func begin(share: Double, of schema: String, on connection: Connection) async throws -> Clock {
        let allowed = max(least, whole * share)
        let milliseconds = max(1, allowed / .milliseconds(1))
        try await connection.query(
            "SELECT projection.lock_devices($1), set_config('statement_timeout', $2, true), set_config('lock_timeout', $3, true)",
            [
                .text(schema),
                .text("\(Int64(milliseconds.rounded(.up)))ms"),
                .text("\(Int64(min(30_000, milliseconds / 2).rounded(.up)))ms"),
            ]
        )
        return Clock(allowed: allowed, begun: .now)
    }

    /// The time limit of one batch.
    struct Clock: Sendable {
        let allowed: Duration
        let begun: ContinuousClock.Instant

        /// Whether an error means that the limit was exceeded, rather than that the statement was cancelled: both are 57014.
        func isTimeOut(_ error: PostgresError) -> Bool {
            error.sqlState == SQLState.queryCanceled && ContinuousClock.now - begun >= allowed && !Task.isCancelled
        }
    }
}
