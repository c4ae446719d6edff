import Ingest
import NotificationEvents
import Testing

@testable import Service

/// An event that the log did not take is kept so that it can be taken again, as the same event.
struct RedactedEventTests {
    private func decode(_ body: [UInt8], isReplay: Bool) throws -> NormalisedEvent {
        let items = try IngestDecoder().decode(
            body,
            contentType: "application/json",
            policy: IngestPolicy(scope: .admin, isReplay: isReplay),
            receivedAt: Timestamp(microseconds: 1_780_000_000_000_000)
        )
        guard case .accepted(let event, _)? = items.first else {
            throw Refused(items: "\(items)")
        }
        return event
    }

    private struct Refused: Error {
        let items: String
    }

    @Test(arguments: EventKind.all)
    func everyKindComesBackAsTheSameEvent(_ kind: EventKind) throws {
        let event = try decode(Array(kind.sample.utf8), isReplay: false)
        let again = try decode(event.redactedItem(hashesIDs: false), isReplay: true)
        #expect(again.id == event.id)
        #expect(again.token == event.token)
        #expect(again.notificationID == event.notificationID)
        #expect(String(decoding: again.data, as: UTF8.self) == String(decoding: event.data, as: UTF8.self))
    }
}
