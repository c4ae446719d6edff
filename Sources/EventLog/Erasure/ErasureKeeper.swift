public import Logging
internal import Postgres
public import ServiceLifecycle

/// Finishes erasures that broke off half way, at the start and then every minute.
public struct ErasureKeeper: Service {
    private let erasure: Erasure
    private let logger: Logger

    /// - Parameters:
    ///   - erasure: what to finish.
    ///   - logger: told of what was finished.
    public init(_ erasure: Erasure, logger: Logger) {
        self.erasure = erasure
        self.logger = logger
    }

    /// Looks until the task is cancelled or the service stops.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
            while !Task.isCancelled {
                do {
                    let count = try await erasure.finishPending()
                    if count > 0 { logger.notice("erasures finished", metadata: ["count": "\(count)"]) }
                    backoff.reset()
                    try await ContinuousClock().sleep(for: .seconds(60))
                } catch {
                    guard !Task.isCancelled else { return }
                    logger.warning("erasures could not be finished, trying again", metadata: ["error": "\(error)"])
                    await backoff.wait()
                }
            }
        }
    }
}
