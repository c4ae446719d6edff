package import NotificationEvents

package import struct FoundationEssentials.UUID

/// Where a page of a timeline ended: the last event on it, in the order of time and id, and which log it was read from.
///
/// Clients see it as text without meaning, so that it may change.
package struct TimelineCursor: Equatable, Sendable {
    package let effectiveAt: Timestamp
    package let id: EventID
    /// The log's incarnation.
    package let incarnation: UUID
    /// The highest position that this and the pages before showed.
    package let position: Position

    /// Reads a cursor's text; `nil` for anything that ``text`` does not give.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let time = UInt64(parts[0], radix: 36), let id = EventID(String(parts[1])),
            let incarnation = UUID(uuidString: String(parts[2])), let position = Int64(parts[3], radix: 36),
            position >= 0
        else { return nil }
        let timestamp = Timestamp(microseconds: Int64(bitPattern: time))
        guard timestamp >= .earliest, timestamp <= .latest else { return nil }
        self.init(effectiveAt: timestamp, id: id, incarnation: incarnation, position: Position(rawValue: position))
    }

    package init(effectiveAt: Timestamp, id: EventID, incarnation: UUID, position: Position) {
        self.effectiveAt = effectiveAt
        self.id = id
        self.incarnation = incarnation
        self.position = position
    }

    /// The cursor as answers carry it.
    package var text: String {
        [
            String(UInt64(bitPattern: effectiveAt.microseconds), radix: 36), id.description,
            incarnation.uuidString.lowercased(), String(position.rawValue, radix: 36),
        ].joined(separator: ".")
    }
}
