import Reports

/// `funnel`, by asking of each notification how far it got.
struct FunnelModel {
    let query: ModelQuery

    private enum Stage: String, CaseIterable {
        case requested, accepted, reached, delivered, presented, responded
    }

    /// What is known of a notification at a stage.
    private enum Fate {
        case arrived, unobserved
        case lost(String)
    }

    private func isAccepted(_ one: LawNotification) -> Bool { one.pushResults.contains { $0["status"] == 200 } }

    /// How its provider refused it; empty where it did not.
    static func rejection(_ one: LawNotification) -> String {
        guard let last = one.pushResults.last(where: { $0["status"] != 200 }) else { return "" }
        let (provider, reason, status) = (last["provider"], last["reason"]?.string, last["status"]?.integer)
        let dead =
            switch (provider, reason) {
            case ("apns", "Unregistered"), ("apns", "ExpiredToken"), ("fcm", "UNREGISTERED"), ("fcm", "NotRegistered"):
                true
            case ("apns", nil): status == 410
            case ("fcm", _):
                // APNs' answer behind it, where FCM's own says nothing of the token.
                switch (reason, last["attributes", "apns_reason"]?.string) {
                case ("SENDER_ID_MISMATCH", _), ("MismatchSenderId", _): false
                case (_, "Unregistered"), (_, "ExpiredToken"): true
                case (_, nil): last["attributes", "apns_status"] == 410
                default: false
                }
            default: false
            }
        if dead { return "dead_token" }
        return "rejected:" + (reason ?? status.map(String.init) ?? "unknown")
    }

    private func addError(_ one: LawNotification) -> String {
        let last = one.requests.last { $0["error"] != nil }
        return "add_error:\(last?["error"]?.string ?? "")"
    }

    /// What became of a notification at a stage that it was in play before.
    private func fate(_ one: LawNotification, at stage: Stage) -> Fate {
        switch stage {
        case .requested:
            return one.failed && !one.requested ? .lost(addError(one)) : .arrived
        case .accepted:
            if one.failed {
                return .lost(Self.rejection(one))
            }
            return one.delivered || isAccepted(one) || !one.isPush ? .arrived : .unobserved
        case .reached:
            if one.reached { return .arrived }
            if one.withdrawn { return .lost("withdrawn") }
            if one.suppressed { return .lost("suppressed") }
            if one.silent { return .lost("silent") }
            if one.reachUnknown { return one.delivered ? .arrived : .unobserved }
            if !one.isAlerting { return .lost("not_alerting") }
            return .lost(one.requested ? "permission_denied" : "add_error")
        case .delivered:
            if one.delivered { return .arrived }
            return one.deliveryObservable ? .lost("not_delivered") : .unobserved
        case .presented:
            return one.presented ? .arrived : .unobserved
        case .responded:
            if one.responded { return .arrived }
            return .lost(one.dismissed ? "dismissed" : query.isImmature(one) ? "immature" : "no_response")
        }
    }

    private func isOutside(_ one: LawNotification, _ stage: Stage) -> Bool {
        switch stage {
        case .requested: false
        case .accepted: isAccepted(one)
        case .reached: one.reached
        case .delivered: one.delivered
        case .presented: one.presented
        case .responded: one.responded
        }
    }

    func rows(_ notifications: [LawNotification]) -> [ModelRow] {
        let taken = notifications.filter(query.takes)
        var inPlay = taken.filter { !$0.requests.isEmpty }
        let outside = taken.filter { $0.requests.isEmpty }
        var rows: [ModelRow] = []
        var requested = 0
        var reached: Int?
        for stage in Stage.allCases {
            var lost: [String: Int] = [:]
            var (arrived, unobserved): ([LawNotification], [LawNotification]) = ([], [])
            for one in inPlay {
                switch fate(one, at: stage) {
                case .arrived: arrived.append(one)
                case .unobserved: unobserved.append(one)
                case .lost(let reason): lost[reason, default: 0] += 1
                }
            }
            if stage == .requested { requested = arrived.count }
            if stage == .reached { reached = arrived.count }
            let counting = stage == .responded ? arrived.count(where: query.isEngaged) : arrived.count
            var row: ModelRow = ["stage": .text(stage.rawValue)]
            row["notifications"] = .whole(arrived.count)
            row["notifications_in_window"] = .whole(counting)
            row["share"] = .real(ModelStatistics.ratio(counting, requested))
            row["of_reached"] = .real(reached.flatMap { ModelStatistics.ratio(counting, $0) })
            row["lost"] = .whole(lost.values.reduce(0, +))
            row["lost_by"] = .tally(lost)
            row["unobserved"] = .whole(unobserved.count)
            row["assumed"] = stage == .reached ? .whole(arrived.count(where: \.reachedAssumed)) : .null
            row["outside"] = stage == .requested ? .null : .whole(outside.count { isOutside($0, stage) })
            // No export of the console is among the events.
            for name in ["console", "console_by", "console_difference"] { row[name] = .null }
            rows.append(row)
            inPlay = arrived + unobserved
        }
        return rows
    }
}
