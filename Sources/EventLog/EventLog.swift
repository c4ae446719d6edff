public import Logging
public import NotificationEvents
public import Pacing
public import Postgres
internal import Schema
public import ServiceLifecycle

/// The append-only log of events in PostgreSQL, as those who write to it see it.
///
/// Appends of many callers are stored together, so that one commit (and one flush of the write-ahead log) carries them
/// all; each caller is answered when the commit that carried its events is on disk.
public final class EventLog: Service {
    /// How events are gathered and written.
    public struct Options: Sendable {
        /// Connections that write, at least 1. Two keep a small machine busy: one commits while the other gathers.
        public var writers: Int
        /// The most events in one commit, except for a single larger submission.
        public var batchEvents: Int
        /// The most events that wait for a writer.
        public var queuedEvents: Int
        /// About the most bytes that wait for a writer.
        public var queuedBytes: Int

        /// - Parameters: as the properties of the same names.
        public init(
            writers: Int = 2,
            batchEvents: Int = 5_000,
            queuedEvents: Int = 50_000,
            queuedBytes: Int = 48 << 20
        ) {
            self.writers = writers
            self.batchEvents = batchEvents
            self.queuedEvents = queuedEvents
            self.queuedBytes = queuedBytes
        }
    }

    private let configuration: ConnectionConfiguration
    private let options: Options
    private let queue: AppendQueue
    private let observer: AppendObserver
    private let logger: Logger

    /// - Parameters:
    ///   - configuration: the database. The writers' sessions set `synchronous_commit` and their timeouts themselves.
    ///   - options: sizes and limits.
    ///   - signal: signals stored events to the ``Settler`` of this process.
    ///   - tally: counts duplicates, which leave no row in the log.
    ///   - now: microseconds since 1970, for the tally.
    ///   - logger: told of lost connections.
    public init(
        _ configuration: ConnectionConfiguration,
        options: Options = Options(),
        signal: LogSignal,
        tally: Tally? = nil,
        now: @escaping @Sendable () -> Int64 = SystemClock.microseconds,
        logger: Logger
    ) {
        self.configuration = configuration.with(
            settings: Self.sessionSettings,
            applicationName: SessionName.append.rawValue
        )
        self.options = options
        self.logger = logger
        queue = AppendQueue(
            .init(
                batchEvents: options.batchEvents,
                queuedEvents: options.queuedEvents,
                queuedBytes: options.queuedBytes
            )
        )
        observer = AppendObserver(signal: signal, tally: tally, now: now)
    }

    /// `synchronous_commit` makes acknowledgements durable. The timeouts end a stuck writer, which would otherwise keep an
    /// epoch open for ever.
    static let sessionSettings = [
        "synchronous_commit": "on",
        "statement_timeout": "20s",
        "lock_timeout": "5s",
        "idle_in_transaction_session_timeout": "5s",
        "tcp_user_timeout": "10s",
        // The planner takes a batch of a few events for cheaper than the ten that it expects of an array, and would plan each anew.
        "plan_cache_mode": "force_generic_plan",
    ]

    /// How long an append may be under way before it is answered.
    public static let longestAppend = Submission.answerTimeout

    /// Stores events, each once.
    ///
    /// - Parameters:
    ///   - events: the events to store; an invalid one does not affect the others.
    ///   - app: whose events they are.
    /// - Returns: what became of each, in their order, after it is on disk.
    /// - Throws: ``AppendError`` where nothing can be acknowledged.
    public nonisolated(nonsending) func append(_ events: [NormalisedEvent], app: AppID) async throws -> [AppendResult] {
        guard !events.isEmpty else { return [] }
        let bytes = Submission.bytes(events)
        return try await withCheckedThrowingContinuation { continuation in
            let submission = Submission(app: app, events: events, bytes: bytes, continuation: continuation)
            if let error = queue.push(submission) { continuation.resume(throwing: error) }
        }
    }

    /// Events that wait for a writer.
    public var queueDepth: Int { queue.depth }

    /// Why PostgreSQL refused the newest events; nil once it stored some, or if none came for a minute.
    public var refusal: PostgresError.Refusal? { observer.refusal }

    /// Writes until the service is told to stop; then accepts no more events, and ends when the accepted ones are answered. If
    /// the task is cancelled, events not stored within five seconds are given up.
    public func run() async {
        let appenders = (0..<options.writers).map { number in
            var logger = logger
            logger[metadataKey: "writer"] = "\(number)"
            return Appender(number, configuration, queue: queue, observer: observer, logger: logger)
        }
        let turningAway = Task { [queue] in
            while (try? await ContinuousClock().sleep(for: .milliseconds(500))) != nil { queue.failLate() }
        }
        defer { turningAway.cancel() }
        await withTaskCancellationOrGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for appender in appenders {
                    // Not the task's child: it ends with its queue, so that accepted events are answered even if the task
                    // is cancelled.
                    let writing = Task { await appender.run() }
                    group.addTask {
                        await withTaskCancellationHandler {
                            await writing.value
                        } onCancel: {
                            Task {
                                try? await ContinuousClock().sleep(for: .seconds(5))
                                appender.giveUp()
                            }
                        }
                    }
                }
            }
        } onCancelOrGracefulShutdown: {
            self.queue.close()
        }
        queue.failAllWaiting(.stopped)
    }
}
