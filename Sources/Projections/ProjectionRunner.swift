public import EventLog
public import Logging
internal import Metrics
internal import Pacing
public import Postgres
public import Schema
public import ServiceLifecycle

/// Applies settled events to every projection, continuously.
///
/// Of any number of services, one at a time applies a lane of a group of projections. When it dies, its lock ends with its
/// transaction, and another service continues from the checkpoint.
public final class ProjectionRunner: Service {
    /// How batches are cut.
    public struct Options: Sendable {
        /// The most positions in one transaction.
        public var batchLimit: Int64
        /// The most positions in the first transaction, before it is known how long they take.
        public var firstBatch: Int64
        /// How often to poll without a signal.
        public var pollInterval: Duration
        /// The time limit of a transaction with the full number of positions. A batch that exceeds it is narrowed to find the
        /// event at fault. Smaller batches get less, but at least ``eventTimeLimit``.
        public var timeLimit: Duration
        /// The least time limit of a transaction, whatever its size.
        public var eventTimeLimit: Duration

        /// - Parameters: as the properties of the same names.
        public init(
            batchLimit: Int64 = 20_000,
            firstBatch: Int64 = 1_000,
            pollInterval: Duration = .milliseconds(250),
            timeLimit: Duration = .seconds(60),
            eventTimeLimit: Duration = .seconds(5)
        ) {
            self.batchLimit = batchLimit
            self.firstBatch = firstBatch
            self.pollInterval = pollInterval
            self.timeLimit = timeLimit
            self.eventTimeLimit = eventTimeLimit
        }
    }

    /// The projections that it applies.
    public let catalogue: ProjectionCatalogue
    private let configuration: ConnectionConfiguration
    private let signal: LogSignal
    private let options: Options
    private let logger: Logger

    /// - Parameters:
    ///   - configuration: the database.
    ///   - catalogue: the projections to apply.
    ///   - signal: signals settled positions.
    ///   - options: how batches are cut.
    ///   - logger: logs failures.
    public init(
        _ configuration: ConnectionConfiguration,
        catalogue: ProjectionCatalogue,
        signal: LogSignal,
        options: Options = Options(),
        logger: Logger
    ) {
        self.configuration = configuration.with(
            settings: ProjectionBatch.sessionSettings,
            applicationName: SessionName.projections.rawValue
        )
        self.catalogue = catalogue
        self.signal = signal
        self.options = options
        self.logger = logger
    }

