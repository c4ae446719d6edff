/// What devices got of the variants of messages by day, and what that comes to by pairs of days: by plain loops over devices.
struct LawVariants {
    /// What a device got on a day: notifications, those reached, and of these those responded to within each window.
    private struct Day {
        var notifications = 0
        var reached = 0
        var within = [0, 0, 0, 0, 0, 0]
    }

    private static let day: Int64 = 86_400_000_000
    private static let windows: [(name: String, length: Int64)] = [
        ("1h", day / 24), ("6h", day / 4), ("1d", day), ("3d", 3 * day), ("7d", 7 * day), ("30d", 30 * day),
    ]

    /// By what makes a series, and by day.
    private let series: [LawRow: [Int64: Day]]

    init(_ notifications: [LawNotification]) {
        var series: [LawRow: [Int64: Day]] = [:]
        for one in notifications {
            guard let cohort = one.cohortAt, let variant = one.variant, !one.responseOnly else { continue }
            let key: LawRow = [
                "device_id": one.device, "category": one.category ?? "", "campaign": one.campaign ?? "",
                "variant": variant,
            ]
            var day = series[key]?[cohort - cohort % Self.day] ?? Day()
            day.notifications += 1
            if one.reached {
                day.reached += 1
                if let responded = one.respondedAt {
                    for (place, window) in Self.windows.enumerated()
                    where responded - (one.shownAt ?? cohort) <= window.length { day.within[place] += 1 }
                }
            }
            series[key, default: [:]][cohort - cohort % Self.day] = day
        }
        self.series = series
    }

    var dayRows: [LawRow] {
        series.flatMap { key, days in
            days.map { start, day in
                var row = key
                row.set("day", start)
                row.set("notifications", day.notifications)
                row.set("reached", day.reached)
                for (place, window) in Self.windows.enumerated() { row.set("within_" + window.name, day.within[place]) }
                return row
            }
        }
    }

    var crossedRows: [LawRow] {
        Dictionary(grouping: series.keys) { key in key.filter { $0.key != "variant" } }.filter { $0.value.count > 1 }
            .map(\.key)
    }

    var pairRows: [LawRow] {
        var sums: [LawRow: [String: Int]] = [:]
        for (key, days) in series {
            func add(_ day: Int64, _ other: Int64?, _ amounts: [String: Int]) {
                var pair = key.filter { $0.key != "device_id" }
                pair.set("day", day)
                pair["other_day"] = other.map { "\($0)" } ?? "-infinity"
                sums[pair, default: [:]].merge(amounts.merging(["entries": 1]) { $1 }) { $0 + $1 }
            }
            for (start, day) in days {
                add(start, days.keys.filter { $0 < start }.max(), ["devices": 1])
                guard day.reached > 0 else { continue }
                let reached = days.filter { $0.value.reached > 0 }
                add(start, reached.keys.filter { $0 < start }.max(), ["reached_devices": 1])
                var alone = ["reached": day.reached]
                for (place, window) in Self.windows.enumerated() { alone["within_" + window.name] = day.within[place] }
                add(start, nil, alone)
                // Every ordered pair of days counts, under the later one.
                for (other, otherDay) in reached where other <= start && start - other <= 92 * Self.day {
                    let times = other == start ? 1 : 2
                    var products = ["reached_reached": times * day.reached * otherDay.reached]
                    for (place, window) in Self.windows.enumerated() {
                        let (x, y) = (day.within[place], otherDay.within[place])
                        products["reached_within_" + window.name] =
                            other == start ? day.reached * x : day.reached * y + otherDay.reached * x
                        products["within_within_" + window.name] = times * x * y
                    }
                    add(start, other, products)
                }
            }
        }
        let columns =
            ["entries", "devices", "reached_devices", "reached", "reached_reached"]
            + ["within_", "reached_within_", "within_within_"].flatMap { kind in Self.windows.map { kind + $0.name } }
        return sums.map { pair, sums in
            columns.reduce(into: pair) { row, column in row.set(column, sums[column] ?? 0) }
        }
    }
}
