public import Logging
internal import Postgres
public import ServiceLifecycle

/// Upkeep that a service does by itself: at the start, then at an interval, and sooner where it failed.
public struct Recurring: Service {
    private let done: Logger.Message
    private let interval: Duration
    private let logger: Logger
    private let work: @Sendable () async throws -> Int

    /// - Parameters:
    ///   - done: what is said where something was done, such as `erasures finished`.
    ///   - interval: from the end of one time to the next.
    ///   - logger: told how much was done, and why it failed.
    ///   - work: does it, and returns how much there was to do.
    public init(
        _ done: Logger.Message,
        every interval: Duration,
        logger: Logger,
        work: @escaping @Sendable () async throws -> Int
    ) {
        self.done = done
        self.interval = interval
        self.logger = logger
        self.work = work
    }

    /// Goes on until the task is cancelled or the service stops.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
            while !Task.isCancelled {
                do {
                    let count = try await work()
                    if count > 0 { logger.notice(done, metadata: ["count": "\(count)"]) }
                    backoff.reset()
                    try await ContinuousClock().sleep(for: interval)
                } catch {
                    guard !Task.isCancelled else { return }
                    logger.warning("upkeep failed, trying again", metadata: ["task": "\(done)", "error": "\(error)"])
                    await backoff.wait()
                }
            }
        }
    }
}
