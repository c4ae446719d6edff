public import Logging
public import NotificationEvents
public import Postgres
public import ServiceLifecycle

/// Makes the log's monthly partitions before they are needed: last month's, this one's and those of three months ahead,
/// at the start, then every day, and as soon as the clock has jumped.
///
/// Should one be missing all the same, the append that needs it makes it.
public struct Partitions: Service {
    private let pool: Pool
    private let now: @Sendable () -> Int64
    private let checkInterval: Duration
    private let logger: Logger

    private static let day: Int64 = 86_400_000_000

    /// - Parameters:
    ///   - pool: lends a connection once a day.
    ///   - now: the clock that events are received by, microseconds since 1970.
    ///   - checkInterval: how often the clock is looked at.
    ///   - logger: logs created partitions.
    public init(
        pool: Pool,
        now: @escaping @Sendable () -> Int64 = Tally.currentMicroseconds,
        checkInterval: Duration = .seconds(30),
        logger: Logger
    ) {
        self.pool = pool
        self.now = now
        self.checkInterval = checkInterval
        self.logger = logger
    }

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
        of now: Int64 = Tally.currentMicroseconds(),
        on connection: Connection
    ) async throws -> Int {
        try await ensure(
            from: Timestamp(microseconds: now - 31 * day),
            to: Timestamp(microseconds: now + 93 * day),
            on: connection
        )
    }

    /// Makes what is missing until the task is cancelled or the service stops.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
            var madeAt: Int64?
            while !Task.isCancelled {
                do {
                    let time = now()
                    // Judged by that clock alone: one that jumps, or a machine that slept, waits for no timer.
                    if madeAt.map({ abs(time - $0) >= Self.day }) ?? true {
                        try await make(ahead: time)
                        madeAt = time
                    }
                    backoff.reset()
                    try await ContinuousClock().sleep(for: checkInterval)
                } catch {
                    guard !Task.isCancelled else { return }
                    logger.warning("partitions could not be created, retrying", metadata: ["error": "\(error)"])
                    await backoff.wait()
                }
            }
        }
    }

    /// Makes what is missing before the first event comes, which would have to make it, and draw its positions twice. Where that
    /// fails, ``run()`` retries.
    public func makeFirst() async {
        do {
            try await make(ahead: now())
        } catch {
            logger.warning("partitions could not be created before the start", metadata: ["error": "\(error)"])
        }
    }

    private func make(ahead time: Int64) async throws {
        let made = try await pool.withConnection { try await Self.ensureAhead(of: time, on: $0) }
        if made > 0 { logger.info("partitions created", metadata: ["count": "\(made)"]) }
    }
}
