/// What ended a notification first: of two at the same time the response, then the dismissal, the removal, the sweep.
struct LawOutcome {
    let name: String
    let at: Int64

    /// Nil where nothing did.
    init?(_ one: LawNotification) {
        let endings = [
            (one.opened ? "opened" : one.replied ? "replied" : "acted", one.respondedAt),
            ("dismissed", one.dismissedAt), ("withdrawn", one.removedAt), ("gone", one.goneAt),
        ]
        var first: LawOutcome?
        for case (let name, let at?) in endings where at < first?.at ?? .max { first = LawOutcome(name: name, at: at) }
        guard let first else { return nil }
        self = first
    }

    private init(name: String, at: Int64) {
        self.name = name
        self.at = at
    }

    /// The bounds of latencies, and with them the ends of all periods of `response_times`.
    static func bounds(_ latencies: [Int64]) -> [Int64] {
        Set(latencies + [60, 300, 900, 7_776_000].map { $0 * 1_000_000 }).sorted()
    }

    /// The number of bounds below a time.
    static func bucket(_ time: Int64, _ bounds: [Int64]) -> Int { bounds.count { $0 < max(0, time) } }

    /// What a time counts as that no censoring is known to: the middle of its bucket, at once in the first.
    static func middle(_ time: Int64, _ bounds: [Int64]) -> Int64 {
        let bucket = bucket(time, bounds)
        guard bucket > 0 else { return 0 }
        return Int64((Double(bounds[bucket - 1]) * Double(bounds[bucket])).squareRoot().rounded())
    }
}
