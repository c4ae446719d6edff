internal import Pacing
public import Postgres

/// Takes devices out of the store for good: their ids, token digests, notification ids and personal data, from the log and
/// all that was made from it. Counts stay as they were.
///
/// How, and what stays: `docs/erasure.md` and `sql/log/erasure_finish.sql`.
public struct Erasure: Sendable {
    /// What an erasure did.
    public struct Report: Sendable, Equatable {
        /// The position of the event that records it.
        public var position: Position
        /// Events of the device that were changed; 0 where it was erased before, or never heard of.
        public var events: Int64
    }

    static let patience = Duration.seconds(300)
    static let patienceForBatches = Duration.seconds(30)

    let configuration: ConnectionConfiguration

    /// - Parameter configuration: the database, as a role that may call the log's erasure functions.
    public init(_ configuration: ConnectionConfiguration) {
        self.configuration = configuration.with(
            settings: ["statement_timeout": "3600s", "lock_timeout": "60s", "jit": "off"],
            applicationName: "notilog erase"
        )
    }

    /// Erases a device: refuses it first, waits for earlier appends, then changes its rows in one transaction. If this is
    /// interrupted, the device is already refused, and ``finishPending()`` does the rest.
    ///
    /// An unknown device is refused from then on too: it may be offline.
    ///
    /// - Parameters:
    ///   - device: its id as the log has it.
    ///   - app: whose it is.
    /// - Throws: `PostgresError`.
    public func erase(_ device: String, app: AppID) async throws -> Report {
        try await withConnection { connection in
            try await retrying(for: Self.patience) {
                try await connection.query("SELECT log.erasure_begin($1, $2)", [.app(app), .text(device)])
            }
            return try await finish(device, app: app, on: connection)
        }
    }

    /// Finishes erasures that were begun and broke off. One that fails keeps none behind it waiting.
    ///
    /// - Returns: how many.
    /// - Throws: `PostgresError`, the first, when all have been tried.
    @discardableResult
    public func finishPending() async throws -> Int {
        try await withConnection { connection in
            let pending = try await connection.query("SELECT app_id, device_id FROM log.erasure_pending")
            var failure: PostgresError?
            for row in pending {
                do {
                    _ = try await finish(try row.get(1), app: try row.get(0), on: connection)
                } catch let error as PostgresError where !error.isConnectionFailure {
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
            return pending.count
        }
    }

    func finish(_ device: String, app: AppID, on connection: Connection) async throws -> Report {
        try await retrying(for: Self.patience) { try await connection.query("CALL log.drain_appends()") }
        try await waitUntilReady(device, app: app, on: connection)
        return try await retrying(for: Self.patience) {
            let row = try await connection.query(
                "SELECT position, events FROM log.erasure_finish($1, $2)",
                [.app(app), .text(device)]
            ).only()
            return Report(position: try row.get(0), events: try row.get(1))
        }
    }

    /// Waits for a while until the versions in use have applied a device of many events: then its erasure keeps their batches
    /// waiting for a short part of its work alone.
    private func waitUntilReady(_ device: String, app: AppID, on connection: Connection) async throws {
        let deadline = ContinuousClock.now + Self.patienceForBatches
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
        let connection = try await Connection.connect(configuration)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(connection))
        } catch {
            result = .failure(error)
        }
        await connection.close()
        return try result.get()
    }
}
