import Reports

extension ReportModel {
    private static let hour: Int64 = 3_600_000_000

    /// A Live Activity, by all that its device said of it.
    private struct Activity {
        let events: [LawEvent]
        var device: String { events[0].device }
        var at: Int64 { events[0].at }
        var type: String { first("attributes_type") ?? "" }
        var startedBy: String? { first("started_by") }
        var updatesBy: String? { first("updates_by") }

        private func first(_ field: String) -> String? {
            events.lazy.compactMap { $0[field]?.string }.first
        }

        func time(of state: String) -> Int64? { events.first { $0["state"]?.string == state }?.at }

        var isOverAt: Int64? { [time(of: "ended"), time(of: "dismissed")].compactMap { $0 }.min() }
    }

    /// An activity or a push, as it counts in one row.
    private struct Counting {
        let at: Int64
        let type: String
        let context: LawValue?
        var activity: Activity?
        var push: LawEvent?
        var version: String { context?["app_version"]?.string ?? "" }
    }

    private func own(_ event: LawEvent) -> LawValue? {
        event["context"].flatMap { $0.object.isEmpty ? nil : $0 }
            ?? law.devices.context(of: event.device, at: event.at)
    }

    private func activities(_ asOf: Int64) -> [[String]: Activity] {
        Dictionary(
            grouping: law.events.filter {
                $0.kind == "live_activity" && !$0.device.isEmpty && $0.at <= asOf
            },
            by: { [$0.device, $0["activity_id"]?.string ?? ""] }
        ).mapValues { Activity(events: $0) }
    }

    private func isAccepted(_ push: LawEvent) -> Bool {
        law.notifications.contains { one in
            one.device == push.device && one.notification == push.notification
                && one.occurrence == push.occurrence
                && one.pushResults.contains { $0["status"] == 200 }
        }
    }

    /// The pushes that were to start an activity to which none belongs: each takes the first that is free.
    private func unmatched(_ pushes: [LawEvent], _ activities: [Activity]) -> [LawEvent] {
        var free = activities.filter { $0.startedBy == "push" }
            .sorted { ($0.at, $0.events[0].id) < ($1.at, $1.events[0].id) }
        return pushes.filter { push in
            let match = free.firstIndex { activity in
                activity.device == push.device && activity.type == push["attributes_type"]?.string ?? ""
                    && activity.at >= push.at && activity.at <= push.at + Self.hour
            }
            if let match { free.remove(at: match) }
            return match == nil
        }
    }

    func liveActivities(_ question: ModelQuestion) -> [Record] {
        let activities = activities(question.asOf)
        let pushes = law.events.filter {
            $0.kind == "request" && $0["push", "push_type"] == "liveactivity" && !$0.device.isEmpty
                && $0.at <= question.asOf
        }
        let starts = pushes.filter { $0["live_activity_event"]?.string == "start" && isAccepted($0) }
        let unmatched = Set(unmatched(starts, Array(activities.values)).map(LawIdentity.init))
        let counting =
            activities.values.map { activity in
                Counting(
                    at: activity.at,
                    type: activity.type,
                    context: own(activity.events[0]),
                    activity: activity
                )
            }
            + pushes.map { push in
                let known = activities[[push.device, push["activity_id"]?.string ?? "-"]]?.type
                let type = push["attributes_type"]?.string ?? known ?? ""
                return Counting(at: push.at, type: type, context: own(push), push: push)
            }
        let passing = counting.filter { one in
            var values = ["attributes_type": one.type]
            for name in ["platform", "os_version", "app_version", "locale"] {
                values[name] = one.context?[name]?.string
            }
            return question.covers(one.at) && passes(values, question)
        }
        let kept = KeptKeys(
            passing.map { ([$0.type, $0.version], $0.activity == nil ? 0 : 1) },
            limit: question.limit
        )
        return byInterval(passing, question, at: \.at).flatMap { interval, counting in
            Dictionary(grouping: counting) { kept.own([$0.type, $0.version]) }.map { own, counting in
                var columns = kept.columns(["attributes_type", "app_version"], own)
                columns.merge(lives(counting.compactMap(\.activity), question)) { $1 }
                columns.merge(pushRecord(counting.compactMap(\.push), unmatched, activities, question)) {
                    $1
                }
                return record(interval, question, columns)
            }
        }
    }

