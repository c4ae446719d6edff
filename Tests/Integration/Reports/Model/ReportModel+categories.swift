import Reports

extension ReportModel {
    func removals(_ question: ReportQuestion) -> [Record] {
        byInterval(passing(question), question, at: \.cohort).flatMap { interval, notifications in
            Dictionary(grouping: notifications, by: \.category).flatMap { category, notifications in
                ["", "replaced", "removed_by_app", "gone"].compactMap { reason -> Record? in
                    let removed = notifications.compactMap { notification -> (of: Counted, removals: [LawEvent])? in
                        let removals = notification.one.events("removal").filter {
                            ($0["reason"]?.string ?? "") == reason
                        }
                        return removals.isEmpty ? nil : (notification, removals)
                    }
                    guard !removed.isEmpty else { return nil }
                    func inState(_ state: String) -> [(of: Counted, removals: [LawEvent])] {
                        removed.filter { $0.removals.contains { ($0["state"]?.string ?? "") == state } }
                    }
                    let times = inState("delivered").compactMap { removed -> Int64? in
                        guard let shown = removed.of.one.shownAt else { return nil }
                        let first = removed.removals.first { $0["state"] == "delivered" }
                        return first.map { max(0, $0.at - shown) }
                    }
                    return record(
                        interval,
                        question,
                        [
                            "category": .name(category), "reason": .name(reason),
                            "notifications": .count(removed.count),
                            "share": .rate(removed.count, notifications.count),
                            "pending": .count(inState("pending").count),
                            "delivered": .count(inState("delivered").count), "unstated": .count(inState("").count),
                            "withdrawn": .count(
                                inState("pending").count { reason != "replaced" && $0.of.one.withdrawn }
                            ),
                            "responded": .count(removed.count { $0.of.one.responded }),
                            "delivered_p50": .percentile(0.5, ofMicroseconds: times),
                        ]
                    )
                }
            }
        }
    }

    func categories(_ question: ReportQuestion) -> [Record] {
        byInterval(passing(question), question, at: \.cohort).flatMap { interval, notifications in
            let known = law.categories.rows.filter { row in
                (Int64(row["first_at"] ?? "") ?? 0) < interval.ends
                    && question.filters["category"]?.contains(row["category_id"] ?? "") != false
            }
            let registered = Dictionary(grouping: known) { $0["category_id"] ?? "" }
            let seen = Dictionary(grouping: notifications, by: \.category)
            return Set(registered.keys).union(seen.keys).map { category in
                record(
                    interval,
                    question,
                    categoryRecord(category, registered[category] ?? [], seen[category] ?? [])
                )
            }
        }
    }

    private func categoryRecord(_ category: String, _ versions: [LawRow], _ notifications: [Counted]) -> Record {
        func order(_ row: LawRow) -> (Int64, String, String) {
            (Int64(row["registered_at"] ?? "") ?? 0, row["device_id"] ?? "", row["id"] ?? "")
        }
        let newest = versions.max { order($0) < order($1) }
        let taken = Set(notifications.flatMap { $0.one.actions.map(\.id) }).subtracting(["default"])
        let actions = law.categories.actionRows.filter { $0["category_id"] == category }
        let buttons = actions.filter { $0["app_version"] == newest?["app_version"] }
            .sorted { (Int($0["place"] ?? "") ?? 0) < (Int($1["place"] ?? "") ?? 0) }
            .compactMap { $0["action_id"] }
        let ever = actions.filter { action in versions.contains { $0["app_version"] == action["app_version"] } }
            .compactMap { $0["action_id"] }
        let names = versions.compactMap { $0["app_version"] }.sorted { ($0 == "" ? "~" : $0) < ($1 == "" ? "~" : $1) }
        var record: Record = [
            "category": .name(category), "state": .null, "app_versions": .null, "first_registered_at": .null,
            "last_registered_at": .null, "custom_dismiss": .null, "buttons": .null, "buttons_used": .null,
            "buttons_unused": .null, "unregistered_actions": .names(taken.subtracting(ever).sorted()),
            "notifications": .count(notifications.count), "reached": .count(notifications.count(where: \.isReached)),
            "responded": .count(notifications.count { $0.one.responded }),
        ]
        if category != "" {
            record["state"] = .text(versions.isEmpty ? "unregistered" : notifications.isEmpty ? "dead" : "used")
        }
        guard let newest else { return record }
        record["app_versions"] = .names(names.map { $0 == "" ? nil : $0 })
        record["first_registered_at"] = .time(versions.compactMap { Int64($0["first_at"] ?? "") }.min() ?? 0)
        record["last_registered_at"] = .time(versions.compactMap { Int64($0["registered_at"] ?? "") }.max() ?? 0)
        record["custom_dismiss"] = .bool(newest["custom_dismiss"] == "true")
        record["buttons"] = .count(buttons.count)
        record["buttons_used"] = .count(buttons.count(where: taken.contains))
        record["buttons_unused"] = .names(buttons.filter { !taken.contains($0) })
        return record
    }
}
