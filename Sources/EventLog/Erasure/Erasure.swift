public import Logging
internal import Pacing
public import Postgres
internal import Schema

/// Takes devices out of the store for good: their ids, token digests, notification ids and personal data, from the log and
/// all that was made from it. Counts stay as they were.
///
/// How, and what stays: `docs/erasure.md` and `sql/log/erasure_finish.sql`.
public struct Erasure: Sendable {
    /// What an erasure did.
    public struct Report: Sendable, Equatable {
        /// The position of the event that records it.
        public var position: Position
        /// Events of the device that were changed, by whichever process; 0 if it was erased before or is unknown.
        public var events: Int64
    }

    /// How long an erasure waits for other transactions: in all, and for versions to apply a device with many events.
    struct Timeouts: Sendable {
        let all: Duration
        let batches: Duration

        static let requested = Timeouts(all: .seconds(300), batches: .seconds(30))
        /// For an erasure that broke off: it is tried again every minute.
        static let retry = Timeouts(all: .seconds(10), batches: .seconds(5))
    }

    static let timeout = Timeouts.requested.all

    let configuration: ConnectionConfiguration
    /// The most apps at a time whose interrupted erasures ``finishPending(logger:)`` finishes, each on a session of its own.
    public static let finishedAtATime = 2
    /// The app whose last turn is longest ago goes first.
    private let finishing = Turns<AppID>(limit: Self.finishedAtATime)

    /// - Parameter configuration: the database, as a role that may call the log's erasure functions.
    public init(_ configuration: ConnectionConfiguration) {
        self.configuration = configuration.with(
            settings: ["statement_timeout": "3600s", "lock_timeout": "60s"],
            applicationName: SessionName.erase.rawValue
        )
    }

    /// Erases a device: refuses it first, waits for earlier appends, refuses the tokens that they stored too, then changes its rows in one
    /// transaction. If this is interrupted, the device is already refused, and ``finishPending(logger:)`` does the rest.
    ///
    /// An unknown device is refused from then on too: it may be offline.
    ///
    /// - Parameters:
    ///   - device: its id as the log has it.
    ///   - app: whose it is.
    /// - Throws: `PostgresError`.
    public func erase(_ device: String, app: AppID) async throws -> Report {
        try await erase(device, app: app, hasBegun: {})
    }

    /// - Parameter hasBegun: called once the device is refused.
    func erase(_ device: String, app: AppID, hasBegun: @Sendable () async throws -> Void) async throws -> Report {
        try await withConnection { connection in
            let earlier = try await recorded(device, app: app, on: connection)
            try await begin(device, app: app, on: connection)
            try await hasBegun()
            let report = try await finish(device, app: app, on: connection)
            return try await counting(report, of: device, app: app, since: earlier, on: connection)
        }
    }

    /// The last erasure of a device that has ended.
    struct Recorded: Sendable {
        /// The position of the event that records it; `nil` if there was none.
        var position: Position?
        /// Events that it changed; `nil` too if retention has dropped that event.
        var events: Int64?
    }

    func recorded(_ device: String, app: AppID, on connection: Connection) async throws -> Recorded {
        try await retrying(for: Self.timeout) {
            let row = try await connection.query(
                "SELECT position, events FROM log.erasure_recorded($1, $2)",
                [.app(app), .text(device)]
            ).only()
            return Recorded(position: try row.get(0), events: try row.get(1))
        }
    }

    /// The report of an erasure, which counts what ``finishPending(logger:)`` has changed of it: that may have been quicker,
    /// and has left nothing to change.
    ///
    /// - Parameter earlier: what was recorded before it began.
    func counting(
        _ report: Report,
        of device: String,
        app: AppID,
        since earlier: Recorded,
        on connection: Connection
    ) async throws -> Report {
        guard report.events == 0 else { return report }
        let last = try await recorded(device, app: app, on: connection)
        guard last.position != earlier.position else { return report }
        return Report(position: report.position, events: last.events ?? 0)
    }

    /// What a device has, in a cell of several.
    struct Belongings: Sendable {
        /// Digests of tokens that belong to it alone.
        var tokens: [[UInt8]] = []
        /// What it named, such as notifications.
        var names: [String] = []
    }

    /// Refuses a device, and tokens that belong to it alone, as the first step of its erasure.
    ///
    /// - Parameters:
    ///   - held: tokens that devices of other cells hold.
    ///   - known: what the device has in its own cell.
    ///   - isTold: whether every other cell knows of the erasure.
    /// - Returns: what it has.
    @discardableResult
    func begin(
        _ device: String,
        app: AppID,
        held: [[UInt8]] = [],
        known: Belongings = Belongings(),
        isTold: Bool = true,
        on connection: Connection
    ) async throws -> Belongings {
        try await retrying(for: Self.timeout) {
            let row = try await connection.query(
                "SELECT tokens, names FROM log.erasure_begin($1, $2, $3, $4, $5, $6)",
                [
                    .app(app), .text(device), .byteas(held), .byteas(known.tokens), .texts(known.names),
                    .bool(isTold),
                ]
            ).only()
            return Belongings(tokens: try row.get(0), names: try row.get(1))
        }
    }

