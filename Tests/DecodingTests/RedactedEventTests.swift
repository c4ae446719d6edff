import Decoding
import NotificationEvents
import Testing

@Suite("An event that the log did not take is kept as an item that gives the same event")
struct RedactedEventTests {
    private static let idHashKey = IDHashKey(bytes: [UInt8](repeating: 7, count: 32))

    private func again(_ event: NormalisedEvent, idHashKey: IDHashKey? = nil) throws -> NormalisedEvent {
        let item = try #require(event.redactedItem(hashesIDs: idHashKey != nil))
        let policy = DecodingPolicy(scope: .admin, idHashKey: idHashKey, isReplay: true)
        return try accept(String(decoding: item, as: UTF8.self), policy: policy)
    }

    private func expectSame(_ again: NormalisedEvent, _ event: NormalisedEvent) {
        #expect(again.id == event.id && again.digest == event.digest)
        #expect(again.deviceID == event.deviceID && again.notificationID == event.notificationID)
        #expect(again.token == event.token)
        #expect(again.occurredAt == event.occurredAt && again.utcOffsetMinutes == event.utcOffsetMinutes)
        #expect(again.occurrence == event.occurrence)
        #expect(again.json == event.json)
    }

    @Test("of every kind", arguments: EventKind.all)
    func everyKind(_ kind: EventKind) throws {
        let event = try accept(kind.sample)
        expectSame(try again(event), event)
    }

    @Test("of every kind where the app keeps no ids", arguments: EventKind.all)
    func hashedIDs(_ kind: EventKind) throws {
        let event = try accept(kind.sample, policy: DecodingPolicy(scope: .admin, idHashKey: Self.idHashKey))
        expectSame(try again(event, idHashKey: Self.idHashKey), event)
    }

    @Test(
        "with its token within push, whatever else is there",
        arguments: [#""push":{"token":"00ff"}"#, #""push":{"priority":5,"token":"00ff"},"attributes":{"push":{}}"#]
    )
    func pushToken(fields: String) throws {
        let event = try accept(event("request", fields))
        #expect(event.token != nil)
        expectSame(try again(event), event)
    }

    @Test("with numbers that jsonb does not give back as they were written")
    func numbers() throws {
        let event = try accept(
            event("dismissal", #""attributes":{"a":[1e17,-1.5e20,1e-7,12345678901234567.0,2.5e15]}"#)
        )
        expectSame(try again(event), event)
        let item = try #require(event.redactedItem(hashesIDs: false))
        let numbers = "[100000000000000000.0,-150000000000000000000.0,0.0000001,12345678901234568.0,2500000000000000]"
        #expect(String(decoding: item, as: UTF8.self).contains(numbers))
    }

    @Test("with its offset from UTC", arguments: ["+05:45", "-09:30", "+00:00", "-00:30"])
    func offset(offset: String) throws {
        let event = try accept(event("dismissal").replacing("10:00:00Z", with: "10:00:00.25\(offset)"))
        expectSame(try again(event), event)
    }
}
