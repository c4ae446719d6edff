/// Which devices notifications reached, and which responded, by day and category: the difference that a batch makes.
///
/// A row has the day of the device's row before it, so that devices of any stretch of whole days can be counted without
/// looking at one: they are those with a row in it whose day before lies before the stretch.
package struct Presence: Sendable {
    /// A device in one category, reached or responding.
    package struct Series: Hashable, Sendable {
        package var app: Int32
        package var device: Symbol
        package var category: Symbol
        package var what: What
    }

    package enum What: UInt8, Sendable { case reached, responded }

    package struct Day: Hashable, Sendable {
        package var series: Series
        package var day: Moment
    }

    /// A row as it is stored.
    package struct Row: Equatable, Sendable {
        package var notifications: Int32
        /// -infinity for the first.
        package var previousDay: Moment

        package init(notifications: Int32, previousDay: Moment) {
            self.notifications = notifications
            self.previousDay = previousDay
        }
    }

    /// What is stored around a day: its row, the day before it that has one, the next that has one.
    package struct Known: Sendable {
        package var row: Row?
        package var before: Moment?
        package var next: (day: Moment, row: Row)?

        package init(row: Row?, before: Moment?, next: (day: Moment, row: Row)?) {
            self.row = row
            self.before = before
            self.next = next
        }
    }

    /// Devices counted by a day of presence and the one before it.
    package struct CountKey: Hashable, Sendable {
        package var app: Int32
        package var day: Moment
        package var what: What
        package var category: Symbol
        package var previousDay: Moment
    }

    /// What to write.
    package struct Difference: Sendable {
        package var removed: [Day] = []
        package var written: [(day: Day, row: Row)] = []
        package var counts = Sums<CountKey>()
    }

    private var notifications = Sums<Day>()

    package init() {}

    /// Counts a notification of a device (sign 1), or counts it no longer (sign -1).
    package mutating func add(_ counted: Counted, app: Int32, device: Symbol, sign: Int64) throws(FoldError) {
        let day = counted.row.cohortAt.bucket(Moment.day)
        let category = counted.facts.category.value.orEmpty
        func series(_ what: What) -> Series { Series(app: app, device: device, category: category, what: what) }
        if counted.row.isReached { try notifications.add(Day(series: series(.reached), day: day), sign) }
        if counted.row.stages.contains(.responded) {
            try notifications.add(Day(series: series(.responded), day: day), sign)
        }
    }

    /// The days that the batch changed, of which ``Known`` has to be known.
    package var days: [Day] { notifications.rows.map(\.key) }

    /// What to write.
    ///
    /// - Parameter known: what is stored around each of ``days``.
    /// - Throws: ``FoldError/overflow``.
    package func difference(_ known: [Day: Known]) throws(FoldError) -> Difference {
        var bySeries: [Series: [(day: Moment, change: Int64)]] = [:]
        for (day, sums) in notifications.rows {
            bySeries[day.series, default: []].append((day.day, sums.first ?? 0))
        }
        var result = Difference()
        for (series, changes) in bySeries {
            try Self.add(series, changes.sorted { $0.day < $1.day }, known, to: &result)
        }
        return result
    }

    private static func add(
        _ series: Series,
        _ changes: [(day: Moment, change: Int64)],
        _ known: [Day: Known],
        to result: inout Difference
    ) throws(FoldError) {
        var old: [Moment: Row] = [:]  // rows that may change
        var count: [Moment: Int32] = [:]  // their notifications after the batch
        var present: Set<Moment> = []  // days with a row after the batch, as far as they matter
        for (day, change) in changes {
            let around = known[Day(series: series, day: day)]
            old[day] = around?.row
            guard let after = Int32(exactly: Int64(around?.row?.notifications ?? 0) + change) else { throw .overflow }
            count[day] = after
            if let before = around?.before { present.insert(before) }
            if let next = around?.next {
                present.insert(next.day)
                if count[next.day] == nil {
                    old[next.day] = next.row
                    count[next.day] = next.row.notifications
                }
            }
        }
        for (day, _) in changes {
            if count[day] == 0 { present.remove(day) } else { present.insert(day) }
        }
        let days = present.sorted()
        var index = 0  // of the first day present that is not before the day looked at
        for (day, notifications) in count.sorted(by: { $0.key < $1.key }) {
            while index < days.count, days[index] < day { index += 1 }
            let before = index == 0 ? Moment.noOccurrence : days[index - 1]
            let row = notifications == 0 ? nil : Row(notifications: notifications, previousDay: before)
            guard row != old[day] else { continue }
            if let row {
                result.written.append((Day(series: series, day: day), row))
            } else {
                result.removed.append(Day(series: series, day: day))
            }
            guard row?.previousDay != old[day]?.previousDay else { continue }
            if let row { try result.counts.add(key(series, day, row), 1) }
            if let row = old[day] { try result.counts.add(key(series, day, row), -1) }
        }
    }

    private static func key(_ series: Series, _ day: Moment, _ row: Row) -> CountKey {
        CountKey(app: series.app, day: day, what: series.what, category: series.category, previousDay: row.previousDay)
    }
}
