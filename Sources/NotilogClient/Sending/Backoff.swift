public import Foundation

extension Notilog {
    /// The wait before the next attempt: exponential backoff with full jitter, so that devices that failed together do not
    /// return together.
    public struct Backoff: Sendable, Hashable {
        /// Seconds that the first wait is at most.
        public var base: TimeInterval
        /// Seconds that any wait is at most, unless the service asked for more.
        public var limit: TimeInterval

        /// Makes a backoff: 1 s at first, 10 minutes at most, unless set.
        public init(base: TimeInterval = 1, limit: TimeInterval = 600) {
            self.base = base
            self.limit = limit
        }

        /// The wait after a number of failures in a row.
        ///
        /// - Parameters:
        ///   - failures: how many, from 1.
        ///   - retryAfter: seconds that the service asked for: the wait is never shorter, and a tenth longer at most for the
        ///     jitter's sake.
        ///   - random: a number from 0 up to 1.
        public func delay(failures: Int, retryAfter: TimeInterval?, random: Double) -> TimeInterval {
            let exponential = min(limit, base * pow(2, Double(min(max(failures - 1, 0), 30)))) * random
            guard let retryAfter else { return exponential }
            return max(exponential, retryAfter * (1 + random / 10))
        }
    }
}
