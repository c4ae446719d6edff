extension VariantRollup {
    /// What a batch adds to the pairs of days, in parts: a device that got something every day for years adds 93 pairs with each
    /// day.
    package struct Pairs: Sendable {
        private struct Change: Sendable {
            let before: Sum
            let after: Sum
            /// The days that changed, in order.
            let days: [Moment]
            let isChanged: Set<Moment>
        }

        /// About as many pairs as a part has.
        private static let partSize = 50_000
        /// The days of a series that are taken at once.
        private static let daysAtOnce = 100

        private var changes: [Change] = []
        /// The days of the last change that no part has yet.
        private var from = 0

        mutating func add(
            _ series: Series,
            from before: [Moment: Row],
            to after: [Moment: Row],
            days: some Collection<Moment>
        ) {
            changes.append(
                Change(
                    before: Sum(series: series, rows: before, sign: -1),
                    after: Sum(series: series, rows: after, sign: 1),
                    days: days.sorted(),
                    isChanged: Set(days)
                )
            )
        }

        /// The next part. Parts may come in any number and order: sums are added to what is stored, and what one part adds is
        /// the difference of two states.
        ///
        /// - Returns: nil where there are no more.
        /// - Throws: ``FoldError/overflow``.
        package mutating func next() throws(FoldError) -> Sums<Pair>? {
            guard !changes.isEmpty else { return nil }
            var part = Sums<Pair>(width: VariantRollup.pairWidth)
            while let change = changes.last, part.count < Self.partSize {
                let days = change.days[from..<min(from + Self.daysAtOnce, change.days.count)]
                for sum in [change.before, change.after] {
                    if from == 0 { try sum.addSteps(to: &part) }
                    try sum.addProducts(of: days, amongst: change.isChanged, to: &part)
                }
                from = days.endIndex
                if from == change.days.count {
                    changes.removeLast()
                    from = 0
                }
            }
            return part
        }
    }

    /// What rows of a series come to, as far as it depends on days that changed.
    private struct Sum: Sendable {
        let series: Series
        let rows: [Moment: Row]
        let sign: Int64
        /// Days with a notification reached, in order.
        private let reached: [Moment]

        init(series: Series, rows: [Moment: Row], sign: Int64) {
            (self.series, self.rows, self.sign) = (series, rows, sign)
            reached = rows.filter { $0.value[1] > 0 }.keys.sorted()
        }

        private func pair(_ day: Moment, _ other: Moment) -> Pair {
            Pair(
                app: series.app,
                category: series.category,
                campaign: series.campaign,
                variant: series.variant,
                day: day,
                otherDay: other
            )
        }

        /// Each day with the one before it.
        func addSteps(to pairs: inout Sums<Pair>) throws(FoldError) {
            var last = Moment.noOccurrence
            for day in rows.keys.sorted() {
                try pairs.add(pair(day, last), [1, 1, 0] + Self.none.dropFirst(3), times: sign)
                last = day
            }
            last = .noOccurrence
            for day in reached {
                try pairs.add(pair(day, last), [1, 0, 1] + Self.none.dropFirst(3), times: sign)
                last = day
            }
        }

        /// Days that changed, each with itself and with those near it.
        ///
        /// - Parameter changed: all days that changed.
        func addProducts(
            of days: ArraySlice<Moment>,
            amongst changed: Set<Moment>,
            to pairs: inout Sums<Pair>
        ) throws(FoldError) {
            for day in days {
                guard let row = rows[day], row[1] > 0 else { continue }
                try pairs.add(
                    pair(day, .noOccurrence),
                    [1, 0, 0] + row.dropFirst() + Self.none.prefix(1 + 2 * windows),
                    times: sign
                )
                for other in reached[index(of: day - reach)...] {
                    if other.since(day) > reach { break }
                    // Of two days that changed the later one adds the pair.
                    guard let otherRow = rows[other], other <= day || !changed.contains(other) else { continue }
                    try pairs.add(
                        pair(max(day, other), min(day, other)),
                        Self.products(row, otherRow, day == other),
                        times: sign
                    )
                }
            }
        }

        /// The index of the first day reached that is not before a day.
        private func index(of day: Moment) -> Int {
            var range = 0..<reached.count
            while !range.isEmpty {
                let middle = range.lowerBound + range.count / 2
                range = reached[middle] < day ? middle + 1..<range.upperBound : range.lowerBound..<middle
            }
            return range.lowerBound
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
}
