/// Notifications counted in eleven ways: what a batch adds to the rollup. The row as it was counts against it, the row as
/// it is counts for it.
package struct Engagement: Sendable {
    package enum Dimension: UInt8, CaseIterable, Sendable {
        case none, requestedCategory, trigger, interruptionLevel, campaign, variant, platform, osVersion, appVersion,
            locale

        package var name: StaticString {
            switch self {
            case .none: ""
            case .requestedCategory: "requested_category"
            case .trigger: "trigger"
            case .interruptionLevel: "interruption_level"
            case .campaign: "campaign"
            case .variant: "variant"
            case .platform: "platform"
            case .osVersion: "os_version"
            case .appVersion: "app_version"
            case .locale: "locale"
            }
        }
    }

    package struct Key: Hashable, Sendable {
        package var app: Int32
        package var dimension: Dimension
        package var isDay: Bool
        package var bucket: Moment
        package var category: ByteTable.ID
        package var value: ByteTable.ID
    }

    package struct LatencyKey: Hashable, Sendable {
        package var key: Key
        package var outcome: Outcome
        package var appOpened: Bool
        package var reached: Bool
        package var timed: Bool
        package var latency: Int32
    }

    package enum Outcome: UInt8, Sendable { case opened, acted, replied, dismissed }

    /// A notification as it is counted.
    package struct Counted: Equatable, Sendable {
        package var facts: NotificationFacts
        package var row: NotificationRow

        package init(facts: NotificationFacts, row: NotificationRow) {
            self.facts = facts
            self.row = row
        }
    }

    /// The measures, in the order of the table's columns.
    package static let measures = 26

    package private(set) var places: [Key: Int] = [:]
    /// The measures of each key in turn.
    package private(set) var sums: [Int32] = []
    package private(set) var latencies: [LatencyKey: Int32] = [:]
    /// Upper bounds of the latency buckets in microseconds.
    private let bounds: [Int64]
    private var scratch = [Int32](repeating: 0, count: measures)

    package init(latencyBounds: [Int64]) {
        bounds = latencyBounds
    }

    package mutating func removeAll() {
        places.removeAll(keepingCapacity: true)
        sums.removeAll(keepingCapacity: true)
        latencies.removeAll(keepingCapacity: true)
    }

    /// Counts a notification (sign 1), or counts it no longer (sign -1).
    package mutating func add(_ counted: Counted, app: Int32, sign: Int32) throws(FoldError) {
        guard counted.row.cohortAt != .none else { return }
        measure(counted)
        let keys = Keys(counted, app: app)
        for index in 0..<11 {
            let key = keys[index]
            let place: Int
            if let known = places[key] {
                place = known
            } else {
                place = sums.count
                places[key] = place
                sums.append(contentsOf: repeatElement(0, count: Self.measures))
            }
            for measure in 0..<Self.measures where scratch[measure] != 0 {
                let (sum, overflow) = sums[place + measure].addingReportingOverflow(sign * scratch[measure])
                if overflow { throw .overflow }
                sums[place + measure] = sum
            }
        }
        addLatencies(counted, keys, sign)
    }

    private mutating func measure(_ counted: Counted) {
        let stages = counted.row.stages
        func one(_ stage: NotificationRow.Stages) -> Int32 { stages.contains(stage) ? 1 : 0 }
        let reached: Int32 = stages.isDisjoint(with: [.reachedSeen, .reachedAssumed]) ? 0 : 1
        scratch[0] = 1
        scratch[1] = one(.requested)
        scratch[2] = one(.failed)
        scratch[3] = reached
        scratch[4] = one(.reachedSeen)
        scratch[5] = one(.reachedAssumed)
        scratch[6] = one(.delivered)
        scratch[7] = one(.presented)
        scratch[8] = one(.suppressed)
        scratch[9] = one(.silent)
        scratch[10] = one(.responded)
        scratch[11] = one(.opened)
        scratch[12] = one(.acted)
        scratch[13] = one(.replied)
        scratch[14] = one(.appOpened)
        scratch[15] = one(.dismissed)
        scratch[16] = one(.withdrawn)
        scratch[17] = one(.responseOnly)
        scratch[18] = counted.facts.deliveryAt != .none ? 1 : 0
        scratch[19] = counted.facts.flags.contains(.showed) ? 1 : 0
        scratch[20] = one(.dismissObservable)
        scratch[21] = one(.dismissObservable) & one(.dismissed)
        scratch[22] = one(.deliveryObservable)
        scratch[23] = one(.deliveryObservable) & one(.delivered)
        scratch[24] = max(counted.facts.requests - 1, 0)
        scratch[25] = counted.row.duplicateCallbacks
    }

    private mutating func addLatencies(_ counted: Counted, _ keys: Keys, _ sign: Int32) {
        let stages = counted.row.stages
        guard !stages.isDisjoint(with: [.responded, .dismissed]) else { return }
        let from = counted.row.shownAt == .none ? counted.row.cohortAt : counted.row.shownAt
        let reached = !stages.isDisjoint(with: [.reachedSeen, .reachedAssumed])
        func add(_ outcome: Outcome, _ appOpened: Bool, _ at: Moment) {
            let latency = bucket(max(at - from, 0))
            for index in 0..<11 {
                let key = LatencyKey(
                    key: keys[index],
                    outcome: outcome,
                    appOpened: appOpened,
                    reached: reached,
                    timed: counted.row.shownAt != .none,
                    latency: latency
                )
                latencies[key, default: 0] += sign
            }
        }
        if stages.contains(.responded), !stages.contains(.responseOnly) {
            let outcome: Outcome = stages.contains(.opened) ? .opened : stages.contains(.acted) ? .acted : .replied
            add(outcome, stages.contains(.appOpened), counted.facts.respondedAt)
        }
        if stages.isSuperset(of: [.dismissed, .dismissObservable]) {
            add(.dismissed, false, counted.facts.dismissedAt)
        }
    }

    /// The number of bounds below a latency.
    private func bucket(_ latency: Int64) -> Int32 {
        var low = 0
        var high = bounds.count
        while low < high {
            let middle = (low + high) / 2
            if bounds[middle] < latency { low = middle + 1 } else { high = middle }
        }
        return Int32(low)
    }

    /// The eleven keys of a notification: by quarter hour, by day, and by day and one more dimension.
    struct Keys {
        private let app: Int32
        private let quarterHour: Moment
        private let day: Moment
        private let category: ByteTable.ID
        private let facts: NotificationFacts
        private let context: Vocabulary.Context

        init(_ counted: Counted, app: Int32) {
            self.app = app
            quarterHour = Self.start(of: counted.row.cohortAt, 900_000_000)
            day = Self.start(of: counted.row.cohortAt, 86_400_000_000)
            category = Self.value(counted.facts.category.value)
            facts = counted.facts
            context = counted.row.context
        }

        subscript(_ index: Int) -> Key {
            if index < 2 {
                return Key(
                    app: app,
                    dimension: .none,
                    isDay: index == 1,
                    bucket: index == 0 ? quarterHour : day,
                    category: category,
                    value: 0
                )
            }
            let value =
                switch index {
                case 2: facts.requestedCategory.value
                case 3: facts.trigger.value
                case 4: facts.interruptionLevel.value
                case 5: facts.campaign.value
                case 6: facts.variant.value
                case 7: context.platform
                case 8: context.osVersion
                case 9: context.appVersion
                default: context.locale
                }
            return Key(
                app: app,
                dimension: Dimension(rawValue: UInt8(index - 1)) ?? .none,
                isDay: true,
                bucket: day,
                category: category,
                value: Self.value(value)
            )
        }

        /// Null counts as the empty string.
        private static func value(_ id: ByteTable.ID) -> ByteTable.ID { id == ByteTable.none ? 0 : id }

        private static func start(of at: Moment, _ step: Int64) -> Moment {
            let rest = at % step
            return at - (rest < 0 ? rest + step : rest)
        }
    }
}