    private func lives(_ activities: [Activity], _ question: ModelQuestion) -> Record {
        func count(_ condition: (Activity) -> Bool) -> ReportValue {
            .count(activities.count(where: condition))
        }
        let tokens = Set(
            law.events.filter {
                $0.kind == "token" && $0["state"] == "registered" && $0.token != nil
                    && LawTokens.Key($0).kind.type == "activity_update"
            }
            .map { [$0.device, LawTokens.Key($0).activity] }
        )
        let lifetimes = activities.compactMap { one in one.time(of: "ended").map { $0 - one.at } }
        let dismissals = activities.filter { $0.time(of: "ended") == nil }
            .compactMap { one in one.time(of: "dismissed").map { $0 - one.at } }
        return [
            "started": .count(activities.count), "started_by_app": count { $0.startedBy == "app" },
            "started_by_push": count { $0.startedBy == "push" },
            "stale": count { $0.time(of: "stale") != nil },
            "ended": count { $0.time(of: "ended") != nil },
            "dismissed": count { $0.time(of: "dismissed") != nil },
            "end_unobserved": count { $0.isOverAt == nil && $0.at + 12 * Self.hour <= question.asOf },
            "lifetime_p50": .percentile(0.5, ofMicroseconds: lifetimes),
            "dismissed_after_p50": .percentile(0.5, ofMicroseconds: dismissals),
            "token_updated": count { $0.updatesBy == "token" },
            "token_never_issued": count {
                $0.updatesBy == "token"
                    && !tokens.contains([$0.device, $0.events[0]["activity_id"]?.string ?? ""])
            },
        ]
    }

    /// What a device says of itself, beside what becomes of notifications, its tokens, and its settings. Not its context: providers' events
    /// have that too.
    private static let own: Set = [
        "app_open", "conversion", "permission_prompt", "authorization_request", "open_settings",
    ]

    /// When a device reported something of itself, what its tokens are, and what became of notifications, the first time of each.
    private func reports(of device: String) -> [Int64] {
        let events = law.events.filter { event in
            event.device == device
                && (Self.own.contains(event.kind)
                    || event.kind == "token" && event.token != nil && event["state"] != "registration_failed")
        }
        let removals = Dictionary(
            grouping: law.events.filter { $0.kind == "removal" && $0.device == device },
            by: { event in
                [
                    event.notification, event.occurrence.map(String.init), event["state"]?.string,
                    event["reason"]?.string,
                ]
            }
        ).values.compactMap(\.first)
        let notifications = law.notifications.filter { $0.device == device }.flatMap {
            [$0.deliveryAt, $0.presentationAt, $0.respondedAt, $0.dismissedAt].compactMap { $0 }
        }
        return (events + removals).map(\.at) + notifications
    }

    private func pushRecord(
        _ pushes: [LawEvent],
        _ unmatched: Set<LawIdentity>,
        _ activities: [[String]: Activity],
        _ question: ModelQuestion
    ) -> Record {
        let starts = pushes.filter { $0["live_activity_event"]?.string == "start" }
        let lost = starts.filter { unmatched.contains(LawIdentity($0)) }
        let silent = lost.filter { push in
            if push.at + Self.hour > question.asOf { return true }
            let snapshots = law.devices.settings[push.device] ?? []
            let said = activities.values.flatMap(\.events).filter { $0.device == push.device }.map(\.at)
            return !snapshots.contains { $0.at > push.at }
                && !(said + reports(of: push.device)).contains { $0 > push.at && $0 <= question.asOf }
        }
        let updates = pushes.filter { $0["live_activity_event"]?.string == "update" && isAccepted($0) }
        let late = updates.filter { push in
            let over = activities[[push.device, push["activity_id"]?.string ?? "-"]]?.isOverAt
            return push["channel_id"] == nil && (over ?? .max) <= push.at
        }
        let isBroadcast = !updates.isEmpty && updates.allSatisfy { $0["channel_id"] != nil }
        return [
            "push_to_start_requested": .count(starts.count),
            "push_to_start_accepted": .count(starts.count(where: isAccepted)),
            "push_to_start_without_activity": .count(lost.count - silent.count),
            "push_to_start_unknown": .count(silent.count), "updates_accepted": .count(updates.count),
            "updates_after_end": isBroadcast ? .null : .count(late.count),
        ]
    }
}
