import Reports

extension ReportModel {
    private static let stages: [(String, @Sendable (Counted) -> Bool)] = [
        ("requested", \.one.requested), ("failed", \.one.failed), ("reached", \.isReached),
        ("reached_seen", \.one.reachedSeen), ("reached_assumed", \.one.reachedAssumed),
        ("delivered", \.one.delivered), ("presented", \.one.presented), ("suppressed", \.one.suppressed),
        ("silent", \.one.silent), ("responded", \.one.responded), ("opened", \.one.opened), ("acted", \.one.acted),
        ("replied", \.one.replied), ("app_opened", \.one.appOpened), ("withdrawn", \.one.withdrawn),
        ("response_only", \.one.responseOnly), ("delivered_seen", { !$0.one.deliveries.isEmpty }),
        ("presented_seen", \.one.wasShown), ("dismiss_observable", \.one.dismissObservable),
        ("delivery_observable", \.one.deliveryObservable),
    ]

    private static let inWindow: [(counted: String, rate: String, isMeant: @Sendable (Counted) -> Bool)] = [
        ("responded_in_window", "engagement_rate", { _ in true }), ("opened_in_window", "open_rate", \.one.opened),
        ("acted_in_window", "action_rate", \.one.acted), ("replied_in_window", "reply_rate", \.one.replied),
        ("app_opened_in_window", "app_open_rate", \.one.appOpened),
    ]

    func engagement(_ question: ModelQuestion) -> [Record] {
        func key(_ one: Counted) -> [String] { question.by.map { one.dimensions[$0] ?? "" } }
        let covered = passing(question).filter { question.covers($0.cohort) }
        // Of what an app named itself those that were sent most.
        let isByOwn = question.by.contains(where: LawOwnDimensions.names.contains)
        let kept = KeptKeys(
            covered.map { (key($0), (isByOwn ? $0.one.requested : $0.isReached) ? 1 : 0) },
            limit: question.limit
        )
        return byInterval(covered, question, at: \.cohort).flatMap { interval, notifications in
            Dictionary(grouping: notifications) { kept.own(key($0)) }
                .map { own, notifications in
                    var values = kept.columns(question.by, own)
                    values.merge(engagementRecord(notifications, question)) { first, _ in first }
                    if own == nil {
                        values["devices"] = .null
                        values["engaged_devices"] = .null
                    }
                    return record(interval, question, values)
                }
        }
    }

    private func engagementRecord(_ notifications: [Counted], _ question: ModelQuestion) -> Record {
        let window = question.window.microseconds
        func count(_ isMeant: (Counted) -> Bool) -> Int { notifications.count(where: isMeant) }
        let population = notifications.filter { one in
            switch question.per {
            case "reached": one.isReached
            case "delivered": one.one.delivered && !one.one.responseOnly
            default: one.one.presented && !one.one.responseOnly
            }
        }
        let engaged = population.filter { one in
            guard !one.one.responseOnly, let responded = one.one.respondedAt else { return false }
            return responded - (one.one.shownAt ?? one.cohort) <= window
        }
        let dismissedInTime = count { one in
            guard one.one.dismissObservable, let dismissed = one.one.dismissedAt else { return false }
            return dismissed - (one.one.shownAt ?? one.cohort) <= window
        }
        let times = engaged.compactMap { one in
            one.one.shownAt.flatMap { shown in one.one.respondedAt.map { max(0, $0 - shown) } }
        }
        let (observable, dismissed) = (count(\.one.dismissObservable), count(\.one.dismissed))
        let deliverable = count(\.one.deliveryObservable)
        let delivered = count { $0.one.deliveryObservable && $0.one.delivered }
        var record: Record = [
            "dismissed": observable == 0 && dismissed == 0 ? .null : .count(dismissed),
            "updates": .count(notifications.map { max(0, $0.one.requests.count - 1) }.reduce(0, +)),
            "duplicate_callbacks": .count(notifications.map(\.one.duplicateCallbacks).reduce(0, +)),
            "immature": .count(count { $0.isReached && $0.cohort > question.asOf - window }),
            "delivery_observed": .count(delivered), "delivery_rate": .rate(delivered, deliverable),
            "engagement_rate_low": .wilson(engaged.count, population.count, isLow: true),
            "engagement_rate_high": .wilson(engaged.count, population.count, isLow: false),
            "rate_denominator": .count(population.count),
            "dismissed_in_window": .count(dismissedInTime), "dismiss_rate": .rate(dismissedInTime, observable),
            "devices": .count(Set(notifications.filter(\.isReached).map(\.one.device)).count),
            "engaged_devices": .count(Set(notifications.filter(\.one.responded).map(\.one.device)).count),
            "window_approximate": .bool(false),
        ]
        for (name, percent) in [("response_p50", 50), ("response_p90", 90), ("response_p99", 99)] {
            record[name] = middle(percent, of: times)
        }
        for (counted, rate, isMeant) in Self.inWindow {
            record[counted] = .count(engaged.count(where: isMeant))
            record[rate] = .rate(engaged.count(where: isMeant), population.count)
        }
        for (name, isMeant) in Self.stages { record[name] = .count(count(isMeant)) }
        return record
    }

    /// The geometric mean of the bounds of the latency bucket that a percentile lies in.
    func middle(_ percent: Int, of times: [Int64]) -> ReportValue {
        guard !times.isEmpty else { return .null }
        let value = times.sorted()[max(1, (times.count * percent + 99) / 100) - 1]
        let bucket = bounds.count { $0 < value }
        if bucket == 0 { return .double(0) }
        return .double((Double(bounds[bucket - 1]) * Double(bounds[bucket])).squareRoot() / 1e6)
    }
}