    /// Erases a device under several ids that the log may have it under.
    ///
    /// - Returns: the events of all, and the position of the last event that records an erasure.
    /// - Throws: `PostgresError`.
    public func erase(_ ids: [String], app: AppID) async throws -> Report {
        var report = Report(position: .start, events: 0)
        for id in ids {
            let one = try await erase(id, app: app)
            report = Report(position: one.position, events: report.events + one.events)
        }
        return report
    }

    /// Records that a device is to be erased. If nothing has erased it by its next run, ``finishPending(logger:)`` does.
    ///
    /// - Throws: `PostgresError`.
    public func note(_ device: String, app: AppID) async throws {
        try await withConnection { connection in
            _ = try await connection.query("SELECT log.erasure_note($1, $2)", [.app(app), .text(device)])
        }
    }

    /// Finishes erasures that broke off or were only recorded. Apps take turns, two at a time: a single app with slow or
    /// failing erasures does not delay the others.
    ///
    /// - Parameter logger: logs the sessions that were ended for it.
    /// - Returns: how many.
    /// - Throws: the first `PostgresError`, after all erasures were tried.
    @discardableResult
    public func finishPending(logger: Logger? = nil) async throws -> Int {
        let pending = try await withConnection { connection in
            try await connection.query("SELECT * FROM log.erasures_pending($1)", [.int4(Self.pendingAtATime)])
                .map { (app: try $0.get(0, as: AppID.self), device: try $0.get(1, as: String.self)) }
        }
        return try await withThrowingTaskGroup(of: PostgresError?.self) { group in
            for (app, device) in pending {
                group.addTask {
                    do {
                        try await finishing.take(app) { try await finishPending(device, app: app) }
                        return nil
                    } catch let error as PostgresError {
                        return error
                    }
                }
            }
            var failures: [PostgresError] = []
            for try await error in group { error.map { failures.append($0) } }
            guard let first = failures.first else { return pending.count }
            // If it fails too, it is tried again with the erasures, a minute later.
            if failures.contains(where: { $0.sqlState == SQLState.lockNotAvailable }) {
                try? await endStalledBuilds(logger)
            }
            throw first
        }
    }

    private static let pendingAtATime: Int32 = 1000

    /// Ends frozen batches of versions under construction and of baselines, for example of a process that was stopped at a
    /// terminal. Erasures wait for such batches.
    private func endStalledBuilds(_ logger: Logger?) async throws {
        try await withConnection { connection in
            for sessions in [SessionName.rebuild, .verify, .retention] {
                let ended = try await sessions.endStalled(after: Self.longestStall, on: connection)
                guard ended > 0 else { continue }
                logger?.warning(
                    "ended sessions whose process stopped in the middle of a statement, as erasures waited for them: run the command again",
                    metadata: ["sessions": "\(ended)", "command": "\(sessions.rawValue)"]
                )
            }
        }
    }

    /// How long a batch of a version under construction, or of a baseline, may wait for its process.
    private static let longestStall = Duration.seconds(10)

    private func finishPending(_ device: String, app: AppID) async throws {
        try await withConnection { connection in
            // An erasure that was only recorded has not begun.
            try await retrying(for: Timeouts.retry.all) {
                try await connection.query("SELECT log.erasure_begin($1, $2)", [.app(app), .text(device)])
            }
            _ = try await finish(device, app: app, timeouts: .retry, on: connection)
        }
    }

    /// Changes the rows of a device that is refused already.
    ///
    /// - Parameter addsTokens: whether tokens that were stored as the erasure began are refused now; false if they are.
    func finish(
        _ device: String,
        app: AppID,
        addsTokens: Bool = true,
        timeouts: Timeouts = .requested,
        on connection: Connection
    ) async throws -> Report {
        try await drainAppends(timeouts, on: connection)
        if addsTokens {
            let added: Int64 = try await retrying(for: timeouts.all) {
                try await connection.query("SELECT log.erasure_add_tokens($1, $2)", [.app(app), .text(device)])
                    .only().get(0)
            }
            if added > 0 { try await drainAppends(timeouts, on: connection) }
        }
        try await waitUntilReady(device, app: app, timeouts.batches, on: connection)
        return try await retrying(for: timeouts.all) {
            let row = try await connection.query(
                "SELECT position, events FROM log.erasure_finish($1, $2)",
                [.app(app), .text(device)]
            ).only()
            return Report(position: try row.get(0, as: Position?.self) ?? .start, events: try row.get(1))
        }
    }

    /// Waits for the appends under way: what the ledger has by now is refused to all others.
    func drainAppends(_ timeouts: Timeouts = .requested, on connection: Connection) async throws {
        try await retrying(for: timeouts.all) { try await connection.query("CALL log.drain_appends()") }
    }

    /// Waits for a while until the versions in use have applied a device with many events. After that, the erasure blocks their
    /// batches only for a short part of its work.
    private func waitUntilReady(
        _ device: String,
        app: AppID,
        _ timeout: Duration,
        on connection: Connection
    ) async throws {
        let deadline = ContinuousClock.now + timeout
        var backoff = Backoff()
        while ContinuousClock.now < deadline {
            let isReady: Bool = try await connection.query(
                "SELECT log.erasure_is_ready($1, $2)",
                [.app(app), .text(device)]
            ).only().get(0)
            if isReady { return }
            try await ContinuousClock().sleep(for: backoff.next())
        }
    }

    func withConnection<Value: Sendable>(_ body: (Connection) async throws -> Value) async throws -> Value {
        try await Connection.with(configuration, body)
    }
}
