import Reports

extension ReportModel {
    func pushResults(_ question: ModelQuestion) -> [Record] {
        let results = law.events.filter { event in
            event.kind == "push_result"
                && passes(
                    [
                        "provider": event["provider"]?.string ?? "", "reason": event["reason"]?.string ?? "",
                        "status": event["status"]?.integer.map(String.init) ?? "",
                        "type": event["type"]?.string ?? "", "environment": event["environment"]?.string ?? "",
                        "topic": event["topic"]?.string ?? "",
                    ],
                    question
                )
        }
        func key(_ event: LawEvent) -> [String] {
            [
                event["provider"]?.string ?? "", event["status"]?.integer.map(String.init) ?? "",
                event["reason"]?.string ?? "",
            ]
        }
        let covered = results.filter { question.covers($0.at) }
        let kept = KeptKeys(covered.map { (key($0), 1) }, limit: question.limit)
        return byInterval(covered, question, at: \.at).flatMap { interval, results in
            let ofProvider = Dictionary(grouping: results) { key($0)[0] }
            return Dictionary(grouping: results) { kept.own(key($0)) }.map { own, results in
                var values = kept.columns(["provider", "status", "reason"], own)
                if let status = own.flatMap({ Int64($0[1]) }) { values["status"] = .integer(status) }
                values["verdict"] = own == nil ? .null : .name(Self.verdict(results[0]))
                values["results"] = .count(results.count)
                values["share"] = own.map { .rate(results.count, ofProvider[$0[0]]?.count ?? 0) } ?? .null
                values["first_at"] = .time(results[0].at)
                values["last_at"] = .time(results[results.count - 1].at)
                return record(interval, question, values)
            }
        }
    }

    /// What an answer says of the token.
    static func verdict(_ event: LawEvent) -> String? {
        if event["status"] == 200 { return "accepted" }
        let dead: [String: Set<String>] = [
            "apns": ["Unregistered", "ExpiredToken"], "fcm": ["UNREGISTERED", "NotRegistered"],
        ]
        let misdirected: [String: Set<String>] = [
            "apns": ["BadDeviceToken", "DeviceTokenNotForTopic"], "fcm": ["SENDER_ID_MISMATCH", "MismatchSenderId"],
        ]
        guard let provider = event["provider"]?.string else { return nil }
        guard let reason = event["reason"]?.string else {
            return provider == "apns" && event["status"] == 410 ? "dead" : nil
        }
        if dead[provider]?.contains(reason) == true { return "dead" }
        return misdirected[provider]?.contains(reason) == true ? "misdirected" : nil
    }

    func extensions(_ question: ModelQuestion) -> [Record] {
        let ran = passing(question).compactMap { notification -> (of: Counted, runs: [LawEvent])? in
            let runs = notification.one.deliveries.filter { $0["source"] == "service_extension" }
            return runs.isEmpty || !question.covers(notification.cohort) ? nil : (notification, runs)
        }
        func key(_ ran: (of: Counted, runs: [LawEvent])) -> [String] { [ran.of.dimensions["app_version"] ?? ""] }
        let kept = KeptKeys(ran.map { (key($0), $0.runs.count) }, limit: question.limit)
        return byInterval(ran, question, at: \.of.cohort).flatMap { interval, ran in
            Dictionary(grouping: ran) { kept.own(key($0)) }.map { own, ran in
                let columns = kept.columns(["app_version"], own)
                return record(interval, question, columns.merging(extensionRecord(ran, question)) { $1 })
            }
        }
    }

    private func extensionRecord(
        _ ran: [(of: Counted, runs: [LawEvent])],
        _ question: ModelQuestion
    ) -> Record {
        let runs = ran.flatMap(\.runs)
        func outcome(_ run: LawEvent) -> String? { run["extension", "outcome"]?.string }
        func sum(_ name: String) -> Int? {
            let values = runs.compactMap { $0["extension", name]?.integer }
            return values.isEmpty ? nil : Int(values.reduce(0, +))
        }
        func engagement(_ wanted: String?) -> (reached: Int, engaged: Int) {
            var (reached, engaged) = (0, 0)
            for ran in ran where ran.of.isReached {
                let runs = ran.runs.count { wanted == nil || outcome($0) == wanted }
                reached += runs
                if ran.of.isEngaged(within: question.window.microseconds) { engaged += runs }
            }
            return (reached, engaged)
        }
        let durations = runs.compactMap { $0["extension", "duration_ms"]?.integer.map { $0 * 1000 } }
        let (loaded, failed) = (sum("attachments_loaded"), sum("attachments_failed"))
        var record: Record = [
            "runs": .count(runs.count),
            "unstated": .count(runs.count { outcome($0) == nil }),
            "attachments_loaded": loaded.map { .count($0) } ?? .null,
            "attachments_failed": failed.map { .count($0) } ?? .null,
            "attachments_tried": failed.map { .count($0 + (loaded ?? 0)) } ?? .null,
            "attachment_failure_rate": failed.map { .rate($0, $0 + (loaded ?? 0)) } ?? .null,
            "duration_p50": .percentile(0.5, ofMicroseconds: durations),
            "duration_p99": .percentile(0.99, ofMicroseconds: durations),
        ]
        for (prefix, wanted) in [
            ("", nil), ("modified_", "modified"), ("unmodified_", "unmodified"), ("expired_", "expired"),
        ] {
            let (reached, engaged) = engagement(wanted)
            record["\(prefix)reached"] = .count(reached)
            record["\(prefix)responded_in_window"] = .count(engaged)
            record["\(prefix)engagement_rate"] = .rate(engaged, reached)
        }
        for name in ["modified", "unmodified", "expired", "filtered"] {
            record[name] = .count(runs.count { outcome($0) == name })
        }
        return record
    }
}