    /// Applies events until the service is told to stop; a batch under way is then cancelled and rolled back.
    public func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for projections in self.catalogue.groups {
                    group.addTask { await self.keepApplying(projections) }
                }
            }
        }
    }

    /// Applies one version of a group after another: all lanes of each.
    private func keepApplying(_ group: ProjectionGroup) async {
        var backoff = Backoff(first: .milliseconds(100), longest: .seconds(10))
        while !Task.isCancelled {
            do {
                let connection = try await Connection.connect(configuration)
                let lanes = try await ProjectionLanes(of: group, on: connection)
                await connection.close()
                backoff.reset()
                await withDiscardingTaskGroup { tasks in
                    for lane in 0..<lanes.count {
                        tasks.addTask { await self.keepApplying(group, lane: lane, lanes.version) }
                    }
                }
            } catch {
                guard !Task.isCancelled else { return }
                logger.error(
                    "a projection cannot start and will be retried: reports that read it go stale until its lanes can be read",
                    metadata: ["projection": "\(group.leader)", "error": "\(error)"]
                )
                await backoff.wait()
            }
        }
    }

    /// Applies a lane until another version is in use.
    private func keepApplying(_ group: ProjectionGroup, lane: Int16, _ version: Int64) async {
        var logger = logger
        logger[metadataKey: "projection"] = "\(group.leader)"
        logger[metadataKey: "lane"] = "\(lane)"
        var backoff = Backoff(first: .milliseconds(100), longest: .seconds(10))
        var stepper = stepper(group, lane: lane, version, logger)
        while !Task.isCancelled {
            do {
                let connection = try await Connection.connect(configuration)
                try await apply(&stepper, on: connection) { backoff.reset() }
                // Another version is in use now, maybe of another number of lanes.
                await connection.close()
                return
            } catch {
                guard !Task.isCancelled else { return }
                logger.error(
                    "a batch failed and will be retried: reports that read the projection go stale until it succeeds",
                    metadata: ["error": "\(error)"]
                )
                Counter(label: "notilog_projection_failures_total", dimensions: [("projection", group.leader)])
                    .increment()
                stepper.shrink(after: error)
                await record(error, of: stepper.batch)
                await backoff.wait()
            }
        }
    }

    private func stepper(
        _ group: ProjectionGroup,
        lane: Int16,
        _ version: Int64,
        _ logger: Logger
    ) -> ProjectionStepper {
        ProjectionStepper(
            ProjectionBatch(group: group, lane: lane),
            batchLimit: options.batchLimit,
            firstBatch: options.firstBatch,
            timeLimits: (options.timeLimit, options.eventTimeLimit),
            version: version,
            logger: logger
        )
    }

    /// Applies events until another version is in use.
    private func apply(
        _ stepper: inout ProjectionStepper,
        on connection: Connection,
        succeeded: () -> Void
    ) async throws {
        let group = stepper.batch.group
        let dimensions = [("projection", group.leader), ("lane", "\(stepper.batch.lane)")]
        let position = Gauge(label: "notilog_projection_position", dimensions: dimensions)
        let duration = Timer(label: "notilog_projection_batch_seconds", dimensions: dimensions)
        let clock = ContinuousClock()
        var free = clock.now  // when another service was last seen not to hold the lane
        while !Task.isCancelled {
            let start = clock.now
            switch try await stepper.step(on: connection) {
            case .applied(_, let to, let left):
                free = clock.now
                duration.record(duration: free - start)
                position.record(to)
                succeeded()
                if left != .nothing { continue }
                try await clock.sleep(until: start + Self.period)
                await signal.waitForSettled(beyond: Position(rawValue: to), timeout: options.pollInterval)
            case .idle(let at):
                position.record(at)
                free = clock.now
                if signal.settledPosition.rawValue > at {
                    // It waits for another projection, which sends no signal.
                    try await clock.sleep(for: .milliseconds(20))
                } else {
                    await signal.waitForSettled(beyond: Position(rawValue: at), timeout: options.pollInterval)
                }
            case .narrowed, .setAside:
                free = clock.now
                continue
            case .replaced:
                return
            case .busy:
                if clock.now - free > Self.longestStall {
                    try await endStalledBatches(on: connection)
                    free = clock.now
                }
                try await clock.sleep(for: options.pollInterval)
                continue
            case .paused:
                try await clock.sleep(for: options.pollInterval)
            }
        }
    }

    /// How long a batch of another service may wait for its process in the middle of a statement.
    static let longestStall = Duration.seconds(10)

    /// Ends batches whose process is frozen in the middle of a statement.
    private func endStalledBatches(on connection: Connection) async throws {
        let ended = try await SessionName.projections.endStalled(after: Self.longestStall, on: connection)
        guard ended > 0 else { return }
        logger.warning(
            "ended batches whose process stopped in the middle of a statement",
            metadata: ["sessions": "\(ended)"]
        )
    }

    /// The least time from the beginning of a batch that applied every settled event to that of the next.
    ///
    /// A batch of any size takes the database some tens of milliseconds, and a row that many of its events change is written
    /// once. So events are gathered for a while, and a trickle of them does not keep a core busy.
    static let period = Duration.milliseconds(400)

    private func record(_ error: any Error, of batch: ProjectionBatch) async {
        if let error = error as? PostgresError, error.isRetriable { return }
        do {
            let connection = try await Connection.connect(configuration)
            try await batch.record(failure: "\(error)", on: connection)
            await connection.close()
        } catch {
            logger.warning(
                "a failure could not be recorded: `notilog projections list` does not show it, the line before does",
                metadata: ["error": "\(error)"]
            )
        }
    }
}

extension ProjectionRunner {
    /// Settles the log and applies every projection up to the settled position, once: for tests. A service calls ``run()``.
    ///
    /// - Returns: the position that all projections have reached.
    /// - Throws: `PostgresError`, the first failure that holds a group.
    @discardableResult
    public func catchUp() async throws -> Int64 {
        let settling = try await Connection.connect(configuration.with(settings: ["search_path": "pg_catalog"]))
        let settled = try await Settler.settleNow(on: settling).rawValue
        await settling.close()
        var connection = try await Connection.connect(configuration)
        for group in catalogue.groups {
            let lanes = try await ProjectionLanes(of: group, on: connection)
            for lane in 0..<lanes.count {
                var stepper = stepper(group, lane: lane, lanes.version, logger)
                try await catchUp(&stepper, to: settled, on: &connection)
            }
        }
        await connection.close()
        return settled
    }

    private func catchUp(
        _ stepper: inout ProjectionStepper,
        to settled: Int64,
        on connection: inout Connection
    ) async throws {
        while true {
            do {
                switch try await stepper.step(on: connection) {
                case .applied(_, let to, left: .nothing) where to >= settled: return
                case .applied, .narrowed, .setAside: continue
                case .idle(let at) where at >= settled: return
                case .paused, .replaced: return
                case .idle, .busy:
                    // A running service applies it.
                    try await ContinuousClock().sleep(for: .milliseconds(10))
                }
            } catch let error as PostgresError where error.isFoldedTooLong {
                guard stepper.shrink(after: error) else { throw error }
                await connection.close()
                connection = try await Connection.connect(configuration)
            }
        }
    }
}
