/// The rollup `engagement`: notifications by cohort and category, by quarter hour and by day, and by day and each other
/// dimension.
package struct EngagementRollup: Sendable {
    package struct Key: Hashable, Sendable {
        package var app: Int32
        /// Index into ``Dimension/all``; nil for the rows by category alone.
        package var dimension: Int?
        package var isDay: Bool
        package var bucket: Moment
        package var category: Symbol
        package var value: Symbol
    }

    package struct LatencyKey: Hashable, Sendable {
        package var key: Key
        package var outcome: Outcome
        package var appOpened: Bool
        package var reached: Bool
        /// From when it was shown; else from its cohort.
        package var timed: Bool
        package var bucket: Int32
    }

    package enum Outcome: UInt8, Sendable { case opened, acted, replied, dismissed }

    package private(set) var counts = Sums<Key>(width: Measure.all.count)
    package private(set) var latencies = Sums<LatencyKey>()
    private let bounds: [Int64]
    private var amounts = [Int64](repeating: 0, count: Measure.all.count)

    /// - Parameter latencyBounds: upper bounds of the latency buckets, in microseconds.
    package init(latencyBounds: [Int64]) {
        bounds = latencyBounds
    }

    /// Counts a notification (sign 1), or counts it no longer (sign -1).
    package mutating func add(_ counted: Counted, app: Int32, sign: Int64) throws(FoldError) {
        for (index, measure) in Measure.all.enumerated() { amounts[index] = measure.value(counted) }
        let responses = responses(counted)
        let at = counted.row.cohortAt
        let category = counted.facts.category.value.orEmpty
        var key = Key(
            app: app,
            dimension: nil,
            isDay: false,
            bucket: at.bucket(Moment.quarterHour),
            category: category,
            value: .empty
        )
        try add(key, responses, sign)
        key.isDay = true
        key.bucket = at.bucket(Moment.day)
        try add(key, responses, sign)
        for (index, dimension) in Dimension.all.enumerated() {
            key.dimension = index
            key.value = dimension.value(counted).orEmpty
            try add(key, responses, sign)
        }
    }

    private mutating func add(_ key: Key, _ responses: [LatencyKey], _ sign: Int64) throws(FoldError) {
        try counts.add(key, amounts, times: sign)
        for var response in responses {
            response.key = key
            try latencies.add(response, sign)
        }
    }

    private func responses(_ counted: Counted) -> [LatencyKey] {
        let stages = counted.row.stages
        guard !stages.isDisjoint(with: [.responded, .dismissed]) else { return [] }
        let (from, reached, timed) = (counted.timedFrom, counted.row.isReached, counted.row.shownAt != .none)
        let none = Key(app: 0, dimension: nil, isDay: false, bucket: 0, category: .empty, value: .empty)
        func response(_ outcome: Outcome, _ appOpened: Bool, _ at: Moment) -> LatencyKey {
            LatencyKey(
                key: none,
                outcome: outcome,
                appOpened: appOpened,
                reached: reached,
                timed: timed,
                bucket: Latency.bucket(max(at.since(from), 0), bounds)
            )
        }
        var result: [LatencyKey] = []
        if stages.contains(.responded), !stages.contains(.responseOnly) {
            let outcome: Outcome = stages.contains(.opened) ? .opened : stages.contains(.acted) ? .acted : .replied
            result.append(response(outcome, stages.contains(.appOpened), counted.facts.respondedAt))
        }
        if stages.isSuperset(of: [.dismissed, .dismissObservable]) {
            result.append(response(.dismissed, false, counted.facts.dismissedAt))
        }
        return result
    }
}
