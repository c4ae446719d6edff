import Reports

extension ReportModel {
    /// A request for permission, and the device as it was.
    private struct Asked {
        let event: LawEvent
        /// authorization_status just before; nil where nobody told.
        let status: String?
        let context: LawValue?
        /// The app's own question that came last before.
        let prompt: LawEvent?

        func dimension(_ name: String) -> String? {
            switch name {
            case "options": options
            case "app_version": version
            default: prompt?[name]?.string
            }
        }

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
        var isGranted: Bool? { event["granted"]?.boolean }
        var isProvisional: Bool { event["options"]?.strings.contains("provisional") == true }
        /// Whether it could put the system's question to a person.
        var asks: Bool { !hasFailed && !isProvisional }
        var isOpen: Bool { status == "not_determined" || status == "provisional" }
    }

    /// What a request counts as: each at most once a device, but for repeats.
    private enum Standing { case answer, failed, repeated, unknown, provisional, prompted }

    func authorization(_ question: ModelQuestion) -> [Record] {
        let all = law.events.filter {
            $0.kind == "authorization_request" && !$0.device.isEmpty && $0.at < question.until
        }
        let hasPrompts = question.by.contains { $0 == "placement" || $0 == "variant" }
        let prompts = hasPrompts ? law.events.filter { $0.kind == "permission_prompt" && !$0.device.isEmpty } : []
        let counting = Dictionary(grouping: all.map { asked($0, prompts) }, by: \.event.device).values.flatMap(
            standings
        )
        let answered = Set(counting.filter { $0.0 == .answer }.map(\.1.event.device))
        let standing = (counting + prompted(prompts.filter { $0.at < question.until }, except: answered))
            .filter { _, asked in
                let dimensions = ["platform", "os_version", "app_version", "locale"]
                let values = dimensions.map { ($0, asked.context?[$0]?.string ?? "") }
                return passes(Dictionary(uniqueKeysWithValues: values), question)
            }
        func key(_ asked: Asked) -> [String] { question.by.map { asked.dimension($0) ?? "" } }
        let kept = KeptKeys(
            standing.filter { question.covers($0.1.event.at) }.map { (key($0.1), $0.0 == .answer ? 1 : 0) },
            limit: question.limit
        )
        return byInterval(standing, question, at: \.1.event.at).flatMap { interval, standing in
            Dictionary(grouping: standing) { kept.own(key($0.1)) }.map { own, standing in
                var columns = kept.columns(question.by, own)
                columns.merge(promptColumns(standing, hasPrompts: hasPrompts)) { $1 }
                return record(interval, question, authorizationRecord(columns, standing, question))
            }
        }
    }

    /// Devices that were not asked, by the last of the app's own questions.
    private func prompted(_ prompts: [LawEvent], except answered: Set<String>) -> [(Standing, Asked)] {
        Dictionary(grouping: prompts.filter { !answered.contains($0.device) }, by: \.device).values.compactMap(\.last)
            .map { prompt in
                let context = law.devices.context(of: prompt.device, at: prompt.at)
                return (.prompted, Asked(event: prompt, status: nil, context: context, prompt: prompt))
            }
    }

    private func promptColumns(_ standings: [(Standing, Asked)], hasPrompts: Bool) -> Record {
        let prompts = standings.filter { $0.0 == .answer || $0.0 == .prompted }.compactMap(\.1.prompt)
        var columns: Record = ["shown": hasPrompts ? .count(prompts.count) : .null]
        for answer in ["continued", "later", "never", "dismissed"] {
            let count = prompts.count { $0["answer"]?.string == answer }
            columns[answer] = hasPrompts ? .count(count) : .null
        }
        return columns
    }

    /// Whether a device that granted permission is on so many days after; nil where nobody knows.
    private func isOn(_ asked: Asked, after days: Int64) -> Bool? {
        let end = asked.event.at + days * 86_400_000_000
        let statuses = (law.devices.settings[asked.event.device] ?? []).map {
            (at: $0.at, status: $0.value["authorization_status"]?.string)
        }
        let before = statuses.last { $0.at < end }?.status
        if before == "denied" { return false }
        return before == "authorized" && statuses.first { $0.at >= end }?.status == "authorized" ? true : nil
    }

