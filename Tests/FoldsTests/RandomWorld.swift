import Folds

/// SplitMix64.
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Random events of one notification.
struct RandomWorld {
    var random: Random
    var symbols = Symbols()

    private static let kinds = [
        "request", "delivery", "presentation", "action_response", "dismissal", "removal", "push_result",
    ]
    private static let fields = [
        #""category_id": "a""#, #""category_id": "b""#, #""variant": "x""#, #""error": "E""#,
        #""trigger": {"type": "push"}"#, #""source": "background_wake""#, #""status": 200"#,
        #""surface": "foreground", "options": ["sound"]"#, #""state": "pending""#, #""state": "delivered""#,
        #""reason": "gone""#, #""alerting": false"#, #""push": {"push_type": "liveactivity"}"#,
        #""delivered_at": "2026-03-01T00:00:00.5Z""#, #""extension": {"outcome": "filtered", "duration_ms": 7}"#,
        #""delegate": "content_extension""#, #""thread_id": "t""#, #""text_length": 3"#,
        #""scheduled_for": "2026-03-02T09:30:00+05:30""#, #""campaign_id": "c\"\u00e9""#,
        #""attributes": {"tier": "gold", "units": 3}"#,
        #""attributes": {"tier": {"tier": 1}, "units": true, "late": "\n"}"#,
    ]

    /// Those of the app, one of them named late.
    private let dimensions: [OwnDimension]

    init(random: Random) {
        self.random = random
        var dimensions: [OwnDimension] = []
        for (name, after) in [("tier", Int64(0)), ("units", 0), ("late", 10)] {
            dimensions.append(OwnDimension(key: symbols.names.symbol(of: name), after: after, upTo: .max))
        }
        self.dimensions = dimensions
    }

    mutating func event() throws -> Event {
        var said = Self.fields.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        said.append(#""action_id": "\#(Bool.random(using: &random) ? "default" : "reply")""#)
        var data = "{" + said.joined(separator: ", ") + "}"
        var name = Self.kinds.randomElement(using: &random) ?? ""
        let at = Moment.random(in: 0...20, using: &random)
        let id = UUIDValue(high: .random(in: 0...3, using: &random), low: .random(in: 0 ... .max, using: &random))
        let receivedAt = at + .random(in: 0...5, using: &random)
        let position = Int64.random(in: 1...20, using: &random)
        return try name.withUTF8 { name in
            try data.withUTF8 { data in
                try Event(
                    kind: Event.Kind(UnsafeRawBufferPointer(name)),
                    id: id,
                    at: at,
                    occurredAt: at,
                    receivedAt: receivedAt,
                    occurrence: nil,
                    data: UnsafeRawBufferPointer(data),
                    dimensions: dimensions,
                    position: position,
                    symbols: &symbols
                )
            }
        }
    }
}

/// A notification as the tables hold it: its facts through their packing, its actions as rows.
struct Stored {
    var facts = NotificationFacts()
    var actions: [Symbol: NotificationAction] = [:]

    /// Applies a batch of its events.
    mutating func apply(_ events: some Sequence<Event>, _ symbols: inout Symbols) throws {
        var said = NotificationFacts()
        var taken: [Symbol: NotificationAction] = [:]
        for event in events {
            try said.merge(event)
            guard event.kind == .response else { continue }
            var action = NotificationAction(event)
            if let known = taken[action.action] { try action.merge(known) }
            taken[action.action] = action
        }
        try facts.merge(said)
        for action in taken.values {
            let change = try ActionChange(action, known: actions[action.action])
            try facts.merge(change)
            actions[action.action] = change.after
        }
        facts = try Self.reread(facts, &symbols)
    }

    /// Facts as they come back from their row: typed columns as they are, the rest through its packing.
    private static func reread(_ facts: NotificationFacts, _ symbols: inout Symbols) throws -> NotificationFacts {
        var bytes: [UInt8] = []
        facts.pack(into: &bytes, symbols)
        var result = facts
        for claim in [
            \NotificationFacts.action, \.alerting, \.requestedCategory, \.category, \.trigger,
            \.interruptionLevel, \.campaign, \.variant, \.thread,
        ] { result[keyPath: claim].rank = .none }
        for time in [\NotificationFacts.arrivedAt, \.lastRequestedAt, \.lastWithdrawnAt] {
            result[keyPath: time] = .none
        }
        result.flags.subtract([.hasText, .toActivity])
        try bytes.withUnsafeBytes { try result.unpack($0, &symbols) }
        return result
    }

    func row(_ symbols: Symbols) -> NotificationRow {
        NotificationRow(
            facts,
            isSchedule: false,
            of: DevicePeriods(),
            categories: Categories(),
            symbols: symbols
        )
    }

    func counted(_ symbols: Symbols) -> Counted { Counted(facts: facts, row: row(symbols)) }
}
