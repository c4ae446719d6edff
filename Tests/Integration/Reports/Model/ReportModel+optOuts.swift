import Reports

extension ReportModel {
    /// A setting turned down, between two snapshots, and the notifications that may be why.
    struct Change {
        let setting: String
        let unchangedAt: Int64
        let changedAt: Int64
        let before: [Counted]

        var share: Double { 1 / Double(max(1, before.count)) }
    }

    /// Every change seen by a time.
    func changes(by asOf: Int64) -> [Change] {
        LawSettingChange.all(law.devices, by: asOf).map { change in
            Change(
                setting: change.setting,
                unchangedAt: change.unchangedAt,
                changedAt: change.changedAt,
                before: notifications.filter {
                    $0.isReached && change.mayBeDue(to: $0.one.device, at: $0.cohort)
                }
            )
        }
    }

    /// When devices opened the app's settings, and when their tokens died.
    private func happenings(by asOf: Int64) -> [(what: String, device: String, at: Int64)] {
        let opened = law.events.filter { $0.kind == "open_settings" && $0.at <= asOf }
            .map { ("open_settings", $0.device, $0.at) }
        let deaths = law.events.filter {
            $0.kind == "push_result" && $0.token != nil && Self.verdict($0) == "dead"
        }
        // Once a token, whatever keys it was registered under.
        var told: Set<[String?]> = []
        let died = LawTokens(law.events).rows.compactMap { token -> (String, String, Int64)? in
            guard token["state"] == "invalidated", token["type"] == "alert", let device = token["device_id"],
                let ended = token["ended_at"].flatMap({ Int64($0) }), ended <= asOf
            else { return nil }
            let isDead = deaths.contains { death in
                death.token == token["token"] && death["provider"]?.string == token["provider"]
                    && (death["timestamp"]?.integer.map { $0 * 1000 } ?? death.at) == ended
            }
            let isNew = isDead && told.insert([device, token["provider"], token["token"], "\(ended)"]).inserted
            return isNew ? ("tokens_died", device, ended) : nil
        }
        return (opened + died).map { (what: $0.0, device: $0.1, at: $0.2) }
    }

    /// The newest notification that reached a device within a time before.
    private func newest(on device: String, before time: Int64, within window: Int64) -> Counted? {
        notifications.filter {
            $0.one.device == device && $0.isReached && $0.cohort > time - window && $0.cohort <= time
        }.max { left, right in
            (left.cohort, left.one.notification, left.one.occurrence ?? .min)
                < (right.cohort, right.one.notification, right.one.occurrence ?? .min)
        }
    }

    func optOuts(_ question: ModelQuestion) -> [Record] {
        let changes = changes(by: question.asOf)
        let happenings = happenings(by: question.asOf).map { happening in
            (
                what: happening.what, at: happening.at,
                after: newest(on: happening.device, before: happening.at, within: question.window.microseconds)
            )
        }
        let covered = passing(question).filter { question.covers($0.cohort) && $0.isReached }
        let kept = KeptKeys(covered.map { ([$0.category], 1) }, limit: question.limit)
        return byInterval(covered, question, at: \.cohort).flatMap { interval, notifications in
            func isIn(_ time: Int64) -> Bool { interval.begins <= time && time < interval.ends }
            func passes(_ notification: Counted) -> Bool {
                isIn(notification.cohort) && self.passes(notification.dimensions, question)
            }
            func own(_ notification: Counted) -> [String]? { kept.own([notification.category]) }
            var records = Set(notifications.map(own)).map { key -> Record in
                let shares = changes.compactMap { change -> (change: Change, share: Double)? in
                    let own = change.before.count { own($0) == key && passes($0) }
                    return own == 0 ? nil : (change: change, share: Double(own) * change.share)
                }
                let apart = happenings.filter { $0.after.map { own($0) == key && passes($0) } == true }
                    .map(\.what)
                let reached = notifications.count { own($0) == key }
                return optOutRecord(kept.columns(["category"], key), reached, shares, apart)
            }
            if question.filters.isEmpty {
                let alone = changes.filter { $0.before.isEmpty && isIn($0.changedAt) }.map { (change: $0, share: 1.0) }
                let apart = happenings.filter { $0.after == nil && isIn($0.at) }.map(\.what)
                if !alone.isEmpty || !apart.isEmpty {
                    let columns: Record = ["category": .null, "other": .bool(false)]
                    records.append(optOutRecord(columns, nil, alone, apart))
                }
            }
            return records.map { record(interval, question, $0) }
        }
    }

