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

    /// What to write of the devices' days.
    package struct Difference: Sendable {
        package var removed: [Day] = []
        package var written: [(day: Day, row: Row)] = []
        /// What to add to the pairs of days.
        package var pairs = Pairs()
    }

    static let windows = Latency.windows.count
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

    /// The stretches of days that the batch changed, of each series. Days that have no pair in common lie in stretches of
    /// their own: of what is between them nothing is needed.
    package var changed: [(series: Series, days: ClosedRange<Moment>)] {
        var days: [Series: [Moment]] = [:]
        for row in sums.rows { days[row.key.series, default: []].append(row.key.day) }
        var result: [(series: Series, days: ClosedRange<Moment>)] = []
        for (series, days) in days {
            let days = days.sorted()
            var first = 0
            for next in days.indices.dropFirst() where days[next].since(days[next - 1]) > 2 * Self.reach {
                result.append((series, days[first]...days[next - 1]))
                first = next
            }
            result.append((series, days[first]...days[days.count - 1]))
        }
        return result
    }

    /// What to write.
    ///
    /// - Parameter known: of each series that changed the rows within ``reach`` of the stretches changed; and on either side of
    ///   each, those up to the nearest one, and the nearest one with a notification reached.
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
            result.pairs.add(series, from: before, to: after, days: days.keys)
        }
        return result
    }
}
