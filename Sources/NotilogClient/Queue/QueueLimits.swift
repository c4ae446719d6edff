public import Foundation

extension Notilog {
    /// How much the queue may hold, and how safe it is.
    public struct QueueLimits: Sendable, Hashable {
        /// Maximum bytes on disk; when full, the oldest events are dropped. Default 4 MiB, some ten thousand events.
        public var bytes: Int
        /// Seconds for which an event is kept, at most. 30 days unless set; the service takes none older than 400 days.
        public var age: TimeInterval
        /// What an event in the queue survives.
        public var durability: Durability

        /// What an event in the queue survives.
        public enum Durability: Sendable, Hashable {
            /// A crash of the device too: `track` waits until the storage has the event, some milliseconds.
            case powerLoss
            /// The end of the process in any way, but not of the system.
            case processEnd
        }

        /// Makes limits.
        public init(bytes: Int = 4 << 20, age: TimeInterval = 30 * 86_400, durability: Durability = .powerLoss) {
            self.bytes = max(bytes, 16 << 10)
            self.age = age
            self.durability = durability
        }

        /// The size at which a new segment begins: when the queue is full, the oldest segment is deleted as a whole.
        var segmentBytes: Int { min(max(bytes / 16, 4 << 10), 256 << 10) }
    }
}
