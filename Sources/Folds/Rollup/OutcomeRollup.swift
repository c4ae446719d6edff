/// The rollup `cohort_outcome`: notifications that were reached, by what ended them first and how long that took.
package struct OutcomeRollup: Sendable {
    package struct Key: Hashable, Sendable {
        package var app: Int32
        /// The days of its cohort and of when it was shown.
        package var bucket: Moment
        package var shownDay: Moment
        package var category: Symbol
        package var outcome: Outcome
        package var latency: Int32
    }

    /// Of two at the same time the first counts, in this order.
    package enum Outcome: UInt8, Sendable { case open, opened, acted, replied, dismissed, withdrawn, gone }

    /// Notifications, and of those with a dismissal that iOS reports.
    package private(set) var counts = Sums<Key>(width: 2)
    private let bounds: [Int64]

    /// - Parameter bounds: upper bounds of the latency buckets, in microseconds.
    package init(bounds: [Int64]) {
        self.bounds = bounds
    }

    /// Counts a notification (sign 1), or counts it no longer (sign -1).
    package mutating func add(_ counted: Counted, app: Int32, sign: Int64) throws(FoldError) {
        let (facts, row) = (counted.facts, counted.row)
        guard row.isReached, row.shownAt != .none else { return }
        let endedAt = min(facts.respondedAt, facts.dismissedAt, facts.removedAt, facts.goneAt)
        let key = Key(
            app: app,
            bucket: row.cohortAt.bucket(Moment.day),
            shownDay: row.shownAt.bucket(Moment.day),
            category: facts.category.value.orEmpty,
            outcome: Self.outcome(counted, endedAt),
            latency: endedAt == .none ? 0 : Latency.bucket(max(endedAt.since(row.shownAt), 0), bounds)
        )
        try counts.add(key, [1, row.stages.contains(.dismissObservable) ? 1 : 0], times: sign)
    }

    private static func outcome(_ counted: Counted, _ endedAt: Moment) -> Outcome {
        let stages = counted.row.stages
        return switch endedAt {
        case .none: .open
        case counted.facts.respondedAt:
            stages.contains(.opened) ? .opened : stages.contains(.replied) ? .replied : .acted
        case counted.facts.dismissedAt: .dismissed
        case counted.facts.removedAt: .withdrawn
        default: .gone
        }
    }
}
