import Folds
import Testing

/// Law 1 without a database: what is folded is a function of the set of events.
@Suite struct FoldOrderTests {
    /// Together 100,000 worlds.
    @Test(arguments: 0..<8)
    func anyOrderAndAnyBatchesGiveOneRow(_ seed: UInt64) async throws {
        var world = RandomWorld(random: Random(state: seed))
        for _ in 0..<12_500 {
            // Tests with time limits go on meanwhile.
            await Task.yield()
            let events = try (0..<Int.random(in: 1...7, using: &world.random)).map { _ in try world.event() }
            var together = Stored()
            try together.apply(events, &world.symbols)

            let shuffled = events.shuffled(using: &world.random)
            let cut = Int.random(in: 0...shuffled.count, using: &world.random)
            var apart = Stored()
            try apart.apply(shuffled[..<cut], &world.symbols)
            try apart.apply(shuffled[cut...], &world.symbols)

            guard apart.facts == together.facts, apart.actions == together.actions,
                apart.row(world.symbols) == together.row(world.symbols)
            else {
                Issue.record("seed \(seed): \(events.count) events, cut at \(cut)")
                return
            }
        }
    }

    @Test(arguments: 0..<8)
    func periodsAreThoseOfTheSnapshotsInTheTieOrder(_ seed: UInt64) async {
        var random = Random(state: seed)
        var symbols = Symbols()
        let values = ["a", "b"].map { symbols.names.symbol(of: $0) }
        for _ in 0..<2_500 {
            // Tests with time limits go on meanwhile.
            await Task.yield()
            let snapshots = (0..<Int.random(in: 1...12, using: &random)).map { number in
                Snapshot(
                    at: Moment.random(in: 0...6, using: &random),
                    id: UUIDValue(high: 0, low: UInt64(number)),
                    value: values[Int.random(in: 0...1, using: &random)]
                )
            }
            var inOrder: [Periods.Period] = []
            for snapshot in snapshots.sorted(by: { $0.key < $1.key }) {
                if inOrder.last?.value == snapshot.value {
                    inOrder[inOrder.count - 1].last = snapshot.key
                } else {
                    inOrder.append(Periods.Period(of: snapshot.key, value: snapshot.value))
                }
            }
            // In batches of any order. What a split period has is looked up; the log has the others' too.
            var rest = snapshots.shuffled(using: &random)[...]
            var log: [SnapshotKey] = []
            var shuffled = Periods()
            while !rest.isEmpty {
                let batch = Array(rest.prefix(Int.random(in: 1...4, using: &random)))
                rest = rest.dropFirst(batch.count)
                let isSplit = !shuffled.split(by: batch).isEmpty
                // All that the log has, or only what is next to the batch's.
                let inside = Bool.random(using: &random) ? log : Self.beside(batch, shuffled, log: log)
                shuffled = shuffled.merged(with: batch, inside: isSplit ? inside : [])
                log += batch.map(\.key)
            }
            #expect(shuffled.list == inOrder)
        }
    }

    /// The ends of the periods that snapshots split, and what a log has next to the snapshots inside them.
    private static func beside(_ snapshots: [Snapshot], _ periods: Periods, log: [SnapshotKey]) -> [SnapshotKey] {
        var result = Set(periods.split(by: snapshots).flatMap { [$0.first, $0.last] })
        for snapshot in periods.inside(snapshots) {
            if let before = log.filter({ $0 < snapshot.key }).max() { result.insert(before) }
            if let after = log.filter({ $0 > snapshot.key }).min() { result.insert(after) }
        }
        return result.sorted()
    }

    @Test(arguments: 0..<4)
    func theChangesOfPeriodsMakeOneListOfTheOther(_ seed: UInt64) async {
        var random = Random(state: seed)
        var symbols = Symbols()
        let values = ["a", "b"].map { symbols.names.symbol(of: $0) }
        func periods() -> Periods {
            Periods().merged(
                with: (0..<Int.random(in: 0...6, using: &random)).map { number in
                    Snapshot(
                        at: Moment.random(in: 0...6, using: &random),
                        id: UUIDValue(high: 0, low: UInt64(number)),
                        value: values[Int.random(in: 0...1, using: &random)]
                    )
                }
            )
        }
        for _ in 0..<2_500 {
            // Tests with time limits go on meanwhile.
            await Task.yield()
            let (old, new) = (periods(), periods())
            let changes = new.changes(from: old)
            func key(_ period: Periods.Period) -> UUIDValue {
                UUIDValue(high: UInt64(period.firstAt), low: period.firstID.low)
            }
            var rows = Dictionary(uniqueKeysWithValues: old.list.map { (key($0), $0) })
            for period in changes.removed { rows[key(period)] = nil }
            for period in changes.moved { rows[key(period)] = period }
            for period in changes.new {
                #expect(rows[key(period)] == nil)
                rows[key(period)] = period
            }
            #expect(rows.values.sorted { key($0) < key($1) } == new.list)
        }
    }

