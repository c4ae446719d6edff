public import Logging
internal import Postgres
public import ServiceLifecycle

/// Empties the quarantine of what is older than its limit, at the start and then every hour.
public struct QuarantineKeeper: Service {
    private let quarantine: Quarantine
    private let logger: Logger

    /// - Parameters:
    ///   - quarantine: what to keep small.
    ///   - logger: told of what was removed.
    public init(_ quarantine: Quarantine, logger: Logger) {
        self.quarantine = quarantine
        self.logger = logger
    }

    /// Prunes until the task is cancelled or the service stops.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
            while !Task.isCancelled {
                do {
                    let removed = try await quarantine.prune()
                    if removed > 0 {
                        logger.info("old items left quarantine", metadata: ["count": "\(removed)"])
                    }
                    backoff.reset()
                    try await ContinuousClock().sleep(for: .seconds(3600))
                } catch {
                    guard !Task.isCancelled else { return }
                    logger.warning("quarantine could not be pruned, trying again", metadata: ["error": "\(error)"])
                    await backoff.wait()
                }
            }
        }
    }
}
