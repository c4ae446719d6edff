import Administration
import Decoding
import EventLog
import NotificationEvents
import Testing

@testable import Ingestion

/// What is said, and kept, of an event that the log did not take.
struct OutcomeTests {
    private static let received = Timestamp(microseconds: 1_780_000_000_000_000)

    private func event() throws -> NormalisedEvent {
        let items = try EventDecoder().decode(
            Array(EventKind.actionResponse.sample.utf8),
            format: .json,
            policy: DecodingPolicy(scope: .admin),
            receivedAt: Self.received
        ).map(\.item)
        guard case .accepted(let event, _)? = items.first else { throw CancellationError() }
        return event
    }

    @Test(arguments: [
        (AppendResult.conflict(position: 7), EventError.Code.idConflict, "/3/id"),
        (.erased, .erased, "/3/device_id"),
        (.tooOld, .tooOld, "/3/occurred_at"),
        (.rejected(reason: "no"), .invalidValue, "/3"),
    ])
    func aRefusalPointsIntoTheItem(_ result: AppendResult, _ code: EventError.Code, _ pointer: String) throws {
        let event = try event()
        guard case .rejected(let id, let error) = ItemOutcome(event, result, pointer: "/3", warnings: []) else {
            Issue.record("\(result) is no refusal")
            return
        }
        #expect(id == event.id)
        #expect(error.code == code && error.pointer == pointer)
    }

    @Test func whatIsStoredSaysWhere() throws {
        let event = try event()
        guard
            case .accepted(event.id, position: 5, warnings: ["x"]) = ItemOutcome(
                event,
                .stored(position: 5),
                pointer: "/0",
                warnings: ["x"]
            ),
            case .duplicate(event.id, position: 4, warnings: []) = ItemOutcome(
                event,
                .duplicate(position: 4),
                pointer: "/0",
                warnings: []
            )
        else {
            Issue.record("not as the log answered")
            return
        }
    }

    @Test(arguments: [
        ("/12", "/12/settings/badge", "/settings/badge"), ("/12", "/12", ""), ("/12", "/1", "/1"),
        ("", "/settings", "/settings"), ("/batch/3", "/batch/3/event", "/event"),
    ])
    func quarantineKeepsThePointerWithinTheItem(_ item: String, _ pointer: String, _ expected: String) throws {
        let error = EventError(code: .invalidValue, pointer: pointer, message: "no")
        let grant = Grant(
            keyID: "k",
            appID: 4,
            appName: "shop",
            scope: .write,
            keepsReplyText: false,
            ids: .clear
        )
        let receipt = Receipt(grant: grant, receivedAt: Self.received, sentAt: nil)
        let kept = QuarantinedItem(RejectedItem(try event(), error, grant), pointer: item, receipt)
        #expect(kept.pointer == expected)
        #expect(kept.app == 4 && kept.keyID == "k" && kept.receivedAt == Self.received)
    }
}
