/// What single reports count notifications by. Of `cohort_stage` the model of the report funnel knows.
struct LawCohort {
    private static let minute: Int64 = 60_000_000
    private static let windows = [60, 360, 1440, 4320, 10080, 43200].map { $0 * minute }

    private struct Counted {
        let one: LawNotification
        let cohort: Int64
        /// The place of the least window that the response came in, from 1; 0 without one.
        let within: Int
    }

    private let counted: [Counted]

    init(_ notifications: [LawNotification]) {
        counted = notifications.compactMap { one in
            guard let cohort = one.cohortAt else { return nil }
            let latency = one.respondedAt.map { $0 - (one.shownAt ?? cohort) }
            let within = latency.map { latency in 1 + Self.windows.count { $0 < latency } } ?? 0
            return Counted(one: one, cohort: cohort, within: within)
        }
    }

    private func sums(_ cells: [LawRow]) -> [LawRow] {
        Dictionary(grouping: cells) { $0 }.map { cell, alike in
            cell.merging(["notifications": "\(alike.count)"]) { first, _ in first }
        }
    }

    var zoneRows: [LawRow] {
        sums(
            counted.filter(\.one.reached).map { counted in
                [
                    "bucket": "\(counted.cohort - counted.cohort % (15 * Self.minute))",
                    "time_zone": counted.one.row["time_zone"] ?? "", "within": "\(counted.within)",
                ]
            }
        )
    }

    var weekRows: [LawRow] {
        struct Key: Hashable {
            var device: String
            var week: Int64
        }
        let (week, monday) = (7 * 1440 * Self.minute, 4 * 1440 * Self.minute)
        let groups = Dictionary(grouping: counted.filter(\.one.reached)) { counted in
            Key(device: counted.one.device, week: counted.cohort - (counted.cohort - monday) % week)
        }
        return groups.map { key, counted in
            let row: LawRow = ["device_id": key.device, "week": "\(key.week)"]
            return row.merging(reached(counted)) { first, _ in first }
        }
    }

    /// How many were reached, and of those how many had a response within each window.
    private func reached(_ counted: [Counted]) -> LawRow {
        let reached = counted.filter(\.one.reached)
        var row: LawRow = ["reached": "\(reached.count)"]
        for (place, name) in ["1h", "6h", "1d", "3d", "7d", "30d"].enumerated() {
            row["within_" + name] = "\(reached.count { (1...place + 1).contains($0.within) })"
        }
        return row
    }

    var reachRows: [LawRow] {
        let cells = counted.filter { $0.one.requested && $0.one.isAlerting }.map { counted -> (LawRow, Counted) in
            let cell: LawRow = [
                "bucket": "\(counted.cohort - counted.cohort % (1440 * Self.minute))",
                "category": counted.one.category ?? "", "class": LawReach(counted.one, isDead: false).rawValue,
            ]
            return (cell, counted)
        }
        return Dictionary(grouping: cells) { $0.0 }.map { cell, alike in
            cell.merging(["notifications": "\(alike.count)"]) { first, _ in first }
                .merging(reached(alike.map(\.1))) { first, _ in first }
        }
    }

    /// - Parameter bounds: upper bounds of the latency buckets, without the ends of periods that are none.
    func outcomeRows(bounds: [Int64]) -> [LawRow] {
        let bounds = LawOutcome.bounds(bounds)
        let cells = counted.compactMap { counted -> (cell: LawRow, one: LawNotification)? in
            guard counted.one.reached, let shown = counted.one.shownAt else { return nil }
            let day = 1440 * Self.minute
            var cell: LawRow = [
                "bucket": "\(counted.cohort - counted.cohort % day)", "shown_day": "\(shown - shown % day)",
                "category": counted.one.category ?? "", "outcome": "", "latency": "0",
            ]
            if let first = LawOutcome(counted.one) {
                cell["outcome"] = first.name
                cell["latency"] = "\(LawOutcome.bucket(first.at - shown, bounds))"
            }
            return (cell, counted.one)
        }
        return Dictionary(grouping: cells, by: \.cell).map { cell, alike in
            cell.merging([
                "notifications": "\(alike.count)", "dismiss_observable": "\(alike.count { $0.one.dismissObservable })",
            ]) { first, _ in first }
        }
    }
}
