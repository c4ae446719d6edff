/// The rollups of `cohort`: notifications by cohort and by what single reports tell them apart by.
package struct CohortRollup: Sendable {
    /// For heatmap: those that were reached, by quarter hour and the device's time zone.
    package struct Zone: Hashable, Sendable {
        package var app: Int32
        package var bucket: Moment
        package var timeZone: Symbol
        package var within: Int16
    }

    /// For funnel: all, by hour and what became of them.
    package struct Stage: Hashable, Sendable {
        package var app: Int32
        package var bucket: Moment
        package var stages: Int32
        package var within: Int16
    }

    /// For reachability: those alerting that were requested, by day and how the settings in force let them reach people.
    package struct Reach: Hashable, Sendable {
        package var app: Int32
        package var bucket: Moment
        package var category: Symbol
        package var reachClass: ReachClass
    }

    /// For frequency: those that reached a device in a week, from Monday in UTC.
    package struct Week: Hashable, Sendable {
        package var app: Int32
        package var device: Symbol
        package var week: Moment
    }

    package private(set) var zones = Sums<Zone>()
    package private(set) var stages = Sums<Stage>()
    /// Reached, and of those with a response within each of ``Latency/windows``.
    package private(set) var weeks = Sums<Week>(width: 1 + Latency.windows.count)
    /// All, and what `weeks` has.
    package private(set) var reaches = Sums<Reach>(width: 2 + Latency.windows.count)
    private let critical, timeSensitive: Symbol

    package init(_ symbols: Symbols) {
        (critical, timeSensitive) = (symbols.critical, symbols.timeSensitive)
    }

    /// Counts a notification of a device (sign 1), or counts it no longer (sign -1).
    package mutating func add(_ counted: Counted, app: Int32, device: Symbol, sign: Int64) throws(FoldError) {
        let at = counted.row.cohortAt
        let within = Latency.window(from: counted.timedFrom, to: counted.facts.respondedAt)
        let bits = Self.bits(counted)
        try stages.add(Stage(app: app, bucket: at.bucket(Moment.hour), stages: bits, within: within), sign)
        let reached = Self.reached(counted, within)
        if counted.row.stages.isSuperset(of: [.alerting, .requested]) {
            try reaches.add(reach(counted, app: app), [1] + reached, times: sign)
        }
        guard counted.row.isReached else { return }
        let zone = counted.row.context.timeZone.orEmpty
        try zones.add(Zone(app: app, bucket: at.bucket(Moment.quarterHour), timeZone: zone, within: within), sign)
        let week = Week(app: app, device: device, week: at.bucket(7 * Moment.day, from: Moment.monday))
        try weeks.add(week, reached, times: sign)
    }

    /// Whether it was reached, and then with a response within each of ``Latency/windows``.
    private static func reached(_ counted: Counted, _ within: Int16) -> [Int64] {
        guard counted.row.isReached else { return [Int64](repeating: 0, count: 1 + Latency.windows.count) }
        return [1] + (1...Latency.windows.count).map { within > 0 && within <= $0 ? 1 : 0 }
    }

    private func reach(_ counted: Counted, app: Int32) -> Reach {
        let level = counted.facts.interruptionLevel.value
        return Reach(
            app: app,
            bucket: counted.row.cohortAt.bucket(Moment.day),
            category: counted.facts.category.value.orEmpty,
            reachClass: ReachClass(
                counted.row.settings,
                isCritical: level == critical,
                isTimeSensitive: level == timeSensitive
            )
        )
    }

    /// What the report funnel asks of a notification, a bit each: `projection.stage_bits`.
    private static func bits(_ counted: Counted) -> Int32 {
        let (stages, flags) = (counted.row.stages, counted.facts.flags)
        let asked = counted.facts.requestedAt != .none
        let bits = [
            asked, stages.contains(.reachedSeen), stages.contains(.reachedAssumed), stages.contains(.delivered),
            stages.contains(.presented), stages.contains(.responded), stages.contains(.dismissed),
            stages.contains(.withdrawn), stages.contains(.suppressed), stages.contains(.silent),
            stages.contains(.failed),
            flags.contains(.addSucceeded), flags.contains(.pushAnswered), flags.contains(.pushAccepted),
            flags.contains(.isPush), stages.contains(.deliveryObservable), stages.contains(.alerting),
            stages.contains(.reachUnknown),
        ]
        return bits.enumerated().reduce(0) { $0 | ($1.element ? 1 << Int32($1.offset) : 0) }
    }
}
