internal import Foundation
public import Logging
public import NotificationEvents
public import Postgres
public import ServiceLifecycle

/// Makes the log's monthly partitions before they are needed: this month's and those of three months ahead, at the start
/// and then every day.
public struct Partitions: Service {
    private let pool: Pool
    private let logger: Logger

    /// - Parameters:
    ///   - pool: lends a connection once a day.
    ///   - logger: told of what was made.
    public init(pool: Pool, logger: Logger) {
        self.pool = pool
        self.logger = logger
    }

    /// Makes the partitions that hold what is received between two moments, where they are missing.
    ///
    /// - Returns: how many were made.
    /// - Throws: `PostgresError`.
    @discardableResult
    public static func ensure(from: Timestamp, to: Timestamp, on connection: Connection) async throws -> Int {
        let row = try await connection.query(
            "SELECT log.ensure_partitions($1, $2)",
            [.timestamptz(from.microseconds), .timestamptz(to.microseconds)]
        ).only()
        return try row.get(0)
    }

    /// Makes the partitions of last month (clocks and replays), of this one and of three months ahead.
    ///
    /// - Throws: `PostgresError`.
    @discardableResult
    public static func ensureAhead(on connection: Connection) async throws -> Int {
        let now = Tally.currentMicroseconds()
        let day: Int64 = 86_400_000_000
        return try await ensure(
            from: Timestamp(microseconds: now - 31 * day),
            to: Timestamp(microseconds: now + 93 * day),
            on: connection
        )
    }

    /// Makes what is missing now and every day, until the task is cancelled or the service stops.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
            while !Task.isCancelled {
                do {
                    let made = try await pool.withConnection { try await Self.ensureAhead(on: $0) }
                    if made > 0 { logger.info("partitions made", metadata: ["count": "\(made)"]) }
                    backoff.reset()
                    try await ContinuousClock().sleep(for: .seconds(86_400))
                } catch {
                    guard !Task.isCancelled else { return }
                    logger.warning("partitions could not be made, trying again", metadata: ["error": "\(error)"])
                    await backoff.wait()
                }
            }
        }
    }
}
