import Reports

extension ReportModel {
    func removals(_ question: ModelQuestion) -> [Record] {
        let covered = passing(question).filter { question.covers($0.cohort) }
        let removed = covered.flatMap { notification in
            Dictionary(grouping: notification.one.events("removal")) { $0["reason"]?.string ?? "" }
                .map { Removed(of: notification, reason: $0.key, removals: $0.value) }
        }
        let kept = KeptKeys(removed.map { ($0.key, $0.of.one.responseOnly ? 0 : 1) }, limit: question.limit)
        return question.intervals.flatMap { interval in
            func isIn(_ one: Counted) -> Bool { interval.begins <= one.cohort && one.cohort < interval.ends }
            return Dictionary(grouping: removed.filter { isIn($0.of) }) { kept.own($0.key) }.map { own, removed in
                var values = kept.columns(["category", "reason"], own)
                values.merge(removalRecord(removed)) { first, _ in first }
                let known = own.map { own in
                    covered.count { isIn($0) && $0.category == own[0] && !$0.one.responseOnly }
                }
                values["rate_denominator"] = known.map { .count($0) } ?? .null
                values["share"] = known.map { .rate(removed.count { !$0.of.one.responseOnly }, $0) } ?? .null
                if own == nil { values["delivered_p50"] = .null }
                return record(interval, question, values)
            }
        }
    }

    /// A notification that was removed for a reason.
    private struct Removed {
        let of: Counted
        let reason: String
        let removals: [LawEvent]

        var key: [String] { [of.category, reason] }

        func isIn(_ state: String) -> Bool { removals.contains { ($0["state"]?.string ?? "") == state } }
    }

    private func removalRecord(_ all: [Removed]) -> Record {
        let removed = all.filter { !$0.of.one.responseOnly }
        let times = removed.compactMap { removed -> Int64? in
            guard let shown = removed.of.one.shownAt else { return nil }
            return removed.removals.first { $0["state"] == "delivered" }.map { max(0, $0.at - shown) }
        }
        return [
            "notifications": .count(removed.count), "response_only": .count(all.count - removed.count),
            "pending": .count(removed.count { $0.isIn("pending") }),
            "delivered": .count(removed.count { $0.isIn("delivered") }),
            "unstated": .count(removed.count { $0.isIn("") }),
            "withdrawn": .count(
                removed.count { $0.isIn("pending") && $0.reason != "replaced" && $0.of.one.withdrawn }
            ),
            "responded": .count(removed.count { $0.of.one.responded }),
            "delivered_p50": middle(50, of: times),
        ]
    }

    func categories(_ question: ModelQuestion) -> [Record] {
        let registered = law.categories.rows.filter { row in
            (Int64(row["first_at"] ?? "") ?? 0) < question.until
                && question.filters["category"]?.contains(row["category_id"] ?? "") != false
        }
        let covered = passing(question).filter { question.covers($0.cohort) }
        let kept = KeptKeys(
            covered.map { ([$0.category], 1) }
                + (question.interval == "none" ? registered.map { ([$0["category_id"] ?? ""], 0) } : []),
            limit: question.limit
        )
        return byInterval(covered, question, at: \.cohort).flatMap { interval, notifications in
            let seen = Dictionary(grouping: notifications, by: \.category)
            let known = law.categories.rows.filter { row in
                // Of one interval of several only what happened in it is told.
                (question.interval == "none" || seen[row["category_id"] ?? ""] != nil)
                    && (Int64(row["first_at"] ?? "") ?? 0) < interval.ends
                    && question.filters["category"]?.contains(row["category_id"] ?? "") != false
            }
            let registered = Dictionary(grouping: known) { $0["category_id"] ?? "" }
            return Dictionary(grouping: Set(registered.keys).union(seen.keys)) { kept.own([$0]) }.map {
                own,
                categories in
                let versions = own == nil ? [] : categories.flatMap { registered[$0] ?? [] }
                var values = categoryRecord(own?[0] ?? "", versions, categories.flatMap { seen[$0] ?? [] })
                if own == nil { (values["unregistered_actions"], values["unregistered_actions_more"]) = (.null, .null) }
                values["other"] = .bool(own == nil)
                return record(interval, question, values)
            }
        }
    }

    /// Names in a row; the rest is counted.
    private static let listed = 20

    private func categoryRecord(_ category: String, _ versions: [LawRow], _ notifications: [Counted]) -> Record {
        func order(_ row: LawRow) -> (Int64, String, String) {
            (Int64(row["registered_at"] ?? "") ?? 0, row["device_id"] ?? "", row["id"] ?? "")
        }
        let newest = versions.max { order($0) < order($1) }
        let presses = Dictionary(
            notifications.flatMap { Set($0.one.actions.map(\.id)).subtracting(["default"]) }.map { ($0, 1) },
            uniquingKeysWith: +
        )
        let taken = Set(presses.keys)
        let actions = law.categories.actionRows.filter { $0["category_id"] == category }
        let buttons = actions.filter { $0["app_version"] == newest?["app_version"] }
            .sorted { (Int($0["place"] ?? "") ?? 0) < (Int($1["place"] ?? "") ?? 0) }
            .compactMap { $0["action_id"] }.filter { $0 != "default" }
        let ever = actions.filter { action in versions.contains { $0["app_version"] == action["app_version"] } }
            .compactMap { $0["action_id"] }
        func registered(_ row: LawRow) -> Int64 { Int64(row["registered_at"] ?? "") ?? 0 }
        let newestFirst = versions.sorted {
            (-registered($0), $0["app_version"] ?? "") < (-registered($1), $1["app_version"] ?? "")
        }
        let names = newestFirst.prefix(Self.listed).compactMap { $0["app_version"] }
            .sorted { ($0 == "" ? "~" : $0) < ($1 == "" ? "~" : $1) }
        let strays = taken.subtracting(ever).sorted { (-(presses[$0] ?? 0), $0) < (-(presses[$1] ?? 0), $1) }
        var record: Record = [
            "category": .name(category), "state": .null, "app_versions": .null, "app_versions_more": .null,
            "first_registered_at": .null,
            "last_registered_at": .null, "custom_dismiss": .null, "buttons": .null, "buttons_used": .null,
            "buttons_unused": .null, "unregistered_actions": .names(strays.prefix(Self.listed).sorted()),
            "unregistered_actions_more": .count(max(0, strays.count - Self.listed)),
            "notifications": .count(notifications.count), "reached": .count(notifications.count(where: \.isReached)),
            "responded": .count(notifications.count { $0.isReached && $0.one.responded }),
            "response_only": .count(notifications.count { $0.one.responseOnly }),
        ]
        if category != "" {
            record["state"] = .text(versions.isEmpty ? "unregistered" : notifications.isEmpty ? "dead" : "used")
        }
        guard let newest else { return record }
        record["app_versions"] = .names(names.map { $0 == "" ? nil : $0 })
        record["app_versions_more"] = .count(max(0, versions.count - Self.listed))
        record["first_registered_at"] = .time(versions.compactMap { Int64($0["first_at"] ?? "") }.min() ?? 0)
        record["last_registered_at"] = .time(versions.compactMap { Int64($0["registered_at"] ?? "") }.max() ?? 0)
        record["custom_dismiss"] = .bool(newest["custom_dismiss"] == "true")
        record["buttons"] = .count(buttons.count)
        record["buttons_used"] = .count(buttons.count(where: taken.contains))
        record["buttons_unused"] = .names(buttons.filter { !taken.contains($0) })
        return record
    }
}
