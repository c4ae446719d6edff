public import EventLog
public import Logging
public import NotificationEvents
public import Postgres
public import Schema

/// Drops what the log has held long enough: whole partitions, by when their events were received, once everybody who
/// reads the log has passed them.
///
/// What a partition held goes into the baseline first, from which a rebuild then begins; its identities are cut; rows and
/// rollups of the projections stay as they are. Each step is a transaction that says how far it came, so that a run that
/// was broken off anywhere is taken up by the next.
public struct Retention: Sendable {
    /// How work is cut.
    public struct Options: Sendable {
        /// The most events in one transaction of a baseline.
        public var batchLimit: Int64
        /// The most identities cut in one transaction.
        public var cutLimit: Int32
        /// How long to try for the moment in which a partition can be dropped.
        public var lockPatience: Duration

        /// - Parameters: as the properties of the same names.
        public init(batchLimit: Int64 = 50_000, cutLimit: Int32 = 10_000, lockPatience: Duration = .seconds(60)) {
            self.batchLimit = batchLimit
            self.cutLimit = cutLimit
            self.lockPatience = lockPatience
        }
    }

    let configuration: ConnectionConfiguration
    let catalogue: ProjectionCatalogue
    let folder: SQLFolder
    let options: Options
    let logger: Logger

    /// - Parameters:
    ///   - configuration: the database, with a role that owns the log.
    ///   - folder: the SQL files of this release.
    ///   - options: how work is cut.
    ///   - logger: told of each partition dropped.
    /// - Throws: `SchemaError` where the projections' files are wrong.
    public init(
        _ configuration: ConnectionConfiguration,
        folder: SQLFolder,
        options: Options = Options(),
        logger: Logger
    ) throws(SchemaError) {
        var settings = ProjectionBatch.sessionSettings
        settings["statement_timeout"] = "0"
        self.configuration = configuration.with(settings: settings, applicationName: "notilog retention")
        self.catalogue = try ProjectionCatalogue(folder: folder)
        self.folder = folder
        self.options = options
        self.logger = logger
    }

    /// What was received before this need not be kept: so long ago by the clock here and by PostgreSQL's, as one of them that
    /// is years ahead would have all of the log dropped.
    ///
    /// - Parameters:
    ///   - keeps: how long events are kept after they were received.
    ///   - now: the clock here, microseconds since 1970.
    /// - Throws: `PostgresError`.
    public func horizon(
        keeping keeps: Duration,
        now: Int64 = Tally.currentMicroseconds()
    ) async throws -> Timestamp {
        let connection = try await Connection.connect(configuration)
        let earlier = try await connection.query("SELECT least($1, clock_timestamp())", [.timestamptz(now)])
            .only().get(0, as: Int64.self)
        await connection.close()
        return Timestamp(microseconds: earlier - keeps.components.seconds * 1_000_000)
    }

    /// The partitions that end at or before the horizon, oldest first, and who holds them back. Changes nothing.
    ///
    /// - Throws: `PostgresError`.
    public func plan(horizon: Timestamp) async throws -> [RetentionStep] {
        let connection = try await Connection.connect(configuration)
        let steps = try await plan(horizon, on: connection)
        await connection.close()
        return steps
    }

    /// Drops the partitions that end at or before the horizon, oldest first.
    ///
    /// - Parameters:
    ///   - horizon: what was received before it need not be kept; the floor of the log, below which nothing is taken any
    ///     more, never lies beyond it.
    ///   - dropped: told of each partition once it is gone.
    /// - Throws: ``RetentionError`` where a partition has to stay; `PostgresError`; what was dropped before stays so.
    public func run(horizon: Timestamp, dropped: (RetentionStep) -> Void = { _ in }) async throws {
        // One at a time.
        guard let lock = try await HeldLock.take("retention", configuration) else { throw RetentionError.busy }
        let result: Result<Void, any Error>
        do {
            let connection = try await Connection.connect(configuration)
            do {
                try await run(horizon, lock, on: connection, dropped)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await connection.close()
        } catch {
            result = .failure(error)
        }
        await lock.release()
        try result.get()
    }

    private func run(
        _ horizon: Timestamp,
        _ lock: HeldLock,
        on connection: Connection,
        _ dropped: (RetentionStep) -> Void
    ) async throws {
        for step in try await plan(horizon, on: connection) {
            try Task.checkCancellation()
            try await lock.check()
            guard step.heldBy.isEmpty else { throw RetentionError.held(step) }
            var step = step
            step.events = try await drop(step, horizon, on: connection)
            logger.info(
                "partition dropped",
                metadata: ["partition": "\(step.partition)", "events": "\(step.events ?? 0)"]
            )
            dropped(step)
        }
    }

    func plan(_ horizon: Timestamp, on connection: Connection) async throws -> [RetentionStep] {
        try await connection.query(
            "SELECT name, from_at, to_at, bytes, held_by FROM log.retention_plan($1, $2)",
            [.timestamptz(horizon.microseconds), .texts(catalogue.groups.map(\.leader))]
        ).map { row in
            RetentionStep(
                partition: try row.get(0),
                from: Timestamp(microseconds: try row.get(1)),
                to: Timestamp(microseconds: try row.get(2)),
                bytes: try row.get(3),
                heldBy: try row.get(4)
            )
        }
    }
}
