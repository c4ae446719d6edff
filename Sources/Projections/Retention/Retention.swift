public import Logging
public import NotificationEvents
public import Pacing
public import Postgres
public import Schema

/// Drops whole partitions of the log that are older than the horizon, by `received_at`, once every reader of the log has
/// passed them.
///
/// First the events are merged into the baseline, from which rebuilds begin; then their identities are deleted. Rows and
/// rollups of the projections stay. Each step is a transaction that records its progress, so the next run resumes an
/// interrupted one.
public struct Retention: Sendable {
    /// The sizes of steps.
    public struct Options: Sendable {
        /// The most events in one transaction of a baseline.
        public var batchLimit: Int64
        /// The most identities deleted in one transaction.
        public var cutLimit: Int32
        /// How long to try to lock a partition for its drop.
        public var lockTimeout: Duration

        /// - Parameters: as the properties of the same names.
        public init(batchLimit: Int64 = 50_000, cutLimit: Int32 = 10_000, lockTimeout: Duration = .seconds(60)) {
            self.batchLimit = batchLimit
            self.cutLimit = cutLimit
            self.lockTimeout = lockTimeout
        }
    }

    let configuration: ConnectionConfiguration
    let catalogue: ProjectionCatalogue
    let folder: ReleaseFolder
    let options: Options
    let logger: Logger
    /// What the tables of each group come to in this release, by its leader. Read as this is made: the next release may replace the files
    /// while this one runs.
    let definitions: [String: String]
    /// The number of this release's newest migration.
    let newestMigration: Int32
    /// Told how many of the groups of projections have taken a partition's events into their baseline, which is what takes long.
    public var onProgress: @Sendable (RetentionStep, _ done: Int, _ of: Int) -> Void = { _, _, _ in }

    /// - Parameters:
    ///   - configuration: the database, with a role that owns the log.
    ///   - folder: the SQL files of this release.
    ///   - options: the sizes of steps.
    ///   - logger: logs each partition dropped.
    /// - Throws: `SchemaError` if the projections' files are invalid.
    public init(
        _ configuration: ConnectionConfiguration,
        folder: ReleaseFolder,
        options: Options = Options(),
        logger: Logger
    ) throws(SchemaError) {
        var settings = ProjectionBatch.sessionSettings
        settings["statement_timeout"] = "0"
        self.configuration = configuration.with(
            settings: settings,
            applicationName: SessionName.retention.rawValue
        )
        let catalogue = try ProjectionCatalogue(folder: folder)
        var definitions: [String: String] = [:]
        for group in catalogue.groups {
            definitions[group.leader] = try ProjectionFiles(group, in: folder).tablesDefinition
        }
        self.catalogue = catalogue
        self.definitions = definitions
        newestMigration = folder.list("migrations").compactMap { Int32($0.prefix { $0 != "_" }) }.max() ?? 0
        self.folder = folder
        self.options = options
        self.logger = logger
    }

    /// The horizon: events received before it may be dropped. It uses the earlier of this clock and PostgreSQL's, because a
    /// clock that is years ahead would drop the whole log.
    ///
    /// - Parameters:
    ///   - keeps: how long events are kept after their receipt.
    ///   - now: the clock of this process, microseconds since 1970.
    /// - Throws: `PostgresError`.
    public func horizon(
        keeping keeps: Duration,
        now: Int64 = SystemClock.microseconds()
    ) async throws -> Timestamp {
        let earlier = try await Connection.with(configuration) { connection in
            try await connection.query("SELECT least($1, clock_timestamp())", [.timestamptz(now)])
                .only().get(0, as: Int64.self)
        }
        return Timestamp(microseconds: earlier - keeps.components.seconds * 1_000_000)
    }

    /// The partitions that end at or before the horizon, oldest first, and the readers that hold them. Changes nothing.
    ///
    /// - Throws: `PostgresError`.
    public func plan(horizon: Timestamp) async throws -> [RetentionStep] {
        try await Connection.with(configuration) { try await plan(horizon, on: $0) }
    }

    /// Drops the partitions that end at or before the horizon, oldest first.
    ///
    /// - Parameters:
    ///   - horizon: events received before it may be dropped; the floor of the log, below which events are rejected, never
    ///     lies beyond it.
    ///   - dropped: called for each partition that was dropped.
    /// - Throws: ``RetentionError`` if a partition has to stay; `PostgresError`; partitions dropped before stay dropped.
    public func run(horizon: Timestamp, dropped: (RetentionStep) -> Void = { _ in }) async throws {
        // One at a time.
        guard let lock = try await HeldLock.take("retention", configuration) else { throw RetentionError.busy }
        try await deferring({ await lock.release() }) {
            try await Connection.with(configuration) { try await run(horizon, lock, on: $0, dropped) }
        }
    }

    private func run(
        _ horizon: Timestamp,
        _ lock: HeldLock,
        on connection: Connection,
        _ dropped: (RetentionStep) -> Void
    ) async throws {
        for leader in try await ProjectionBuild.discardAbandoned(on: connection) {
            logger.info(
                "the version of a verification that was interrupted is discarded",
                metadata: ["projection": "\(leader)"]
            )
        }
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
