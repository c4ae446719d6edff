public import Logging
public import ServiceLifecycle

/// A recurring task: work that a service repeats, at the start, then at an interval, and sooner after a failure.
public struct Recurring: Service {
    /// When the work is due again after a run that succeeded.
    public enum Interval: Sendable {
        /// So long after the end of that run.
        case pause(Duration)
        /// As soon as a clock differs that much from its time at the beginning of that run, ahead or back. A clock that
        /// jumps, or a machine that slept, waits for no timer.
        ///
        /// - `now`: the clock, in microseconds since 1970.
        /// - `check`: how often to read it.
        case clock(Duration, now: @Sendable () -> Int64, check: Duration)
    }

    private let name: String
    private let interval: Interval
    private let retry: @Sendable (any Error) -> Duration?
    private let logger: Logger
    private let work: @Sendable () async throws -> Int

    /// - Parameters:
    ///   - name: the work, as the log names it whether it succeeds or fails, such as `finish erasures`.
    ///   - interval: when to run again.
    ///   - retry: the pause after an error; nil for one that grows from a second to a minute.
    ///   - logger: receives how much was done, and errors.
    ///   - work: does it, and returns how much there was to do.
    public init(
        _ name: String,
        every interval: Interval,
        retry: @escaping @Sendable (any Error) -> Duration? = { _ in nil },
        logger: Logger,
        work: @escaping @Sendable () async throws -> Int
    ) {
        self.name = name
        self.interval = interval
        self.retry = retry
        self.logger = logger
        self.work = work
    }

    /// Repeats the work until the task is cancelled or the service stops.
    public func run() async {
        await cancelWhenGracefulShutdown {
            var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
            while !Task.isCancelled {
                let begun = interval.time
                if let error = await attempt() {
                    try? await ContinuousClock().sleep(for: retry(error) ?? backoff.next())
                } else {
                    backoff.reset()
                    await interval.wait(since: begun)
                }
            }
        }
    }

    /// Does the work once, now. An error is logged.
    public func runOnce() async {
        _ = await attempt()
    }

    private func attempt() async -> (any Error)? {
        do {
            let count = try await work()
            if count > 0 {
                logger.notice("a recurring task did work", metadata: ["task": "\(name)", "count": "\(count)"])
            }
            return nil
        } catch {
            if !Task.isCancelled {
                logger.warning(
                    "a recurring task failed and will be retried: its work is late until it succeeds; fix what the error says",
                    metadata: ["task": "\(name)", "error": "\(error)"]
                )
            }
            return error
        }
    }
}

extension Recurring.Interval {
    /// The time by its clock.
    fileprivate var time: Int64 {
        switch self {
        case .pause: 0
        case .clock(_, let now, _): now()
        }
    }

    /// Waits until the work is due, or the task is cancelled.
    fileprivate func wait(since begun: Int64) async {
        switch self {
        case .pause(let pause): try? await ContinuousClock().sleep(for: pause)
        case .clock(let interval, let now, let check):
            while !Task.isCancelled, .microseconds(abs(now() - begun)) < interval {
                try? await ContinuousClock().sleep(for: check)
            }
        }
    }
}
