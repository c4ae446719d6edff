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

    func engagement(_ question: ReportQuestion) -> [Record] {
        byInterval(passing(question), question, at: \.cohort).flatMap { interval, notifications in
            Dictionary(grouping: notifications) { one in question.by.map { one.dimensions[$0] ?? "" } }
                .map { values, notifications in
                    var values = Dictionary(uniqueKeysWithValues: zip(question.by, values.map(ReportValue.name)))
                    values.merge(engagementRecord(notifications, question)) { first, _ in first }
                    return record(interval, question, values)
                }
        }
    }

    private func engagementRecord(_ notifications: [Counted], _ question: ReportQuestion) -> Record {
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
        func rate(_ isMeant: (Counted) -> Bool) -> ReportValue {
            .rate(engaged.count(where: isMeant), population.count)
        }
        let times = engaged.compactMap { one in
            one.one.shownAt.flatMap { shown in one.one.respondedAt.map { max(0, $0 - shown) } }
        }
        let (observable, dismissed) = (count(\.one.dismissObservable), count(\.one.dismissed))
        let deliverable = count(\.one.deliveryObservable)
        var record: Record = [
            "dismissed": observable == 0 && dismissed == 0 ? .null : .count(dismissed),
            "updates": .count(notifications.map { max(0, $0.one.requests.count - 1) }.reduce(0, +)),
            "duplicate_callbacks": .count(notifications.map(\.one.duplicateCallbacks).reduce(0, +)),
            "immature": .count(count { $0.isReached && $0.cohort > question.asOf - window }),
            "delivery_rate": .rate(count { $0.one.deliveryObservable && $0.one.delivered }, deliverable),
            "engagement_rate": .rate(engaged.count, population.count),
            "engagement_rate_low": .wilson(engaged.count, population.count, isLow: true),
            "engagement_rate_high": .wilson(engaged.count, population.count, isLow: false),
            "open_rate": rate(\.one.opened), "action_rate": rate(\.one.acted), "reply_rate": rate(\.one.replied),
            "app_open_rate": rate(\.one.appOpened),
            "dismiss_rate": .rate(count { $0.one.dismissObservable && $0.one.dismissed }, observable),
            "devices": .count(Set(notifications.filter(\.isReached).map(\.one.device)).count),
            "engaged_devices": .count(Set(notifications.filter(\.one.responded).map(\.one.device)).count),
            "window_approximate": .bool(false),
        ]
        for (name, percent) in [("response_p50", 50), ("response_p90", 90), ("response_p99", 99)] {
            record[name] = middle(percent, of: times)
        }
        for (name, isMeant) in Self.stages { record[name] = .count(count(isMeant)) }
        return record
    }

    /// The geometric mean of the bounds of the latency bucket that a percentile lies in.
    private func middle(_ percent: Int, of times: [Int64]) -> ReportValue {
        guard !times.isEmpty else { return .null }
        let value = times.sorted()[max(1, (times.count * percent + 99) / 100) - 1]
        let bucket = bounds.count { $0 < value }
        if bucket == 0 { return .double(0.05) }
        return .double((Double(bounds[bucket - 1]) * Double(bounds[bucket])).squareRoot() / 1e6)
    }
}
