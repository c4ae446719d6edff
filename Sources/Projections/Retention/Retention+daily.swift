public import EventLog
public import Logging
internal import Postgres
public import ServiceLifecycle

/// Runs ``Retention`` once a day.
public struct RetentionService: Service {
    private let retention: Retention
    private let keeps: Duration
    private let now: @Sendable () -> Int64
    private let checkInterval: Duration
    private let logger: Logger

    private static let day: Int64 = 86_400_000_000
    private static let hour: Int64 = 3_600_000_000

    /// - Parameters:
    ///   - retention: the retention to run.
    ///   - keeps: how long events are kept after their receipt.
    ///   - now: the clock that stamps `received_at`, microseconds since 1970.
    ///   - checkInterval: how often to check the clock.
    ///   - logger: logs why a run stopped.
    public init(
        _ retention: Retention,
        keeps: Duration,
        now: @escaping @Sendable () -> Int64 = Tally.currentMicroseconds,
        checkInterval: Duration = .seconds(60),
        logger: Logger
    ) {
        self.retention = retention
        self.keeps = keeps
        self.now = now
        self.checkInterval = checkInterval
        self.logger = logger
    }

    /// Runs at the start and then every day, or in an hour after a run that found tables in use, until the task is cancelled
    /// or the service stops. A run under way is then cancelled; the next run resumes it.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var ranAt: Int64?
            while !Task.isCancelled {
                let time = now()
                if ranAt.map({ abs(time - $0) >= Self.day }) ?? true {
                    // If an open transaction was in the way, again in an hour.
                    ranAt = await run(at: time) ? time : time - Self.day + Self.hour
                }
                try? await ContinuousClock().sleep(for: checkInterval)
            }
        }
    }

    /// - Returns: false if open transactions were in the way.
    private func run(at time: Int64) async -> Bool {
        do {
            try await retention.run(horizon: try await retention.horizon(keeping: keeps, now: time))
        } catch {
            guard !Task.isCancelled, (error as? RetentionError)?.isBusy != true else { return true }
            let isInUse =
                (error as? RetentionError)?.isLocked == true || (error as? PostgresError)?.isContention == true
            logger.warning(
                "retention stopped and will be retried \(isInUse ? "in an hour" : "tomorrow")",
                metadata: ["error": "\(error)"]
            )
            return !isInUse
        }
        return true
    }
}
