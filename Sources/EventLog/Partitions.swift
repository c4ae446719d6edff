public import Logging
public import NotificationEvents
public import Pacing
public import Postgres

/// The log's monthly partitions, which are made before they are needed: last month's, this one's and those of three months
/// ahead.
///
/// If one is missing all the same, the append that needs it makes it.
public enum Partitions {
    private static let day: Int64 = 86_400_000_000

    /// Makes the partitions that hold what is received between two moments, where they are missing.
    ///
    /// - Returns: how many were made.
    /// - Throws: `PostgresError`.
    @discardableResult
    public static func ensure(from: Timestamp, to: Timestamp, on connection: Connection) async throws -> Int {
        try await connection.query(
            "SELECT log.ensure_partitions($1, $2)",
            [.timestamptz(from.microseconds), .timestamptz(to.microseconds)]
        ).only().get(0)
    }

    /// Makes the partitions that hold what is received at these moments and no others, however far apart they lie.
    ///
    /// - Returns: how many were made.
    /// - Throws: `PostgresError`.
    @discardableResult
    public static func ensure(for times: [Timestamp], on connection: Connection) async throws -> Int {
        try await connection.query(
            "SELECT log.ensure_partitions($1)",
            [.timestamptzs(times.map(\.microseconds))]
        ).only().get(0)
    }

    /// Makes the partitions of last month (clocks and replays), of this one and of three months ahead.
    ///
    /// - Parameter now: microseconds since 1970.
    /// - Throws: `PostgresError`.
    @discardableResult
    public static func ensureAhead(
        of now: Int64 = SystemClock.microseconds(),
        on connection: Connection
    ) async throws -> Int {
        try await ensure(
            from: Timestamp(microseconds: now - 31 * day),
            to: Timestamp(microseconds: now + 93 * day),
            on: connection
        )
    }

    /// Makes them every day, and as soon as the clock has jumped.
    ///
    /// - Parameters:
    ///   - pool: lends a connection.
    ///   - now: the clock that events are received by, in microseconds since 1970.
    ///   - check: how often to read it.
    ///   - logger: receives the number of created partitions, and errors.
    public static func making(
        _ pool: Pool,
        now: @escaping @Sendable () -> Int64 = SystemClock.microseconds,
        check: Duration = .seconds(30),
        logger: Logger
    ) -> Recurring {
        Recurring("create partitions", every: .clock(.seconds(86_400), now: now, check: check), logger: logger) {
            try await pool.withConnection { try await ensureAhead(of: now(), on: $0) }
        }
    }
}
