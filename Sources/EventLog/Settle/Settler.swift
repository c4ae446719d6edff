public import Logging
internal import Metrics
public import Postgres
public import ServiceLifecycle

/// Finds how far the log is settled, for everybody who reads it: one of all the services that share a database does, the
/// others stand by.
///
/// Settled means that every position up to there is committed or never will be; a reader that goes no further misses
/// nothing, in whatever order transactions commit. How: `sql/log/settle.sql`.
public final class Settler: Service {
    private let configuration: ConnectionConfiguration
    private let signal: LogSignal
    private let pollInterval: Duration
    private let leastInterval: Duration
    private let logger: Logger

    /// The settlers of one database stand by for each other under this advisory lock ("NOTIsetl" in ASCII).
    static let lockKey: Int64 = 0x4E4F_5449_7365_746C
    /// The channel on which a new settled position is notified.
    public static let channel = "notilog_settled"

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
        self.configuration = configuration.with(settings: Self.sessionSettings, applicationName: "notilog settle")
        self.signal = signal
        self.pollInterval = pollInterval
        self.leastInterval = leastInterval
        self.logger = logger
    }

    /// A stuck append is waited for, but that has timeouts of its own. A settler that stands still, as its process does,
    /// loses its session and so the lock, for another to take over.
    private static let sessionSettings = [
        "synchronous_commit": "on", "jit": "off", "statement_timeout": "60s", "idle_session_timeout": "5s",
        "tcp_user_timeout": "10s",
    ]

    /// Settles until the service is told to stop.
    public func run() async throws {
        await cancelWhenGracefulShutdown { await self.keepSettling() }
    }

    private func keepSettling() async {
        var backoff = Backoff()
        while !Task.isCancelled {
            do {
                // The lock lives and dies with this connection, which nobody else uses.
                let connection = try await Connection.connect(configuration)
                backoff.reset()
                try await settle(on: connection)
            } catch {
                guard !Task.isCancelled else { return }
                logger.warning("settling failed, trying again", metadata: ["error": "\(error)"])
                await backoff.wait()
            }
        }
    }

    private func settle(on connection: Connection) async throws {
        while try await !Self.tryLock(connection) {
            // Another settler is at work: hear from it how far the log is settled.
            let position = try await Self.settledPosition(on: connection)
            if position < signal.settledPosition { signal.setBack(to: position) }
            signal.settled(upTo: position)
            try await ContinuousClock().sleep(for: pollInterval)
        }
        // Before the first round on this connection: a log that moved, or was set back, is another one to its readers.
        if try await Self.notePlace(on: connection, known: signal.settledPosition) {
            logger.notice("the log has moved or was set back: it is a new incarnation")
            signal.setBack(to: try await Self.settledPosition(on: connection))
        }
        let duration = Timer(label: "notilog_settle_seconds")
        let clock = ContinuousClock()
        while true {
            let start = clock.now
            let position = try await Self.settleOnce(on: connection)
            signal.settled(upTo: position)
            let took = (clock.now - start).components
            duration.recordNanoseconds(took.seconds * 1_000_000_000 + took.attoseconds / 1_000_000_000)
            try await clock.sleep(until: start + leastInterval)
            await signal.waitForAppend(timeout: pollInterval)
            try Task.checkCancellation()
        }
    }

    private static func tryLock(_ connection: Connection) async throws -> Bool {
        try await connection.query("SELECT pg_try_advisory_lock($1)", [.int8(lockKey)]).only().get(0)
    }

    private static func notePlace(on connection: Connection, known: Int64) async throws -> Bool {
        try await connection.query("SELECT log.note_place($1)", [.int8(known)]).only().get(0)
    }

    /// One round, for whoever holds the lock or is alone with the database.
    static func settleOnce(on connection: Connection) async throws -> Int64 {
        try await connection.query("CALL log.settle(NULL)").only().get(0)
    }

    /// How far the log is settled, as the last round left it.
    ///
    /// - Throws: `PostgresError`.
    public static func settledPosition(on connection: Connection) async throws -> Int64 {
        try await connection.query("SELECT settled_position FROM log.state").only().get(0)
    }

    /// Settles whatever is committed now, waiting for another settler's round if one is under way: for tests and commands.
    ///
    /// - Returns: the settled position.
    /// - Throws: `PostgresError`.
    @discardableResult
    public static func settleNow(on connection: Connection) async throws -> Int64 {
        let drawn: Int64 = try await connection.query(
            "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM log.position"
        ).only().get(0)
        while true {
            if try await tryLock(connection) {
                let result: Result<Int64, any Error>
                do {
                    _ = try await notePlace(on: connection, known: 0)
                    result = .success(try await settleOnce(on: connection))
                } catch {
                    result = .failure(error)
                }
                await connection.finish("SELECT pg_advisory_unlock($1)", [.int8(lockKey)])
                return try result.get()
            }
            let settled = try await settledPosition(on: connection)
            if settled >= drawn { return settled }
            try await ContinuousClock().sleep(for: .milliseconds(10))
        }
    }
}
