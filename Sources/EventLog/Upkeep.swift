public import Logging
public import Pacing

extension Quarantine {
    /// Removes old items every hour.
    ///
    /// - Parameter logger: receives the number of removed items, and errors.
    public func pruning(logger: Logger) -> Recurring {
        Recurring("delete old quarantine items", every: .pause(.seconds(3600)), logger: logger) {
            Int(try await prune())
        }
    }
}

extension Erasure {
    /// Finishes interrupted erasures every minute.
    ///
    /// - Parameter logger: receives the number of finished erasures, and errors.
    public func finishing(logger: Logger) -> Recurring {
        Recurring("finish erasures", every: .pause(.seconds(60)), logger: logger) {
            try await finishPending(logger: logger)
        }
    }
}
