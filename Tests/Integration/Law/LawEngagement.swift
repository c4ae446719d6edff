/// The rollups: notifications added up one at a time.
struct LawEngagement {
    private let notifications: [LawNotification]
    private static let quarterHour: Int64 = 900_000_000
    private static let day: Int64 = 86_400_000_000

    init(_ notifications: [LawNotification]) {
        self.notifications = notifications.filter { $0.cohortAt != nil }
    }

    /// The cells that a notification counts in.
    private func cells(of notification: LawNotification) -> [LawRow] {
        let cohort = notification.cohortAt ?? 0
        let day = cohort - cohort % Self.day
        let row = notification.row
        let dimensions = [
            "requested_category", "trigger", "interruption_level", "campaign", "variant", "platform", "os_version",
            "app_version", "locale",
        ]
        let alone = [("quarter_hour", cohort - cohort % Self.quarterHour), ("day", day)].map { grain, bucket in
            ["dimension": "", "grain": grain, "bucket": "\(bucket)", "value": ""]
        }
        let crossed = dimensions.map { name in
            ["dimension": name, "grain": "day", "bucket": "\(day)", "value": row[name] ?? ""]
        }
        return (alone + crossed).map { cell in
            cell.merging(["category": notification.category ?? ""]) { first, _ in first }
        }
    }

    private static let counted = [
        "requested", "failed", "reached_seen", "reached_assumed", "delivered", "presented", "suppressed", "silent",
        "responded", "opened", "acted", "replied", "app_opened", "dismissed", "withdrawn", "response_only",
        "dismiss_observable", "delivery_observable",
    ]

    var rows: [LawRow] {
        var sums: [LawRow: [String: Int]] = [:]
        for notification in notifications {
            let row = notification.row
            var counts = Dictionary(uniqueKeysWithValues: Self.counted.map { ($0, row[$0] == "true" ? 1 : 0) })
            counts["notifications"] = 1
            counts["reached"] = notification.reached ? 1 : 0
            counts["delivered_seen"] = notification.deliveries.isEmpty ? 0 : 1
            counts["presented_seen"] = notification.wasShown ? 1 : 0
            counts["dismiss_observed"] = notification.dismissObservable && notification.dismissed ? 1 : 0
            counts["delivery_observed"] = notification.deliveryObservable && notification.delivered ? 1 : 0
            counts["updates"] = max(0, notification.requests.count - 1)
            counts["duplicate_callbacks"] = notification.duplicateCallbacks
            for cell in cells(of: notification) {
                sums[cell, default: [:]].merge(counts, uniquingKeysWith: +)
            }
        }
        return sums.map { cell, counts in cell.merging(counts.mapValues(String.init)) { first, _ in first } }
    }

    /// Its first response, unless it is known by nothing else, and its dismissal where iOS would tell of one.
    private func endings(of notification: LawNotification) -> [(outcome: String, at: Int64)] {
        var endings: [(outcome: String, at: Int64)] = []
        if let responded = notification.respondedAt, !notification.responseOnly {
            endings.append((notification.opened ? "opened" : notification.acted ? "acted" : "replied", responded))
        }
        if let dismissed = notification.dismissedAt, notification.dismissObservable {
            endings.append(("dismissed", dismissed))
        }
        return endings
    }

    func latencyRows(bounds: [Int64]) -> [LawRow] {
        var sums: [LawRow: Int] = [:]
        for notification in notifications {
            for ending in endings(of: notification) {
                let latency = max(0, ending.at - (notification.shownAt ?? notification.cohortAt ?? 0))
                for var cell in cells(of: notification) {
                    cell["outcome"] = ending.outcome
                    cell.set("app_opened", ending.outcome != "dismissed" && notification.appOpened)
                    cell.set("reached", notification.reached)
                    cell.set("timed", notification.shownAt != nil)
                    cell.set("latency", bounds.count { $0 < latency })
                    sums[cell, default: 0] += 1
                }
            }
        }
        return sums.map { cell, count in cell.merging(["responses": "\(count)"]) { first, _ in first } }
    }
}
