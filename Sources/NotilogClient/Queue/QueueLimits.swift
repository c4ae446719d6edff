public import Foundation

extension Notilog {
    /// How much the queue may hold, and how durable it is.
    public struct QueueLimits: Sendable, Hashable {
        /// The maximum number of bytes on disk. When the queue is full, the oldest events are dropped. Default: 4 MiB,
        /// about ten thousand events.
        public var bytes: Int
        /// The maximum age of an event, in seconds. Default: 30 days. The service accepts none older than 400 days.
        public var age: TimeInterval
        /// What an event in the queue survives.
        public var durability: Durability

        /// What an event in the queue survives.
        public enum Durability: Sendable, Hashable {
            /// Survives even a crash of the device: `track` waits some milliseconds until the storage has the event.
            case powerLoss
            /// Survives any end of the process, but not of the system.
            case processEnd
        }

        /// Creates limits.
        public init(bytes: Int = 4 << 20, age: TimeInterval = 30 * 86_400, durability: Durability = .powerLoss) {
            self.bytes = max(bytes, 16 << 10)
            self.age = age
            self.durability = durability
        }

        /// The size at which a new segment begins. When the queue is full, the oldest segment is deleted as a whole.
        var segmentBytes: Int { min(max(bytes / 16, 4 << 10), 256 << 10) }
    }
}
