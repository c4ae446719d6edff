public import Foundation

extension Notilog {
    /// What became of an event that was passed to ``Notilog/track(_:)``.
    public struct Receipt: Sendable, Hashable {
        /// The event's id in the log, by which the service recognizes a repeat; `nil` if the event was discarded.
        public var id: UUID?
        /// Why the event was discarded; `nil` if it is in the queue, on disk.
        public var reason: Reason?
        /// Paths of the fields that were left out because the service would have rejected them.
        public var omitted: [String] = []

        /// Whether the event is in the queue, on disk.
        public var isQueued: Bool { reason == nil }

        /// Why an event was discarded.
        public enum Reason: Error, Sendable, Hashable {
            /// Consent is missing or was withdrawn.
            case noConsent
            /// The event is larger than the service accepts.
            case tooLarge(bytes: Int)
            /// The event holds nothing that the service accepts.
            case invalid(String)
            /// The event could not be written to disk.
            case storage(String)
        }
    }
}
