/// What each device got of a variant of a message, and what it made of that, by day: the difference that a batch makes, and
/// what the report experiment adds up.
///
/// The variance of a rate with the device as the unit needs squares of a device's sums over a range. They are sums of
/// products of its sums of two days, which add up over devices and over pairs of days.
package struct VariantRollup: Sendable {
    /// What a device got of a variant, in one category and campaign.
    package struct Series: Hashable, Sendable {
        package var app: Int32
        package var device: Symbol
        package var category: Symbol
        package var campaign: Symbol
        package var variant: Symbol
    }

    package struct Day: Hashable, Sendable {
        package var series: Series
        package var day: Moment
    }

    /// Of a device and day: notifications, of those the ones reached, and of these the ones responded to within each of
    /// ``Latency/windows``.
    package typealias Row = [Int64]

    /// A pair of days, or a day and -infinity: what concerns that day alone.
    package struct Pair: Hashable, Sendable {
        package var app: Int32
        package var category: Symbol
        package var campaign: Symbol
        package var variant: Symbol
        package var day: Moment
        package var otherDay: Moment
    }

    /// What to write.
    package struct Difference: Sendable {
        package var removed: [Day] = []
        package var written: [(day: Day, row: Row)] = []
        package var pairs = Sums<Pair>(width: VariantRollup.pairWidth)
    }

    private static let windows = Latency.windows.count
    package static let rowWidth = 2 + windows
    /// Rows of devices; devices by the day before it on which they got, or were reached; reached; within each window; products:
    /// reached and reached, reached and within each window, within and within.
    package static let pairWidth = 5 + 3 * windows
    /// Products are kept of days no further apart, so that the cost of a notification does not grow with what its device got.
    package static let reach = 92 * Moment.day

    private var sums = Sums<Day>(width: VariantRollup.rowWidth)

    package init() {}

    /// Counts a notification of a device (sign 1), or counts it no longer (sign -1).
    package mutating func add(_ counted: Counted, app: Int32, device: Symbol, sign: Int64) throws(FoldError) {
        let variant = counted.facts.variant.value
        guard variant != .none, !counted.row.stages.contains(.responseOnly) else { return }
        let series = Series(
            app: app,
            device: device,
            category: counted.facts.category.value.orEmpty,
            campaign: counted.facts.campaign.value.orEmpty,
            variant: variant
        )
        let isReached = counted.row.isReached
        let within = Latency.window(from: counted.timedFrom, to: counted.facts.respondedAt)
        var amounts: Row = [1, isReached ? 1 : 0]
        for window in 1...Self.windows { amounts.append(isReached && within > 0 && within <= window ? 1 : 0) }
        try sums.add(Day(series: series, day: counted.row.cohortAt.bucket(Moment.day)), amounts, times: sign)
    }

    /// The series that the batch changed, with the first and the last day on which it did.
    package var changed: [(series: Series, days: ClosedRange<Moment>)] {
        var days: [Series: ClosedRange<Moment>] = [:]
        for row in sums.rows {
            let (series, day) = (row.key.series, row.key.day)
            days[series] = days[series].map { min($0.lowerBound, day)...max($0.upperBound, day) } ?? day...day
        }
        return days.map { ($0.key, $0.value) }
    }

    /// What to write.
    ///
    /// - Parameter known: of each series that changed the rows within ``reach`` of the days changed; and on either side, those
    ///   up to the nearest one, and the nearest one with a notification reached.
    /// - Throws: ``FoldError/overflow``.
    package func difference(_ known: [Series: [Moment: Row]]) throws(FoldError) -> Difference {
        var result = Difference()
        var changes: [Series: [Moment: Row]] = [:]
        for row in sums.rows { changes[row.key.series, default: [:]][row.key.day] = Row(row.sums) }
        for (series, days) in changes {
            let before = known[series] ?? [:]
            var after = before
            for (day, change) in days {
                var row = before[day] ?? Row(repeating: 0, count: Self.rowWidth)
                for index in row.indices { row[index] = try row[index].adding(change[index]) }
                after[day] = row[0] == 0 ? nil : row
                if after[day] != nil {
                    result.written.append((Day(series: series, day: day), row))
                } else {
                    result.removed.append(Day(series: series, day: day))
                }
            }
            try Self.add(series, before, Set(days.keys), sign: -1, to: &result.pairs)
            try Self.add(series, after, Set(days.keys), sign: 1, to: &result.pairs)
        }
        return result
    }

    /// Adds what rows of a series come to, as far as it depends on days that changed.
    private static func add(
        _ series: Series,
        _ rows: [Moment: Row],
        _ changed: Set<Moment>,
        sign: Int64,
        to pairs: inout Sums<Pair>
    ) throws(FoldError) {
        func pair(_ day: Moment, _ other: Moment) -> Pair {
            Pair(
                app: series.app,
                category: series.category,
                campaign: series.campaign,
                variant: series.variant,
                day: day,
                otherDay: other
            )
        }
        var (last, lastReached) = (Moment.noOccurrence, Moment.noOccurrence)
        for day in rows.keys.sorted() {
            guard let row = rows[day] else { continue }
            try pairs.add(pair(day, last), [1, 1, 0] + none.dropFirst(3), times: sign)
            last = day
            guard row[1] > 0 else { continue }
            try pairs.add(pair(day, lastReached), [1, 0, 1] + none.dropFirst(3), times: sign)
            lastReached = day
        }
        for day in changed {
            guard let row = rows[day], row[1] > 0 else { continue }
            try pairs.add(
                pair(day, .noOccurrence),
                [1, 0, 0] + row.dropFirst() + none.prefix(1 + 2 * windows),
                times: sign
            )
            for (other, otherRow) in rows where otherRow[1] > 0 && max(day, other).since(min(day, other)) <= reach {
                // Of two days that changed the later one adds the pair.
                if changed.contains(other), other > day { continue }
                try pairs.add(
                    pair(max(day, other), min(day, other)),
                    products(row, otherRow, day == other),
                    times: sign
                )
            }
        }
    }

    private static let none = Row(repeating: 0, count: pairWidth)

    /// Of two days each product counts twice, as it does in the square of their sum.
    private static func products(_ row: Row, _ other: Row, _ isSame: Bool) -> Row {
        let times: Int64 = isSame ? 1 : 2
        var result: Row = [1, 0, 0, 0]
        result += Row(repeating: 0, count: windows)
        result.append(times * row[1] * other[1])
        for window in 2..<rowWidth {
            result.append(isSame ? row[1] * row[window] : row[1] * other[window] + row[window] * other[1])
        }
        for window in 2..<rowWidth { result.append(times * row[window] * other[window]) }
        return result
    }
}
