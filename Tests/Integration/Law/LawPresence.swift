/// On which days notifications reached a device, and on which it responded.
struct LawPresence {
    private struct Series: Hashable {
        var device: String
        var category: String
        var what: String
    }

    /// Notifications by series and day.
    private let days: [Series: [Int64: Int]]

    init(_ notifications: [LawNotification]) {
        var days: [Series: [Int64: Int]] = [:]
        for one in notifications {
            guard let cohort = one.cohortAt else { continue }
            for (what, isSo) in [("reached", one.reached), ("responded", one.responded)] where isSo {
                let series = Series(device: one.device, category: one.category ?? "", what: what)
                days[series, default: [:]][cohort - cohort % 86_400_000_000, default: 0] += 1
            }
        }
        self.days = days
    }

    var rows: [LawRow] {
        days.flatMap { series, days in
            let order = days.keys.sorted()
            return zip(order, [nil] + order.map(Optional.some)).map { day, previous in
                [
                    "device_id": series.device, "category": series.category, "what": series.what, "day": "\(day)",
                    "notifications": "\(days[day] ?? 0)", "previous_day": previous.map(String.init) ?? "-infinity",
                ]
            }
        }
    }

    var countRows: [LawRow] {
        let cells = rows.map { row in row.filter { !["device_id", "notifications"].contains($0.key) } }
        return Dictionary(grouping: cells) { $0 }.map { cell, alike in
            cell.merging(["devices": "\(alike.count)"]) { first, _ in first }
        }
    }
}
