public import Logging
internal import Pacing
public import Postgres
public import ServiceLifecycle
internal import Synchronization

/// A hot standby (PostgreSQL documentation, 27.4) of the database. Reports and exports are read from it while it follows its
/// primary.
///
/// It is compared with the primary once a second. If it does not answer, is too far behind or was promoted, the primary is read
/// instead, within the bounds that hold without a standby. A promoted server has its own history: its events may differ from
/// the primary's at the same positions. So each transaction checks that it reads from a standby.
///
/// A standby sends no notifications, so whoever waits for a position there polls.
public final class Standby: Service {
    /// Lends connections to the standby, for reading.
    let pool: Pool
    private let monitoring: Pool
    private let primary: Pool
    private let lagLimit: Double
    private let logger: Logger
    private let seen = Mutex(StandbyStatus(state: .unknown))

    /// - Parameters:
    ///   - pool: lends connections to the standby, for reading.
    ///   - monitoring: lends a connection to the standby, for comparing it with the primary.
    ///   - primary: lends a connection to the primary, for comparison.
    ///   - lagLimit: the age of the oldest event that the standby may lack, in seconds.
    ///   - logger: logs when reading moves to the standby, and when it moves back.
    public init(reading pool: Pool, monitoring: Pool, primary: Pool, lagLimit: Double, logger: Logger) {
        self.pool = pool
        self.monitoring = monitoring
        self.primary = primary
        self.lagLimit = lagLimit
        self.logger = logger
    }

    /// The last status.
    public var status: StandbyStatus { seen.withLock { $0 } }

    /// Checks the standby once a second, until the service is told to stop.
    public func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.probe()
                try? await ContinuousClock().sleep(for: .seconds(1))
            }
        }
    }

    /// Checks the standby now.
    @discardableResult
    public func probe() async -> StandbyStatus {
        let found = await StandbyProbe.compare(monitoring, with: primary, before: status.state, limit: lagLimit)
        if !Task.isCancelled { note(found) }
        return found
    }

    /// Closes its connections.
    public func shutDown() async {
        await pool.shutDown()
        await monitoring.shutDown()
    }

    private func note(_ status: StandbyStatus) {
        let before = seen.withLock { seen in
            defer { seen = status }
            return seen.state
        }
        guard status.state != before else { return }
        if let problem = status.problem {
            logger.warning("\(problem)", metadata: ["state": "\(status.state.rawValue)"])
        } else {
            logger.notice("reports are read from the standby")
        }
    }
}

/// The standby cancelled a statement that was in the way of its replay (PostgreSQL documentation, 27.4.2), and cancelled it
/// again at the second attempt.
package struct RecoveryConflict: Error {}

/// A transaction was about to read from a server that is no standby.
private struct Promoted: Error {}

extension Standby {
    /// Reads from the standby, if it follows its primary. A conflict with recovery is tried once more.
    ///
    /// - Parameters:
    ///   - isBegun: whether rows have been passed on, so that reading cannot start over.
    ///   - body: reads with the pool that it is given, and calls ``check(on:)`` in its transaction.
    /// - Returns: false if the primary is to be read instead: the standby cannot be read, or it was lost or promoted before
    ///   anything was passed on.
    /// - Throws: ``RecoveryConflict``; what `body` throws.
    package func read(
        caller: isolated (any Actor)? = #isolation,
        isBegun: () -> Bool,
        _ body: (Pool) async throws -> Void
    ) async throws -> Bool {
        var isSecond = false
        while status.state == .following {
            do {
                try await body(pool)
                return true
            } catch is Promoted {
                note(StandbyStatus(state: .promoted))
            } catch let error as PostgresError where error.isConnectionFailure {
                note(StandbyStatus(state: .away, cause: error.reason))
                if isBegun() { throw error }
            } catch let error as PostgresError where error.isContention {
                if isBegun() { throw error }
                if isSecond { throw RecoveryConflict() }
                isSecond = true
            }
        }
        return false
    }

    /// Checks that a transaction's snapshot was taken on a standby. Call it once the snapshot is taken: if the server is still
    /// a standby then, the snapshot holds only what the primary wrote.
    package func check(on connection: Connection) async throws {
        guard try await connection.query("SELECT pg_is_in_recovery()").only().get(0) else { throw Promoted() }
    }

    /// Checks whether the standby has replayed everything up to a location in the write-ahead log. Call it before the snapshot
    /// is taken.
    ///
    /// - Returns: whether it has.
    package func hasReplayed(_ bytes: Int64, on connection: Connection) async throws -> Bool {
        try await connection.query(
            "SELECT coalesce((pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint, 0) >= $1",
            [.int8(bytes)]
        ).only().get(0)
    }

    /// A location in the primary's write-ahead log after everything committed so far.
    package static func written(by primary: Pool) async throws -> Int64 {
        try await primary.query("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint").only().get(0)
    }

    /// The age of the oldest event that the standby lacks, as it was last seen.
    package var lagSeconds: Double { status.lag?.seconds ?? 0 }
}
