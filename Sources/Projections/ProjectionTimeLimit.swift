internal import Postgres

/// The time limit of a batch, by its size, so that an event that would take forever is found in minutes. It holds for each of its
/// statements.
struct ProjectionTimeLimit: Sendable {
    /// The limit of a batch of `positions`, and the highest limit.
    let whole: Duration
    let positions: Int64
    /// The lowest limit, however small the batch is.
    let least: Duration

    /// Limits the statements of a transaction that applies so many positions to a version.
    func begin(positions count: Int64, of schema: String, on connection: Connection) async throws -> Clock {
        try await begin(share: share(of: count), of: schema, on: connection)
    }

    /// Limits the statements of a transaction that only reads so many positions.
    func beginReading(positions count: Int64, on connection: Connection) async throws {
        let limit = allowed(share(of: count)).milliseconds
        try await connection.query("SELECT set_config('statement_timeout', $1, true)", [.text(limit)])
    }

    private func share(of count: Int64) -> Double { min(1, Double(count) / Double(max(1, positions))) }

    private func allowed(_ share: Double) -> Duration { max(least, whole * share) }

    /// Limits the statements of the transaction under way to a share of the highest limit. Half of it limits lock waits: a session
    /// that holds a lock is not an event's fault. For erasures it waits before, as long as the session's own limits allow.
    func begin(share: Double, of schema: String, on connection: Connection) async throws -> Clock {
        let allowed = allowed(share)
        try await connection.query(
            "SELECT projection.lock_devices($1), set_config('statement_timeout', $2, true), set_config('lock_timeout', $3, true)",
            [.text(schema), .text(allowed.milliseconds), .text(min(.seconds(30), allowed / 2).milliseconds)]
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

extension Duration {
    /// As a setting of PostgreSQL: whole milliseconds, at least one.
    fileprivate var milliseconds: String { "\(Int64(max(1, self / .milliseconds(1)).rounded(.up)))ms" }
}
