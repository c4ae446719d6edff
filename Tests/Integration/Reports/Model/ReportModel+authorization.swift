import Reports

extension ReportModel {
    /// A request for permission, and the device as it was.
    private struct Asked {
        let event: LawEvent
        let context: LawValue?

        var options: String? {
            guard case .array? = event["options"] else { return nil }
            let bits = [
                "badge", "sound", "alert", "car_play", "critical_alert", "provides_app_notification_settings",
                "provisional", "announcement", "time_sensitive",
            ]
            let given = event["options"]?.strings ?? []
            return given.isEmpty ? "none" : bits.filter(given.contains).joined(separator: ",")
        }
        var version: String? { context?["app_version"]?.string }
        var hasFailed: Bool { event["error"] != nil }
        var isGranted: Bool? { hasFailed ? nil : event["granted"]?.boolean }
        var isProvisional: Bool { event["options"]?.strings.contains("provisional") == true }
    }

    private struct Key: Hashable {
        let options: String?
        let version: String?
    }

    func authorization(_ question: ReportQuestion) -> [Record] {
        let asked = law.events.filter { $0.kind == "authorization_request" && !$0.device.isEmpty }
            .map { event -> Asked in
                let own = event["context"].flatMap { $0.object.isEmpty ? nil : $0 }
                return Asked(event: event, context: own ?? law.devices.context(of: event.device, at: event.at))
            }
            .filter { asked in
                let dimensions = ["platform", "os_version", "app_version", "locale"]
                let values = dimensions.map { ($0, asked.context?[$0]?.string ?? "") }
                return passes(Dictionary(uniqueKeysWithValues: values), question)
            }
        return byInterval(asked, question, at: \.event.at).flatMap { interval, asked in
            Dictionary(grouping: asked) { Key(options: $0.options, version: $0.version) }.map { key, asked in
                record(interval, question, authorizationRecord(key, asked, question))
            }
        }
    }

    private func authorizationRecord(_ key: Key, _ asked: [Asked], _ question: ReportQuestion) -> Record {
        let granted = asked.count { $0.isGranted == true }
        let denied = asked.count { $0.isGranted == false }
        let isProvisional = asked.contains(where: \.isProvisional)
        var tried: Set<String> = []
        var converted: [Int64] = []
        var turnedOff = 0
        for asked in asked where asked.isProvisional && asked.isGranted == true {
            let snapshots = law.devices.settings[asked.event.device] ?? []
            func status(_ snapshot: LawDevices.Snapshot?) -> String? {
                snapshot?.value["authorization_status"]?.string
            }
            let before = status(snapshots.last { $0.at <= asked.event.at })
            guard before != "authorized", before != "denied", tried.insert(asked.event.device).inserted else {
                continue
            }
            let decision = snapshots.first {
                $0.at > asked.event.at && $0.at <= question.asOf
                    && ["authorized", "denied"].contains(status($0))
            }
            if status(decision) == "authorized", let decision { converted.append(decision.at - asked.event.at) }
            if status(decision) == "denied" { turnedOff += 1 }
        }
        func ofProvisional(_ count: Int) -> ReportValue { isProvisional ? .count(count) : .null }
        return [
            "options": .name(key.options), "app_version": .name(key.version), "asked": .count(asked.count),
            "devices": .count(Set(asked.map(\.event.device)).count), "granted": .count(granted),
            "denied": .count(denied), "failed": .count(asked.count(where: \.hasFailed)),
            "unstated": .count(asked.count { !$0.hasFailed && $0.isGranted == nil }),
            "grant_rate": .rate(granted, granted + denied),
            "grant_rate_low": .wilson(granted, granted + denied, isLow: true),
            "grant_rate_high": .wilson(granted, granted + denied, isLow: false),
            "provisional": ofProvisional(tried.count), "converted": ofProvisional(converted.count),
            "turned_off": ofProvisional(turnedOff), "conversion_rate": .rate(converted.count, tried.count),
            "conversion_p50": .percentile(0.5, ofMicroseconds: converted),
        ]
    }
}
