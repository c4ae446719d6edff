import Folds
import Testing

/// The rollups of many batches, added up, are those of one batch with everything.
@Suite struct RollupTests {
    private static let bounds: [Int64] = [1, 3, 6, 10]

    @Test(arguments: 0..<4)
    func differencesAddUpToTheCountsOfWhatIsThere(_ seed: UInt64) async throws {
        var world = RandomWorld(random: Random(state: seed))
        let device = world.symbols.names.symbol(of: "device")
        for _ in 0..<500 {
            // Tests with time limits go on meanwhile.
            await Task.yield()
            var stored = [Stored](repeating: Stored(), count: 3)
            var engagement = EngagementRollup(latencyBounds: Self.bounds)
            var cohort = CohortRollup(world.symbols)
            var outcomes = OutcomeRollup(bounds: Self.bounds)
            var repeated = RepeatedRollup()
            for _ in 0..<Int.random(in: 1...5, using: &world.random) {
                let index = Int.random(in: 0..<stored.count, using: &world.random)
                let events = try (0..<Int.random(in: 1...4, using: &world.random)).map { _ in try world.event() }
                let before = stored[index]
                try stored[index].apply(events, &world.symbols)
                for event in events { try repeated.add(event, app: 1) }
                try repeated.moveFirst(
                    from: before.facts.requestReceivedAt,
                    to: stored[index].facts.requestReceivedAt,
                    app: 1
                )
                for (action, after) in stored[index].actions where after != before.actions[action] {
                    var change = try ActionChange(after, known: nil)
                    change.before = before.actions[action]
                    try repeated.add(change, app: 1)
                }
                for (one, sign) in [(before, -1), (stored[index], 1)] as [(Stored, Int64)] {
                    let counted = one.counted(world.symbols)
                    guard counted.row.cohortAt != .none else { continue }
                    try engagement.add(counted, app: 1, sign: sign)
                    try cohort.add(counted, app: 1, device: device, sign: sign)
                    try outcomes.add(counted, app: 1, sign: sign)
                }
            }
            var whole = EngagementRollup(latencyBounds: Self.bounds)
            var wholeCohort = CohortRollup(world.symbols)
            var wholeOutcomes = OutcomeRollup(bounds: Self.bounds)
            for one in stored {
                let counted = one.counted(world.symbols)
                guard counted.row.cohortAt != .none else { continue }
                try whole.add(counted, app: 1, sign: 1)
                try wholeCohort.add(counted, app: 1, device: device, sign: 1)
                try wholeOutcomes.add(counted, app: 1, sign: 1)
            }
            #expect(Self.equal(engagement.counts, whole.counts))
            #expect(Self.equal(engagement.latencies, whole.latencies))
            #expect(Self.equal(cohort.stages, wholeCohort.stages))
            #expect(Self.equal(cohort.zones, wholeCohort.zones))
            #expect(Self.equal(cohort.weeks, wholeCohort.weeks))
            #expect(Self.equal(cohort.reaches, wholeCohort.reaches))
            #expect(Self.equal(outcomes.counts, wholeOutcomes.counts))
            // Requests and callbacks beyond the first.
            let updates = stored.reduce(0) { $0 + Int64(max($1.facts.requests - 1, 0)) }
            let duplicates = stored.reduce(0) { $0 + Int64($1.facts.duplicateCallbacks) }
            #expect(repeated.counts.rows.reduce(0) { $0 + ($1.sums.first ?? 0) } == updates + duplicates)
        }
    }

    private static func equal<Key>(_ left: Sums<Key>, _ right: Sums<Key>) -> Bool {
        func rows(_ sums: Sums<Key>) -> [Key: [Int64]] {
            Dictionary(uniqueKeysWithValues: sums.rows.map { ($0.key, Array($0.sums)) })
        }
        return rows(left) == rows(right)
    }

    /// Rows and counts of presence, batch by batch, against those computed at once of all that was counted.
    @Test(arguments: 0..<4)
    func presenceIsTheSameInAnyBatches(_ seed: UInt64) async throws {
        var random = Random(state: seed)
        var symbols = Symbols()
        let device = symbols.names.symbol(of: "device")
        for _ in 0..<500 {
            // Tests with time limits go on meanwhile.
            await Task.yield()
            var held: [Moment: Presence.Row] = [:]
            var counts: [Presence.CountKey: Int64] = [:]
            var there: [Moment: Int64] = [:]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                var presence = Presence()
                for _ in 0..<Int.random(in: 1...5, using: &random) {
                    let day = Moment.random(in: 0...6, using: &random)
                    let isGone = there[day, default: 0] > 0 && Bool.random(using: &random)
                    there[day, default: 0] += isGone ? -1 : 1
                    try presence.add(Self.reached(on: day), app: 1, device: device, sign: isGone ? -1 : 1)
                }
                let difference = try presence.difference(
                    Dictionary(uniqueKeysWithValues: presence.days.map { ($0, Self.known(around: $0.day, held)) })
                )
                for day in difference.removed { held[day.day] = nil }
                for (day, row) in difference.written { held[day.day] = row }
                for (key, sums) in difference.counts.rows { counts[key, default: 0] += sums.first ?? 0 }
            }
            var previous = Moment.noOccurrence
            var expected: [Moment: Presence.Row] = [:]
            for (day, notifications) in there.filter({ $0.value > 0 }).sorted(by: { $0.key < $1.key }) {
                expected[day * Moment.day] = Presence.Row(
                    notifications: Int32(notifications),
                    previousDay: previous
                )
                previous = day * Moment.day
            }
            #expect(held == expected)
            let counted = counts.filter { $0.value != 0 }
            #expect(counted.count == expected.count)
            #expect(counted.allSatisfy { expected[$0.key.day]?.previousDay == $0.key.previousDay && $0.value == 1 })
        }
    }

    private static func reached(on day: Moment) -> Counted {
        var row = NotificationRow()
        row.cohortAt = day * Moment.day + 5
        row.stages = .reachedSeen
        return Counted(facts: NotificationFacts(), row: row)
    }

    private static func known(around day: Moment, _ held: [Moment: Presence.Row]) -> Presence.Known {
        let next = held.filter { $0.key > day }.min { $0.key < $1.key }
        return Presence.Known(
            row: held[day],
            before: held.keys.filter { $0 < day }.max(),
            next: next.map { ($0.key, $0.value) }
        )
    }
}
