public import Logging
internal import Metrics
internal import Pacing
public import Postgres
internal import Schema
public import ServiceLifecycle
internal import Synchronization

/// Settles the log for its readers: one of the services that share a database does, the others stand by.
///
/// Every position up to the settled position is committed or never will be. A reader that goes no further misses no event,
/// in whatever order transactions commit. See `sql/log/settle.sql`.
public final class Settler: Service {
    private let configuration: ConnectionConfiguration
    private let signal: LogSignal
    private let pollInterval: Duration
    private let leastInterval: Duration
    private let logger: Logger
    /// The incarnation that the signal's position belongs to; nil before the first check.
    private let incarnation = Mutex<String?>(nil)

    /// - Parameters:
    ///   - configuration: the database.
    ///   - signal: wakes the settler when this process stored something, and is told of what is settled.
    ///   - pollInterval: how often to look for what other processes stored.
    ///   - leastInterval: the least time between two rounds, so that a busy log is not settled event by event.
    ///   - logger: told of lost connections.
    public init(
        _ configuration: ConnectionConfiguration,
        signal: LogSignal,
        pollInterval: Duration = .milliseconds(75),
        leastInterval: Duration = .milliseconds(25),
        logger: Logger
    ) {
        self.configuration = configuration.with(
            settings: Self.sessionSettings,
            applicationName: SessionName.settle.rawValue
        )
        self.signal = signal
        self.pollInterval = pollInterval
        self.leastInterval = leastInterval
        self.logger = logger
    }

    /// Settling waits for a stuck append. The append's own timeouts are shorter, but do not end it while its process is frozen
    /// in the middle of a statement.
    private static let sessionSettings = [
        "synchronous_commit": "on", "statement_timeout": "30s", "tcp_user_timeout": "10s",
    ]

    /// How long an append may wait for its process in the middle of a statement.
    private static let longestStall = Duration.seconds(20)

    /// Settles until the service is told to stop.
    public func run() async {
        await cancelWhenGracefulShutdown { await self.keepSettling() }
    }

    private func keepSettling() async {
        var backoff = Backoff()
        var outage = SettlerOutage()
        while !Task.isCancelled {
            do {
                let connection = try await Connection.connect(configuration)
                try await settle(on: connection) { isByOther in
                    // Another service's success says nothing about this login's rights.
                    if isByOther, outage.isLeftToOthers { return }
                    backoff.reset()
                    guard let length = outage.ended() else { return }
                    let seconds = (length / .seconds(1)).rounded(.up)
                    logger.notice("the log is settled again", metadata: ["seconds": "\(Int(seconds))"])
                }
            } catch {
                guard !Task.isCancelled else { return }
                if outage.failed(error) { note(error) }
                await backoff.wait()
            }
        }
    }

    private func note(_ error: any Error) {
        let isDenied = (error as? PostgresError)?.refusal == .permission
        logger.warning(
            isDenied
                ? "this login may not settle the log: GRANT \(Role.projector) to it, or set projections.enabled to false if another service settles. Until then projections and exports get no new events"
                : "the log could not be settled and will be retried: projections and exports get no new events until it succeeds",
            metadata: ["error": "\(error)"]
        )
    }

    /// - Parameter settled: called whenever this session, or another service (true), has settled what there was.
    private func settle(on connection: Connection, _ settled: (_ isByOther: Bool) -> Void) async throws {
        // Before the first round on this connection: a log that moved or was set back gets another incarnation.
        if try await Self.notePlace(on: connection, known: signal.settledPosition, of: incarnation.withLock { $0 }) {
            logger.notice(
                "the log was moved or went back in time and has a new incarnation: exports of what it no longer holds stop until somebody decides how each goes on, see docs/exports.md"
            )
        }
        let duration = Timer(label: "notilog_settle_seconds")
        let clock = ContinuousClock()
        var turn = SettlerTurn()
        var last: Position?
        while true {
            try Task.checkCancellation()
            let start = clock.now
            let log = try await LogPositions.read(on: connection)
            let isSettled = log.settled >= log.drawn || last.map { log.settled > $0 } ?? false
            last = log.settled
            incarnation.withLock { $0 = log.incarnation }
            if log.settled < signal.settledPosition { signal.setBack(to: log.settled) }
            signal.settled(upTo: log.settled)
            guard turn.isMine(log) else {
                if isSettled { settled(true) }
                try await clock.sleep(for: pollInterval)
                continue
            }
            let position: Position
            do {
                position = try await Self.settleOnce(on: connection)
            } catch let error as PostgresError where error.sqlState == SQLState.queryCanceled {
                guard try await endStalledAppends(on: connection) else { throw error }
                continue
            }
            settled(false)
            turn.settled(upTo: position)
            signal.settled(upTo: position)
            duration.record(duration: clock.now - start)
            try await clock.sleep(until: start + leastInterval)
            await signal.waitForAppend(timeout: pollInterval)
        }
    }

    /// Ends appends whose process is frozen in the middle of a statement.
    ///
    /// - Returns: whether there was one.
    private func endStalledAppends(on connection: Connection) async throws -> Bool {
        let ended = try await SessionName.append.endStalled(after: Self.longestStall, on: connection)
        guard ended > 0 else { return false }
        logger.warning(
            "ended appends whose process stopped in the middle of a statement",
            metadata: ["sessions": "\(ended)"]
        )
        return true
    }

    private static func notePlace(
        on connection: Connection,
        known: Position,
        of incarnation: String?
    ) async throws -> Bool {
        try await connection.query(
            "SELECT log.note_place($1, $2::uuid)",
            [.position(known), .text(incarnation)]
        ).only().get(0)
    }

    /// One round. Several services may run it at the same time; locks order the steps that must not overlap.
    static func settleOnce(on connection: Connection) async throws -> Position {
        try await connection.query("CALL log.settle(NULL)").only().get(0)
    }

    /// Settles whatever is committed now: for tests and commands.
    ///
    /// - Returns: the settled position.
    /// - Throws: `PostgresError`.
    @discardableResult
    public static func settleNow(on connection: Connection) async throws -> Position {
        _ = try await notePlace(on: connection, known: .start, of: nil)
        return try await settleOnce(on: connection)
    }
}
