import Folds
import Testing

/// What is counted and kept of events beside the rows of notifications.
@Suite struct SideEventTests {
    private static func take(
        _ ending: inout NotificationEnding,
        _ kind: Event.Kind,
        at: Moment,
        _ data: String,
        _ symbols: inout Symbols
    ) -> Bool {
        var data = data
        return data.withUTF8 {
            let id = UUIDValue(high: 0, low: UInt64(at))
            return ending.merge(kind, at: at, id: id, data: UnsafeRawBufferPointer($0), &symbols)
        }
    }

    @Test func endingsAreTheSameInAnyOrder() {
        let said: [(Event.Kind, String)] = [
            (.pushResult, #"{"status": 410, "provider": "apns"}"#),
            (.pushResult, #"{"status": 400, "reason": "BadTopic", "provider": "apns"}"#),
            (.request, #"{"error": "UNErrorDomain 1"}"#),
            (.removal, #"{"state": "delivered", "reason": "gone"}"#),
            (.removal, #"{"state": "delivered"}"#),
        ]
        var random = Random(state: 1)
        var symbols = Symbols()
        for _ in 0..<100 {
            var ending = NotificationEnding()
            for (index, event) in said.enumerated().shuffled(using: &random) {
                #expect(Self.take(&ending, event.0, at: Moment(index + 1), event.1, &symbols))
            }
            #expect(Self.claimed(ending.rejection, symbols) == "rejected: BadTopic")
            #expect(Self.claimed(ending.error, symbols) == "UNErrorDomain 1")
            #expect(ending.goneAt == 4)
            #expect(ending.removedAt == 5)
        }
    }

    /// What follows the stage, the time and the id of a claim.
    private static func claimed(_ claim: Symbol, _ symbols: Symbols) -> String {
        symbols.names.withBytes(of: claim) {
            String(decoding: ($0 ?? .init(start: nil, count: 0)).dropFirst(25), as: UTF8.self)
        }
    }

    @Test func whatDoesNotEndANotificationIsNoEnding() {
        var (ending, symbols) = (NotificationEnding(), Symbols())
        for (kind, data) in [
            (.pushResult, #"{"status": 200, "provider": "apns"}"#),
            (.request, #"{"category_id": "a"}"#),
            (.request, #"{"error": "E", "trigger": {"type": "calendar", "repeats": true}}"#),
            (.removal, #"{"state": "pending"}"#),
            (.removal, #"{"state": "delivered", "reason": "replaced"}"#),
            (.delivery, "{}"),
        ] as [(Event.Kind, String)] {
            let isSaid = Self.take(&ending, kind, at: 1, data, &symbols)
            #expect(!isSaid)
        }
    }

    @Test func anAnswerWithAStatusThatIsNoNumberIsThrown() {
        var symbols = Symbols()
        var data = #"{"status": "odd", "provider": "apns"}"#
        let answer = data.withUTF8 { PushAnswer(UnsafeRawBufferPointer($0), &symbols) }
        var results = PushResults()
        #expect(throws: FoldError.value) { try results.add(answer, app: 1, at: 0, position: 1, symbols) }
    }

    @Test func countsKnowWhereTheirEventsAre() throws {
        var (received, symbols) = (Received(), Symbols())
        let kind = symbols.names.symbol(of: "token")
        for (position, at) in [(7, 5), (3, 900_000_001), (9, 6)] as [(Int64, Moment)] {
            try received.add(kind, app: 1, receivedAt: at, isClamped: position == 9, position: position)
        }
        let first = received.counts.first { $0.key.bucket == 0 }?.value
        #expect(first?.events == 2 && first?.clamped == 1 && first?.positions == 7...9)
    }
}