    private func optOutRecord(
        _ columns: Record,
        _ reached: Int?,
        _ shares: [(change: Change, share: Double)],
        _ apart: [String]
    ) -> Record {
        func sum(_ isMeant: (String) -> Bool) -> Double {
            shares.filter { isMeant($0.change.setting) }.map(\.share).reduce(0, +)
        }
        let optOuts = sum { $0 == "authorization_status" }
        let softer = sum { $0 != "authorization_status" }
        var record: Record = [
            "attributed": .bool(reached != nil),
            "reached": reached.map { .count($0) } ?? .null, "opt_outs": .double(optOuts), "softer": .double(softer),
            "opt_outs_per_1000": .number(reached.map { optOuts * 1000 / Double($0) }),
            "softer_per_1000": .number(reached.map { softer * 1000 / Double($0) }),
            "changes": .count(shares.count), "ambiguous": .count(shares.count { $0.change.before.count > 1 }),
            "gap_p50": .percentile(0.5, ofMicroseconds: shares.map { $0.change.changedAt - $0.change.unchangedAt }),
            "open_settings": .count(apart.count { $0 == "open_settings" }),
            "tokens_died": .count(apart.count { $0 == "tokens_died" }),
        ]
        record.merge(columns) { first, _ in first }
        for (setting, column) in LawSettingChange.softer { record[column] = .double(sum { $0 == setting }) }
        return record
    }

    func frequency(_ question: ModelQuestion) -> [Record] {
        struct Key: Hashable {
            let label: Int64
            let size: Int
        }
        struct DeviceWeek: Hashable {
            let device: String
            let week: Int64
        }
        let ends = [(1, 1), (2, 2), (3, 3), (4, 5), (6, 10), (11, 20), (21, 50), (51, Int.max)]
        let inWeeks = passing(question).filter { notification in
            let week = question.local("week", at: notification.cohort)
            return notification.isReached && week.start >= question.from && week.next <= question.until
        }
        let deviceWeeks = Dictionary(grouping: inWeeks) {
            DeviceWeek(device: $0.one.device, week: question.local("week", at: $0.cohort).start)
        }
        let rows = Dictionary(grouping: deviceWeeks) { deviceWeek, notifications -> Key in
            let label =
                switch question.interval {
                case "week": deviceWeek.week
                case "month": question.local("month", at: deviceWeek.week).start
                default: Int64(0)
                }
            return Key(label: label, size: ends.firstIndex { notifications.count <= $0.1 } ?? 0)
        }
        let changes = changes(by: question.asOf).filter { $0.setting == "authorization_status" }
        return rows.map { key, weeks in
            let notifications = weeks.flatMap(\.value)
            let window = question.window.microseconds
            let engaged = notifications.count { $0.isEngaged(within: window) }
            let active = weeks.count { $0.value.contains { $0.isEngaged(within: window) } }
            var optOuts = 0.0
            for change in changes {
                for before in change.before {
                    guard notifications.contains(where: { $0.one.keyRow == before.one.keyRow }) else { continue }
                    optOuts += change.share
                }
            }
            let (least, most) = ends[key.size]
            let name = least == most ? "\(least)" : most == Int.max ? "\(least)+" : "\(least)-\(most)"
            return record(
                ModelQuestion.Interval(start: key.label, begins: 0, ends: 0),
                question,
                [
                    "per_week": .text(name), "at_least": .count(least), "device_weeks": .count(weeks.count),
                    "devices": .count(Set(weeks.map(\.key.device)).count), "reached": .count(notifications.count),
                    "responded_in_window": .count(engaged), "engagement_rate": .rate(engaged, notifications.count),
                    "engagement_rate_low": .wilson(engaged, notifications.count, isLow: true),
                    "engagement_rate_high": .wilson(engaged, notifications.count, isLow: false),
                    "active_device_weeks": .count(active), "active_rate": .rate(active, weeks.count),
                    "opt_outs": .double(optOuts), "opt_out_rate": .double(optOuts / Double(weeks.count)),
                    "opt_outs_per_1000": .double(optOuts * 1000 / Double(notifications.count)),
                ]
            )
        }
    }
}
