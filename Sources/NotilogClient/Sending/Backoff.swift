public import Foundation

extension Notilog {
    /// The wait before the next attempt. It is an exponential backoff with full jitter, so that devices that failed
    /// together do not return together.
    public struct Backoff: Sendable, Hashable {
        /// The maximum of the first wait, in seconds.
        public var base: TimeInterval
        /// The maximum of any wait, in seconds, unless the service asked for more.
        public var limit: TimeInterval

        /// Creates a backoff. By default, the first wait is up to 1 s, and any wait up to 10 minutes.
        public init(base: TimeInterval = 1, limit: TimeInterval = 600) {
            self.base = base
            self.limit = limit
        }

        /// The wait after a number of failures in a row.
        ///
        /// - Parameters:
        ///   - failures: the number of failures, from 1.
        ///   - retryAfter: the wait that the service asked for, in seconds. The result is at least this long, plus up
        ///     to 10 % jitter.
        ///   - random: a number from 0 up to 1.
        public func delay(failures: Int, retryAfter: TimeInterval?, random: Double) -> TimeInterval {
            let exponential = min(limit, base * pow(2, Double(min(max(failures - 1, 0), 30)))) * random
            guard let retryAfter else { return exponential }
            return max(exponential, retryAfter * (1 + random / 10))
        }
    }
}
