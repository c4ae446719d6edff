public import Foundation

extension Notilog {
    /// What ``Notilog/track(_:)`` made of an event.
    public struct Receipt: Sendable, Hashable {
        /// The event's id in the log, by which the service tells a repeat; `nil` where it was discarded.
        public var id: UUID?
        /// Why it was discarded; `nil` where it is in the queue, on disk.
        public var reason: Reason?
        /// Fields that were left out because the service would have refused them, by path.
        public var omitted: [String] = []

        /// Whether the event is in the queue, on disk.
        public var isQueued: Bool { reason == nil }

        /// Why an event was discarded.
        public enum Reason: Error, Sendable, Hashable {
            /// The person has not agreed to it, or no more.
            case noConsent
            /// It is larger than the service takes.
            case tooLarge(bytes: Int)
            /// It says nothing that the service takes.
            case invalid(String)
            /// The disk would not have it.
            case storage(String)
        }
    }
}
