import Folds
import Testing

/// Law 1 without a database: what is folded is a function of the set of events.
@Suite struct FoldOrderTests {
    @Test(arguments: 0..<8)
    func anyOrderAnyBatchesAndAnyPackingGiveOneRow(_ seed: UInt64) throws {
        var random = Random(state: seed)
        var vocabulary = Vocabulary()
        for _ in 0..<2_500 {
            let events = try (0..<Int.random(in: 1...9, using: &random)).map { _ in
                try Self.event(&random, &vocabulary)
            }
            var inOrder = NotificationFacts()
            for event in events { try inOrder.merge(event) }

            let shuffled = events.shuffled(using: &random)
            let cut = Int.random(in: 0...shuffled.count, using: &random)
            var first = NotificationFacts()
            for event in shuffled[..<cut] { try first.merge(event) }
            first = try Self.stored(first, &vocabulary)
            var second = NotificationFacts()
            for event in shuffled[cut...] { try second.merge(event) }
            try first.merge(second)

            first.actions.sort { $0.action < $1.action }
            inOrder.actions.sort { $0.action < $1.action }
            #expect(first == inOrder)
            let rows = try [first, inOrder].map {
                try NotificationRow(
                    $0,
                    isSchedule: false,
                    of: DevicePeriods(),
                    categories: Categories(),
                    vocabulary: vocabulary
                )
            }
            #expect(rows[0] == rows[1])
        }
    }

    @Test(arguments: 0..<8)
    func periodsAreThoseOfTheSnapshotsInTheTieOrderUnlessOneIsTorn(_ seed: UInt64) {
        var random = Random(state: seed)
        for _ in 0..<2_500 {
            let snapshots = (0..<Int.random(in: 1...8, using: &random)).map { number in
                (
                    at: Moment.random(in: 0...6, using: &random), id: EventID(high: 0, low: UInt64(number)),
                    value: ByteTable.ID.random(in: 0...1, using: &random)
                )
            }
            var inOrder = Periods()
            for snapshot in snapshots.sorted(by: { ($0.at, $0.id) < ($1.at, $1.id) }) {
                let isWhole = inOrder.merge(snapshot.at, snapshot.id, snapshot.value)
                #expect(isWhole)
            }
            var shuffled = Periods()
            let isWhole = snapshots.shuffled(using: &random).allSatisfy {
                shuffled.merge($0.at, $0.id, $0.value)
            }
            #expect(!isWhole || shuffled == inOrder)
        }
    }

    @Test func aCountBeyondItsTypeIsThrown() throws {
        var facts = NotificationFacts()
        facts.requests = .max
        var more = NotificationFacts()
        more.requests = 1
        #expect(throws: FoldError.overflow) { try facts.merge(more) }
    }

    /// Facts as they come back from their row: typed columns as they are, the rest through its packing.
    private static func stored(_ facts: NotificationFacts, _ vocabulary: inout Vocabulary) throws -> NotificationFacts {
        var bytes: [UInt8] = []
        facts.pack(into: &bytes, vocabulary)
        var result = facts
        result.actions = []
        for claim in [
            \NotificationFacts.action, \.alerting, \.requestedCategory, \.category, \.trigger,
            \.interruptionLevel, \.campaign, \.variant, \.thread,
        ] { result[keyPath: claim].place = .none }
        result.arrivedAt = .none
        result.requestReceivedAt = .none
        try bytes.withUnsafeBytes { try result.unpack($0, &vocabulary) }
        return result
    }

    private static func event(_ random: inout Random, _ vocabulary: inout Vocabulary) throws -> Event {
        let kinds = ["request", "delivery", "presentation", "action_response", "dismissal", "removal", "push_result"]
        let fields = [
            #""category_id": "a""#, #""category_id": "b""#, #""variant": "x""#, #""error": "E""#,
            #""trigger": {"type": "push"}"#, #""source": "background_wake""#, #""status": 200"#,
            #""surface": "foreground", "options": ["sound"]"#, #""state": "pending""#, #""alerting": false"#,
            #""delivered_at": "2026-03-01T00:00:00.5Z""#, #""extension": {"outcome": "filtered"}"#,
            #""delegate": "content_extension""#, #""thread_id": "t""#,
        ]
        let action = Bool.random(using: &random) ? "default" : "reply"
        var said = fields.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        said.append(#""action_id": "\#(action)""#)
        var data = "{" + said.joined(separator: ", ") + "}"
        var name = kinds.randomElement(using: &random) ?? ""
        let at = Moment.random(in: 0...20, using: &random)
        let id = EventID(high: .random(in: 0...3, using: &random), low: .random(in: 0 ... .max, using: &random))
        return try name.withUTF8 { name in
            try data.withUTF8 { data in
                try Event(
                    kind: Event.Kind(UnsafeRawBufferPointer(name)),
                    id: id,
                    at: at,
                    occurredAt: at,
                    receivedAt: at,
                    occurrence: nil,
                    data: UnsafeRawBufferPointer(data),
                    vocabulary: &vocabulary
                )
            }
        }
    }
}

/// SplitMix64.
private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
