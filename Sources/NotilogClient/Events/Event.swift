public import Foundation

extension Notilog {
    /// Something that happened to a notification, in the service's vocabulary.
    ///
    /// Create events from what Apple's frameworks give the app (see <doc:Mappings>), or field by field with
    /// ``init(_:at:fields:id:)``.
    public struct Event: Sendable, Hashable {
        /// The kind, such as `action_response`.
        public var kind: String
        /// When it happened, by the device's clock.
        public var occurredAt: Date
        /// The other fields, by their names in the service's vocabulary, such as `category_id`.
        public var fields: [String: Value]
        /// The event's id; `nil` for a fresh one (UUID, version 7), which suits most apps.
        public var id: UUID?

        /// Creates an event field by field.
        ///
        /// - Parameters:
        ///   - kind: the kind, as the service's vocabulary names it.
        ///   - date: when it happened.
        ///   - fields: the other fields. When the event is tracked, fields that the kind does not have are left out,
        ///     and so are fields that the service would reject; see ``Receipt/omitted``.
        ///   - id: a custom id, if the same thing may be tracked twice.
        public init(_ kind: String, at date: Date, fields: [String: Value] = [:], id: UUID? = nil) {
            self.kind = kind
            self.occurredAt = date
            self.fields = fields
            self.id = id
        }

        /// The same event with one more field, unless its value is `nil`.
        func with(_ name: String, _ value: Value?) -> Event {
            guard let value else { return self }
            var event = self
            event.fields[name] = value
            return event
        }

        func with(_ name: String, _ text: String?) -> Event {
            guard let text, !text.isEmpty else { return self }
            return with(name, .string(text))
        }

        func with(_ name: String, _ bool: Bool?) -> Event {
            with(name, bool.map { Value.bool($0) })
        }

        func with(_ name: String, _ date: Date?) -> Event {
            with(name, date.map { Value.string($0.rfc3339) })
        }
    }
}
