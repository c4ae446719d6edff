import Folds
import Testing

/// What devices got of a variant, and the products of its days: batch by batch against what is computed at once.
@Suite struct VariantRollupTests {
    private typealias Rows = [Moment: VariantRollup.Row]

    /// Days near each other, at the bound of what products are kept of, and beyond it.
    private static let days: [Moment] = [0, 1, 2, 91, 92, 93, 94, 184, 185, 186, 400]

    @Test(arguments: 0..<4)
    func daysAndPairsAreTheSameInAnyBatches(_ seed: UInt64) async throws {
        var random = Random(state: seed)
        var symbols = Symbols()
        let device = symbols.names.symbol(of: "device")
        let variant = symbols.names.symbol(of: "variant")
        for _ in 0..<300 {
            // Tests with time limits go on meanwhile.
            await Task.yield()
            var (held, there): (Rows, [Counted]) = ([:], [])
            var pairs: [VariantRollup.Pair: [Int64]] = [:]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                var batch = VariantRollup()
                for _ in 0..<Int.random(in: 1...5, using: &random) {
                    if !there.isEmpty, Int.random(in: 0..<3, using: &random) == 0 {
                        let gone = there.remove(at: Int.random(in: there.indices, using: &random))
                        try batch.add(gone, app: 1, device: device, sign: -1)
                    } else {
                        there.append(Self.notification(variant, &random))
                        try batch.add(there[there.count - 1], app: 1, device: device, sign: 1)
                    }
                }
                try Self.apply(batch, to: &held, &pairs)
            }
            var (expected, expectedPairs): (Rows, [VariantRollup.Pair: [Int64]]) = ([:], [:])
            var whole = VariantRollup()
            for one in there { try whole.add(one, app: 1, device: device, sign: 1) }
            try Self.apply(whole, to: &expected, &expectedPairs)
            #expect(held == expected)
            #expect(pairs.filter { $0.value.contains { $0 != 0 } } == expectedPairs)
            // A row goes with its first sum.
            #expect(expectedPairs.allSatisfy { $0.value[0] > 0 })
            Self.expectSquares(expected, expectedPairs)
        }
    }

    @Test("a device of many days adds its pairs in parts of a bounded size, whatever else is stored")
    func manyDays() async throws {
        var symbols = Symbols()
        let (device, variant) = (symbols.names.symbol(of: "device"), symbols.names.symbol(of: "variant"))
        func batch(_ days: some Sequence<Int64>) throws -> VariantRollup {
            var batch = VariantRollup()
            for day in days {
                var (facts, row) = (NotificationFacts(), NotificationRow())
                (row.cohortAt, row.stages) = (day * Moment.day, .reachedSeen)
                facts.variant = Claim(rank: Rank(stage: 0, at: 0, id: UUIDValue(high: 0, low: 0)), value: variant)
                try batch.add(Counted(facts: facts, row: row), app: 1, device: device, sign: 1)
            }
            return batch
        }
        let days: Int64 = 2_000
        var (held, pairs): (Rows, [VariantRollup.Pair: [Int64]]) = ([:], [:])
        var sizes: [Int] = []
        try Self.apply(try batch(0..<days), to: &held, &pairs) { sizes.append($0) }
        let reach = VariantRollup.reach / Moment.day
        // Each day with itself, with -infinity and with those up to the bound before it.
        #expect(pairs.count == Int(days * (reach + 2) - reach * (reach + 1) / 2))
        #expect(sizes.count > 2 && sizes.allSatisfy { $0 < 70_000 })
        // Of two days far from each other it looks for what is near either.
        let two = try batch([0, days - 1])
        #expect(two.changed.count == 2 && two.changed.allSatisfy { $0.days.lowerBound == $0.days.upperBound })
        sizes = []
        try Self.apply(two, to: &held, &pairs) { sizes.append($0) }
        #expect(sizes.reduce(0, +) < 2 * Int(reach + 10))
    }

    /// Over any range of no more than the bound, devices and squares of their sums are those of the rows.
    private static func expectSquares(_ rows: Rows, _ pairs: [VariantRollup.Pair: [Int64]]) {
        for from in days {
            for to in days where to > from && to - from <= VariantRollup.reach / Moment.day {
                let range = (from * Moment.day)..<(to * Moment.day)
                let within = rows.filter { range.contains($0.key) }
                let (m, x) = (within.values.reduce(0) { $0 + $1[1] }, within.values.reduce(0) { $0 + $1[5] })
                let ends = pairs.filter { range.contains($0.key.day) }
                let new = ends.filter { $0.key.otherDay < range.lowerBound }.values
                let inside = ends.filter { range.contains($0.key.otherDay) }.values
                #expect(new.reduce(0) { $0 + $1[1] } == (within.isEmpty ? 0 : 1))
                #expect(new.reduce(0) { $0 + $1[2] } == (m > 0 ? 1 : 0))
                #expect(ends.values.reduce(0) { $0 + $1[3] } == m)
                #expect(ends.values.reduce(0) { $0 + $1[7] } == x)
                #expect(inside.reduce(0) { $0 + $1[10] } == m * m)
                #expect(inside.reduce(0) { $0 + $1[14] } == m * x)
                #expect(inside.reduce(0) { $0 + $1[20] } == x * x)
            }
        }
    }

    private static func notification(_ variant: Symbol, _ random: inout Random) -> Counted {
        var (facts, row) = (NotificationFacts(), NotificationRow())
        row.cohortAt = (days.randomElement(using: &random) ?? 0) * Moment.day + 5
        if Int.random(in: 0..<3, using: &random) > 0 { row.stages = .reachedSeen }
        facts.variant = Claim(rank: Rank(stage: 0, at: 0, id: UUIDValue(high: 0, low: 0)), value: variant)
        if Bool.random(using: &random) {
            facts.respondedAt = row.cohortAt + .random(in: 0...40, using: &random) * Moment.day
        }
        return Counted(facts: facts, row: row)
    }

    /// Applies a batch to what is stored, knowing no more of it than what a fold loads.
    private static func apply(
        _ batch: VariantRollup,
        to held: inout Rows,
        _ pairs: inout [VariantRollup.Pair: [Int64]],
        part: (Int) -> Void = { _ in }
    ) throws {
        var known: [VariantRollup.Series: Rows] = [:]
        for (series, days) in batch.changed {
            let (from, to) = (days.lowerBound - VariantRollup.reach, days.upperBound + VariantRollup.reach)
            var loaded = held.filter { $0.key >= from && $0.key <= to }
            for isWanted in [{ (_: VariantRollup.Row) in true }, { $0[1] > 0 }] {
                let others = held.filter { isWanted($0.value) }.keys
                if let day = others.filter({ $0 < from }).max() { loaded[day] = held[day] }
                if let day = others.filter({ $0 > to }).min() { loaded[day] = held[day] }
            }
            known[series, default: [:]].merge(loaded) { $1 }
        }
        var difference = try batch.difference(known)
        for day in difference.removed { held[day.day] = nil }
        for (day, row) in difference.written { held[day.day] = row }
        while let sums = try difference.pairs.next() {
            part(sums.rows.count)
            for (pair, sums) in sums.rows {
                let before = pairs[pair] ?? Array(repeating: 0, count: VariantRollup.pairWidth)
                pairs[pair] = zip(before, sums).map { $0 + $1 }
            }
            // What is stored meanwhile is a state, too.
            #expect(pairs.values.allSatisfy { $0[0] > 0 || $0.allSatisfy { $0 == 0 } })
        }
    }
}
