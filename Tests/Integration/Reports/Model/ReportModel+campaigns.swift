import Reports

extension ReportModel {
    private static let ages: [Int64] = [1, 6, 24, 72, 168, 720].map { $0 * 3_600_000_000 }

    func campaigns(_ question: ModelQuestion) -> [Record] {
        var others = question
        others.filters["campaign"] = nil
        let covered = passing(others).filter { question.covers($0.cohort) }
        func campaign(_ one: Counted) -> String { one.dimensions["campaign"] ?? "" }
        let named = covered.filter { one in
            !campaign(one).isEmpty && passes(one.dimensions, question)
                && question.search.map { campaign(one).lowercased().contains($0.lowercased()) } ?? true
        }
        let kept = KeptKeys(named.map { ([campaign($0)], $0.isReached ? 1 : 0) }, limit: question.limit)
        let changes = changes(by: question.asOf).filter { $0.setting == "authorization_status" }
        return Dictionary(grouping: named) { kept.own([campaign($0)]) }.map { own, members in
            let campaigns = Set(members.map(campaign))
            var record = campaignRecord(members, beside: covered.filter { !campaigns.contains(campaign($0)) }, question)
            record.merge(kept.columns(["campaign"], own)) { first, _ in first }
            record["reached_before"] = own.map { .count(reachedBefore($0[0], question)) } ?? .null
            let reached = members.count(where: \.isReached)
            let optOuts = changes.reduce(0.0) { sum, change in
                let before = change.before.filter {
                    campaigns.contains(campaign($0)) && question.covers($0.cohort) && passes($0.dimensions, question)
                }
                return sum + Double(before.count) * change.share
            }
            record["opt_outs"] = .double(optOuts)
            record["opt_outs_per_1000"] = .number(reached == 0 ? nil : optOuts * 1000 / Double(reached))
            return record
        }
    }

    /// What a campaign reached in the 31 days before the range, of all dimensions.
    private func reachedBefore(_ campaign: String, _ question: ModelQuestion) -> Int {
        var all = question
        all.filters = [:]
        let day: Int64 = 86_400_000_000
        let start = question.from - (question.from % day + day) % day - 31 * day
        return passing(all).count { one in
            one.isReached && one.dimensions["campaign"] == campaign && one.cohort >= start && one.cohort < question.from
        }
    }

    /// The rate at the age that at least half has, and how it differs from that of the others of its categories.
    private func campaignRecord(_ members: [Counted], beside others: [Counted], _ question: ModelQuestion) -> Record {
        let window = question.window.microseconds
        let ages = Self.ages.filter { $0 < window } + [window]
        let reached = members.filter(\.isReached)
        func old(_ notifications: [Counted], _ age: Int64) -> [Counted] {
            notifications.filter { $0.isReached && $0.cohort <= question.asOf - age }
        }
        let age = ages.last { old(reached, $0).count * 2 >= reached.count } ?? ages[0]
        let mature = old(reached, age)
        let engaged = mature.count { $0.isEngaged(within: age) }
        let day: Int64 = 86_400_000_000
        let days = members.map { $0.cohort - ($0.cohort % day + day) % day }
        var record: Record = [
            "first_day": days.min().map { .time($0) } ?? .null, "last_day": days.max().map { .time($0) } ?? .null,
            "reached": .count(reached.count), "age": reached.isEmpty ? .null : .double(Double(age) / 1e6),
            "rate_denominator": .count(mature.count), "responded_in_window": .count(engaged),
            "engagement_rate": .rate(engaged, mature.count),
            "engagement_rate_low": .wilson(engaged, mature.count, isLow: true),
            "engagement_rate_high": .wilson(engaged, mature.count, isLow: false), "usual": .null, "difference": .null,
            "difference_low": .null, "difference_high": .null, "window_approximate": .bool(false),
        ]
        var (usual, variance, trials) = (0.0, 0.0, 0)
        for (category, own) in Dictionary(grouping: mature, by: \.category) {
            let comparable = old(others, age).filter { $0.category == category }
            guard let rate = ModelStatistics.ratio(comparable.count { $0.isEngaged(within: age) }, comparable.count)
            else { return record }
            let weight = Double(own.count) / Double(mature.count)
            usual += weight * rate
            variance += weight * weight * rate * (1 - rate) / Double(comparable.count)
            trials += comparable.count
        }
        guard let rate = ModelStatistics.ratio(engaged, mature.count) else { return record }
        let equivalent = variance > 0 ? usual * (1 - usual) / variance : Double(trials)
        let interval = ModelStatistics.newcombe(rate, Double(mature.count), usual, equivalent)
        record["usual"] = .double(usual)
        record["difference"] = .double(rate - usual)
        record["difference_low"] = .double(interval.low)
        record["difference_high"] = .double(interval.high)
        return record
    }
}