    private func stayed(_ answers: [Asked], _ question: ModelQuestion) -> Record {
        var columns: Record = [:]
        for days in [7, 30, 90] as [Int64] {
            let old = answers.filter { $0.isGranted == true && $0.event.at + days * 86_400_000_000 <= question.asOf }
            let states = old.map { isOn($0, after: days) }
            columns["granted_\(days)d_ago"] = .count(old.count)
            columns["on_after_\(days)d"] = .count(states.count { $0 == true })
            columns["unknown_after_\(days)d"] = .count(states.count { $0 == nil })
            columns["on_after_\(days)d_low"] = .rate(states.count { $0 == true }, old.count)
            columns["on_after_\(days)d_high"] = .rate(states.count { $0 != false }, old.count)
        }
        return columns
    }

    private func asked(_ event: LawEvent, _ prompts: [LawEvent]) -> Asked {
        let own = event["context"].flatMap { $0.object.isEmpty ? nil : $0 }
        let snapshot = law.devices.settings[event.device]?.last { LawEvent.isBefore($0.event, event) }
        return Asked(
            event: event,
            status: event["status_before"]?.string ?? snapshot?.value["authorization_status"]?.string,
            context: own ?? law.devices.context(of: event.device, at: event.at),
            prompt: prompts.last { $0.device == event.device && LawEvent.isBefore($0, event) }
        )
    }

    /// - Parameter requests: those of one device, in the tie order.
    private func standings(_ requests: [Asked]) -> [(Standing, Asked)] {
        guard requests.contains(where: { !$0.hasFailed }) else { return [(.failed, requests[0])] }
        var standings: [(Standing, Asked)] = []
        var unknown: Asked?
        var hasAnswer = false
        var isDecided = false
        var hasTried = false
        for request in requests where !request.hasFailed {
            if request.asks, request.isOpen, !hasAnswer {
                hasAnswer = true
                standings.append((.answer, request))
            } else if isDecided || (request.status != nil && !request.isOpen) {
                standings.append((.repeated, request))
            } else if request.asks {
                unknown = request
            } else if request.isGranted == true, !hasTried {
                hasTried = true
                standings.append((.provisional, request))
            }
            isDecided = isDecided || request.asks
        }
        if let unknown, !hasAnswer { standings.append((.unknown, unknown)) }
        return standings
    }

    private func authorizationRecord(
        _ columns: Record,
        _ standings: [(Standing, Asked)],
        _ question: ModelQuestion
    ) -> Record {
        func all(_ standing: Standing) -> [Asked] { standings.filter { $0.0 == standing }.map(\.1) }
        let answers = all(.answer)
        let granted = answers.count { $0.isGranted == true }
        let denied = answers.count { $0.isGranted == false }
        let tried = all(.provisional)
        var converted: [Int64] = []
        var turnedOff = 0
        for asked in tried {
            let snapshots = law.devices.settings[asked.event.device] ?? []
            // What repeats the snapshot before it is no decision.
            let changes = zip([nil] + snapshots.map { Optional($0.value) }, snapshots).filter { $0 != $1.value }.map(
                \.1
            )
            let decision = changes.first {
                LawEvent.isBefore(asked.event, $0.event) && $0.at <= question.asOf
                    && ["authorized", "denied"].contains($0.value["authorization_status"]?.string)
            }
            guard let decision else { continue }
            if decision.value["authorization_status"] == "denied" {
                turnedOff += 1
            } else {
                converted.append(decision.at - asked.event.at)
            }
        }
        let isProvisional = standings.contains { $0.1.isProvisional }
        func ofProvisional(_ count: Int) -> ReportValue { isProvisional ? .count(count) : .null }
        let counted: Record = [
            "asked": .count(answers.count),
            "answered": .count(granted + denied), "granted": .count(granted), "denied": .count(denied),
            "failed": .count(all(.failed).count), "repeats": .count(all(.repeated).count),
            "unknown_before": .count(all(.unknown).count),
            "grant_rate": .rate(granted, granted + denied),
            "grant_rate_low": .wilson(granted, granted + denied, isLow: true),
            "grant_rate_high": .wilson(granted, granted + denied, isLow: false),
            "provisional": ofProvisional(tried.count), "converted": ofProvisional(converted.count),
            "turned_off": ofProvisional(turnedOff), "conversion_rate": .rate(converted.count, tried.count),
            "conversion_p50": .percentile(0.5, ofMicroseconds: converted),
        ]
        return columns.merging(counted) { $1 }.merging(stayed(answers, question)) { $1 }
    }
}
