internal import NotificationEvents

/// Where a page of a timeline ended: the last event on it, in the order of time and id.
///
/// Senders see it as text without meaning, so that it may change.
struct TimelineCursor: Equatable, Sendable {
    var effectiveAt: Timestamp
    var id: EventID

    /// Before every event.
    static let start = TimelineCursor(effectiveAt: .earliest, id: EventID(high: 0, low: 0))

    init(effectiveAt: Timestamp, id: EventID) {
        self.effectiveAt = effectiveAt
        self.id = id
    }

    /// Reads a cursor's text; `nil` for anything that ``text`` does not give.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = UInt64(parts[0], radix: 36), let id = EventID(String(parts[1])) else {
            return nil
        }
        let timestamp = Timestamp(microseconds: Int64(bitPattern: time))
        guard timestamp >= .earliest, timestamp <= .latest else { return nil }
        self.init(effectiveAt: timestamp, id: id)
    }

    /// The cursor as answers carry it.
    var text: String {
        String(UInt64(bitPattern: effectiveAt.microseconds), radix: 36) + "." + id.description
    }
}