    /// A device of many periods is known around the times of a batch alone.
    @Test(arguments: 0..<4)
    func periodsAroundTimesChangeAsAllPeriodsDo(_ seed: UInt64) async {
        var random = Random(state: seed)
        var symbols = Symbols()
        let values = ["a", "b", "c"].map { symbols.names.symbol(of: $0) }
        func snapshots(_ count: Int, from number: Int) -> [Snapshot] {
            (number..<number + count).map {
                Snapshot(
                    at: Moment.random(in: 0...20, using: &random),
                    id: UUIDValue(high: 0, low: UInt64($0)),
                    value: values[Int.random(in: 0...2, using: &random)]
                )
            }
        }
        for _ in 0..<2_500 {
            // Tests with time limits go on meanwhile.
            await Task.yield()
            let stored = snapshots(12, from: 0)
            var all = Periods().merged(with: stored)
            let said = snapshots(Int.random(in: 1...3, using: &random), from: 12)
            let asked = said.map(\.key.at) + [Moment.random(in: 0...20, using: &random)]
            var around = Periods(
                all.list.enumerated().filter { index, _ in
                    asked.contains { at in
                        let first = all.list.lastIndex { $0.firstAt < at } ?? 0
                        let last = all.list.firstIndex { $0.firstAt > at } ?? all.list.count
                        return (first...last).contains(index)
                    }
                }.map(\.element)
            )
            let (knownOfAll, knownAround) = (all, around)
            #expect(around.split(by: said) == all.split(by: said))
            all = all.merged(with: said, inside: stored.map(\.key))
            around = around.merged(with: said, inside: stored.map(\.key))
            let (changes, expected) = (around.changes(from: knownAround), all.changes(from: knownOfAll))
            #expect(
                changes.removed == expected.removed && changes.new == expected.new && changes.moved == expected.moved
            )
            let (part, whole) = (DevicePeriods(context: around), DevicePeriods(context: all))
            let (partBefore, wholeBefore) = (DevicePeriods(context: knownAround), DevicePeriods(context: knownOfAll))
            #expect(asked.allSatisfy { part.context(at: $0) == whole.context(at: $0) })
            // Every time at which another value holds now.
            for at in Moment(-1)...21 where whole.context(at: at) != wholeBefore.context(at: at) {
                #expect(part.changed(since: partBefore)?.contains(at) == true)
                #expect(whole.changed(since: wholeBefore)?.contains(at) == true)
            }
        }
    }

    @Test func aCountBeyondItsTypeIsThrown() throws {
        var facts = NotificationFacts()
        facts.requests = .max
        var more = NotificationFacts()
        more.requests = 1
        #expect(throws: FoldError.overflow) { try facts.merge(more) }
    }

    /// As a migration packs the claims of earlier releases: 25 bytes each.
    @Test func factsThatAMigrationPackedAreReadAsTheyWere() throws {
        var world = RandomWorld(random: Random(state: 2))
        for _ in 0..<200 {
            var stored = Stored()
            try stored.apply((0..<4).map { _ in try world.event() }, &world.symbols)
            var facts = stored.facts
            facts.own = OwnValues()
            // The first ones are all that earlier releases knew.
            facts.lastRequestedAt = facts.flags.contains(.addSucceeded) ? facts.requestedAt : .none
            facts.lastWithdrawnAt = facts.withdrawnAt
            var bytes: [UInt8] = [0]
            let alerts: UInt8 = facts.alerting.isNone ? 2 : facts.alerting.value == world.symbols.yes ? 1 : 0
            bytes.append(alerts + (facts.flags.contains(.hasText) ? 4 : 0))
            bytes.append(facts.arrivedAt == .none ? 0 : 1)
            if facts.arrivedAt != .none { Self.append(facts.arrivedAt, to: &bytes) }
            var read = facts
            read.arrivedAt = .none
            read.flags.remove(.hasText)
            for claim in [
                \NotificationFacts.action, \.alerting, \.requestedCategory, \.category, \.trigger,
                \.interruptionLevel, \.campaign, \.variant, \.thread,
            ] {
                bytes.append(facts[keyPath: claim].isNone ? 0 : 1)
                guard !facts[keyPath: claim].isNone else { continue }
                let rank = facts[keyPath: claim].rank
                bytes.append(rank.stage)
                Self.append(rank.at, to: &bytes)
                Self.append(rank.id.high, to: &bytes)
                Self.append(rank.id.low, to: &bytes)
                read[keyPath: claim].rank = .none
            }
            try bytes.withUnsafeBytes { try read.unpack($0, &world.symbols) }
            #expect(read == facts)
        }
    }

    private static func append<Value: FixedWidthInteger>(_ value: Value, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    @Test func packedFactsOfAnotherVersionOrCutShortAreAnError() throws {
        var world = RandomWorld(random: Random(state: 1))
        var stored = Stored()
        try stored.apply([try world.event(), try world.event()], &world.symbols)
        var bytes: [UInt8] = []
        stored.facts.pack(into: &bytes, world.symbols)
        for cut in 0..<bytes.count {
            var facts = NotificationFacts()
            #expect(throws: FoldError.packing) {
                try bytes[..<cut].withUnsafeBytes { try facts.unpack($0, &world.symbols) }
            }
        }
        bytes[0] = 99
        var facts = NotificationFacts()
        #expect(throws: FoldError.packing) { try bytes.withUnsafeBytes { try facts.unpack($0, &world.symbols) } }
    }
}

extension DevicePeriods {
    fileprivate init(context: Periods) {
        self.init()
        self.context = context
    }
}
