import Reports

extension ReportModel {
    func pushResults(_ question: ReportQuestion) -> [Record] {
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
        return byInterval(results, question, at: \.at).flatMap { interval, results in
            let ofProvider = Dictionary(grouping: results) { $0["provider"] }
            return Dictionary(grouping: results) { [$0["provider"], $0["status"], $0["reason"]] }.map { key, results in
                record(
                    interval,
                    question,
                    [
                        "provider": .name(key[0]?.string), "reason": .name(key[2]?.string),
                        "status": key[1]?.integer.map { .integer($0) } ?? .null,
                        "verdict": .name(Self.verdict(results[0])), "results": .count(results.count),
                        "share": .rate(results.count, ofProvider[key[0]]?.count ?? 0),
                        "first_at": .time(results[0].at), "last_at": .time(results[results.count - 1].at),
                    ]
                )
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

    func extensions(_ question: ReportQuestion) -> [Record] {
        byInterval(passing(question), question, at: \.cohort).flatMap { interval, notifications in
            let ran = notifications.compactMap { notification -> (of: Counted, runs: [LawEvent])? in
                let runs = notification.one.deliveries.filter { $0["source"] == "service_extension" }
                return runs.isEmpty ? nil : (notification, runs)
            }
            return Dictionary(grouping: ran) { $0.of.dimensions["app_version"] ?? "" }.map { version, ran in
                record(interval, question, extensionRecord(version, ran, question))
            }
        }
    }

    private func extensionRecord(
        _ version: String,
        _ ran: [(of: Counted, runs: [LawEvent])],
        _ question: ReportQuestion
    ) -> Record {
        let runs = ran.flatMap(\.runs)
        func outcome(_ run: LawEvent) -> String? { run["extension", "outcome"]?.string }
        func sum(_ name: String) -> Int? {
            let values = runs.compactMap { $0["extension", name]?.integer }
            return values.isEmpty ? nil : Int(values.reduce(0, +))
        }
        func engagement(_ wanted: String?) -> ReportValue {
            var (reached, engaged) = (0, 0)
            for ran in ran where ran.of.isReached {
                let runs = ran.runs.count { wanted == nil || outcome($0) == wanted }
                reached += runs
                if ran.of.isEngaged(within: question.window.microseconds) { engaged += runs }
            }
            return .rate(engaged, reached)
        }
        let durations = runs.compactMap { $0["extension", "duration_ms"]?.integer.map { $0 * 1000 } }
        let (loaded, failed) = (sum("attachments_loaded"), sum("attachments_failed"))
        var record: Record = [
            "app_version": .name(version), "runs": .count(runs.count),
            "unstated": .count(runs.count { outcome($0) == nil }),
            "attachments_loaded": loaded.map { .count($0) } ?? .null,
            "attachments_failed": failed.map { .count($0) } ?? .null,
            "attachment_failure_rate": failed.map { .rate($0, $0 + (loaded ?? 0)) } ?? .null,
            "duration_p50": .percentile(0.5, ofMicroseconds: durations),
            "duration_p99": .percentile(0.99, ofMicroseconds: durations),
            "engagement_rate": engagement(nil),
        ]
        for name in ["modified", "unmodified", "expired", "filtered"] {
            record[name] = .count(runs.count { outcome($0) == name })
            if name != "filtered" { record["\(name)_engagement_rate"] = engagement(name) }
        }
        return record
    }
}
