public import Logging
internal import Pacing
public import Postgres
public import ServiceLifecycle
internal import Synchronization

/// A hot standby (PostgreSQL documentation, 27.4) of the database, from which what only reads is read while it follows its
/// primary.
///
/// It is compared with the primary once a second. One that does not answer, is too far behind, or was promoted is not read: the
/// primary is, within the bounds that hold without a standby. A promoted server has a history of its own, whose events may be
/// others than the primary's at the same positions; so each transaction makes sure that it reads from a standby.
///
/// There are no notifications on a standby, so whoever waits for a position there asks for it again and again.
public final class Standby: Service {
    /// Lends connections to the standby, for reading.
    let pool: Pool
    private let watching: Pool
    private let primary: Pool
    private let lagLimit: Double
    private let logger: Logger
    private let seen = Mutex(StandbyStatus(state: .unknown))

    /// - Parameters:
    ///   - pool: lends connections to the standby, for reading.
    ///   - watching: lends a connection to the standby, for looking at it.
    ///   - primary: lends a connection to the primary, for comparison.
    ///   - lagLimit: the age of the oldest event that the standby may lack, in seconds.
    ///   - logger: told when the standby is read and when it no longer is.
    public init(reading pool: Pool, watching: Pool, primary: Pool, lagLimit: Double, logger: Logger) {
        self.pool = pool
        self.watching = watching
        self.primary = primary
        self.lagLimit = lagLimit
        self.logger = logger
    }

    /// What was seen last.
    public var status: StandbyStatus { seen.withLock { $0 } }

    /// Looks at the standby once a second, until the service is told to stop.
    public func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.look()
                try? await ContinuousClock().sleep(for: .seconds(1))
            }
        }
    }

    /// Looks at the standby now.
    @discardableResult
    public func look() async -> StandbyStatus {
        let found = await StandbyLook.compare(watching, with: primary, before: status.state, limit: lagLimit)
        if !Task.isCancelled { note(found) }
        return found
    }

    /// Closes its connections.
    public func shutDown() async {
        await pool.shutDown()
        await watching.shutDown()
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

/// The standby cancelled a statement because it would have kept it from replaying (PostgreSQL documentation, 27.4.2), and
/// once more when it was tried again.
package struct RecoveryConflict: Error {}

/// A transaction was about to read from a server that is no standby.
private struct Promoted: Error {}

extension Standby {
    /// Reads from the standby, if it follows its primary. A conflict with recovery is tried once more.
    ///
    /// - Parameters:
    ///   - isBegun: whether something that was read has been passed on, so that reading cannot begin again.
    ///   - body: reads with the pool that it is given, and calls ``check(on:)`` in its transaction.
    /// - Returns: false if the primary is to be read instead: there is no standby to be read, or it was lost or promoted before
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

    /// Makes sure that the snapshot of a transaction is a standby's. Call it once the snapshot is taken: a server that still is
    /// a standby then has given it nothing but what its primary wrote.
    package func check(on connection: Connection) async throws {
        guard try await connection.query("SELECT pg_is_in_recovery()").only().get(0) else { throw Promoted() }
    }

    /// Makes sure that the standby has replayed everything up to a location in the write-ahead log. Call it before the snapshot.
    ///
    /// - Returns: whether it has.
    package func hasReplayed(_ bytes: Int64, on connection: Connection) async throws -> Bool {
        try await connection.query(
            "SELECT coalesce((pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint, 0) >= $1",
            [.int8(bytes)]
        ).only().get(0)
    }

    /// The location in the primary's write-ahead log that everything committed by now is before.
    package static func written(by primary: Pool) async throws -> Int64 {
        try await primary.query("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint").only().get(0)
    }

    /// The age of the oldest event that the standby lacks, as it was last seen.
    package var lagSeconds: Double { status.lag?.seconds ?? 0 }
}
