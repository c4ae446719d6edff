import Foundation
import Reports

/// `response_times`: the Aalen–Johansen estimate and its variance as the textbooks write them, sums within sums.
struct ResponseTimesModel {
    let query: ModelQuery
    /// Whether any delivered list of the app was ever found without a notification.
    let hasSweeps: Bool
    /// Upper bounds of the latency buckets, in microseconds.
    let bounds: [Int64]

    private static let outcomes = ["opened", "acted", "replied", "dismissed", "withdrawn", "gone"]
    private static let stretches: [Int64] = [
        60, 300, 900, 3600, 21_600, 86_400, 259_200, 604_800, 2_592_000, 7_776_000,
    ]

    /// One notification followed for so long, to an outcome or until nothing more was known of it.
    private struct Followed {
        let time: Int64
        let outcome: String?
    }

    private func follow(_ one: LawNotification) -> Followed? {
        guard one.reached, let shown = one.shownAt, shown <= query.asOf else { return nil }
        let known = min(query.asOf, shown + query.window)
        if let first = LawOutcome(one), first.at <= known {
            let time = max(0, first.at - shown)
            let isYoung = shown > query.asOf - query.window
            let counted = isYoung ? time : min(LawOutcome.middle(time, bounds), query.window)
            return Followed(time: counted, outcome: first.name)
        }
        return Followed(time: known - shown, outcome: nil)
    }

    func rows(_ notifications: [LawNotification]) -> [ModelRow] {
        let ends = Self.stretches.map { $0 * 1_000_000 }.filter { $0 < query.window } + [query.window]
        return query.bounded(notifications, counting: { follow($0) != nil }).flatMap { columns, members -> [ModelRow] in
            let followed = members.compactMap(follow)
            let tells = members.contains { $0.shownAt.map { $0 <= query.asOf } == true && $0.dismissObservable }
            return Self.outcomes.flatMap { outcome in
                ends.indices.map { place in
                    stretch(place, ends, followed, outcome, tells).merging(columns) { first, _ in first }
                }
            }
        }
    }

    private func stretch(
        _ place: Int,
        _ ends: [Int64],
        _ followed: [Followed],
        _ outcome: String,
        _ tells: Bool
    ) -> ModelRow {
        let (start, end) = (place == 0 ? -1 : ends[place - 1], ends[place])
        let within = followed.filter { $0.time > start && $0.time <= end }
        let number = within.count { $0.outcome == outcome }
        let isTold =
            (outcome == "dismissed" ? tells : outcome == "gone" ? hasSweeps : true)
            || followed.contains { $0.outcome == outcome }
        let estimate = isTold ? incidence(of: outcome, at: end, followed) : nil
        var row: ModelRow = [
            "outcome": .text(outcome), "since": .double(Double(max(0, start)) / 1e6),
            "until": .double(Double(end) / 1e6),
            "at_risk": .whole(followed.count { $0.time > start }),
            "censored": .whole(within.count { $0.outcome == nil }),
            "notifications": isTold ? .whole(number) : .null,
            "incidence": .real(estimate?.incidence), "incidence_low": .null, "incidence_high": .null,
        ]
        if let (f, variance) = estimate, f > 0, f < 1 {
            let spread = ModelStatistics.z * max(0, variance).squareRoot() / (f * -log(f))
            row["incidence_low"] = .double(pow(f, exp(spread)))
            row["incidence_high"] = .double(pow(f, exp(-spread)))
        } else if let f = estimate?.incidence {
            let decided = followed.count - followed.count { $0.time <= end && $0.outcome == nil }
            let bounds = ModelStatistics.wilson(f == 0 ? 0 : decided, decided)
            row["incidence_low"] = .real(bounds.low)
            row["incidence_high"] = .real(bounds.high)
        }
        return row
    }

    /// The estimate at a time, with its variance; nil where nobody was followed so far.
    private func incidence(of outcome: String, at end: Int64, _ followed: [Followed]) -> (
        incidence: Double, variance: Double
    )? {
        struct Step { var n, d, own, surviving, incidence: Double }
        var steps: [Step] = []
        var (surviving, incidence) = (1.0, 0.0)
        for time in Set(followed.filter { $0.outcome != nil && $0.time <= end }.map(\.time)).sorted() {
            let n = Double(followed.count { $0.time >= time })
            let d = Double(followed.count { $0.time == time && $0.outcome != nil })
            let own = Double(followed.count { $0.time == time && $0.outcome == outcome })
            incidence += surviving * own / n
            steps.append(Step(n: n, d: d, own: own, surviving: surviving, incidence: incidence))
            surviving *= 1 - d / n
        }
        if surviving > 0, !followed.contains(where: { $0.time >= end }) { return nil }
        var variance = 0.0
        for step in steps {
            let rest = incidence - step.incidence
            if step.n > step.d { variance += rest * rest * step.d / (step.n * (step.n - step.d)) }
            variance += pow(step.surviving, 2) * step.own * (step.n - step.own) / pow(step.n, 3)
            variance -= 2 * rest * step.surviving * step.own / pow(step.n, 2)
        }
        return (incidence > 1 - 1e-12 ? 1 : incidence, variance)
    }
}
