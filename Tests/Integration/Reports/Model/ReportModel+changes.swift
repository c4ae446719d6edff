import Foundation
import Reports

extension ModelQuestion {
    /// What clocks of the zone read, counted like times.
    private func wall(_ time: Int64) -> Int64 {
        let second = (Double(time) / 1e6).rounded(.down)
        let zone = TimeZone(identifier: zone) ?? .gmt
        return time + Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: second))) * 1_000_000
    }

    /// The first time at which they read so; where they leap over it, when they leap.
    private func time(reading: Int64) -> Int64 {
        let day: Int64 = 86_400_000_000
        let candidates = [reading - day, reading + day].map { reading - (wall($0) - $0) }
        if let first = candidates.filter({ wall($0) == reading }).min() { return first }
        // They leap after the one, and at the other at the latest.
        var (before, leapt) = (candidates[1], candidates[0])
        while leapt - before > 1 {
            let middle = before + (leapt - before) / 2
            if wall(middle) < reading { before = middle } else { leapt = middle }
        }
        return leapt
    }

    /// Where a time of the range lies in the range before.
    func before(_ time: Int64) -> Int64 {
        let day: Int64 = 86_400_000_000
        // A range up to now ends a microsecond past `asOf`, which is no day more.
        let days = max(1, (wall(min(until, asOf)) - wall(from) + day - 1) / day)
        return min(self.time(reading: wall(time) - (against == "year" ? max(364, days) : days) * day), from)
    }
}

extension ReportModel {
    private struct Value {
        let dimension: String
        let value: String
        let now: [Counted]
        let before: [Counted]
        /// What it is ranked by: how many were reached; of the app's own dimensions, how many were requested.
        var size = 0
    }

    func changes(_ question: ModelQuestion) -> [Record] {
        let window = question.window.microseconds
        let mature = max(question.from, min(question.until, question.asOf - window + 1))
        let (start, end) = (question.before(question.from), question.before(question.until))
        let passing = passing(question)
        let all =
            passing.filter { question.covers($0.cohort) } + passing.filter { start <= $0.cohort && $0.cohort < end }
        let reached = passing.filter(\.isReached)
        let now = reached.filter { question.covers($0.cohort) }
        let before = reached.filter { start <= $0.cohort && $0.cohort < end }

        let values = question.dimensions.flatMap { dimension -> [Value] in
            func value(_ one: Counted) -> String { one.dimensions[dimension] ?? "" }
            let isOwn = LawOwnDimensions.names.contains(dimension)
            let (now, before) = (Dictionary(grouping: now, by: value), Dictionary(grouping: before, by: value))
            let sizes = Dictionary(grouping: all.filter { isOwn ? $0.one.requested : $0.isReached }, by: value)
            return Set(now.keys).union(before.keys).map {
                Value(
                    dimension: dimension,
                    value: $0,
                    now: now[$0] ?? [],
                    before: before[$0] ?? [],
                    size: sizes[$0]?.count ?? 0
                )
            }
        }
        let ranked = values.sorted { left, right in
            let counts = [left.size, right.size]
            let places = [left, right].map { question.dimensions.firstIndex(of: $0.dimension) ?? 0 }
            if counts[0] != counts[1] { return counts[0] > counts[1] }
            if places[0] != places[1] { return places[0] < places[1] }
            return left.value.isEmpty || right.value.isEmpty ? !left.value.isEmpty : left.value < right.value
        }
        let beyond = Dictionary(grouping: ranked.dropFirst(question.limit), by: \.dimension).map { dimension, rest in
            Value(dimension: dimension, value: "", now: rest.flatMap(\.now), before: rest.flatMap(\.before))
        }
        let rows =
            ranked.prefix(question.limit).map { (value: $0, isOther: false) }
            + beyond.map { (value: $0, isOther: true) }
        let untilBefore = question.before(mature)
        var records = rows.map { row -> Record in
            var record = changeRecord(
                row.value.now.filter { $0.cohort < mature },
                row.value.before.filter { $0.cohort < untilBefore },
                window
            )
            record["dimension"] = .text(row.value.dimension)
            record["value"] = .name(row.value.value)
            record["other"] = .bool(row.isOther)
            record["reached"] = .count(row.value.now.count)
            record["reached_before"] = .count(row.value.before.count)
            record["before_from"] = .time(start)
            record["before_to"] = .time(end)
            record["window_approximate"] = .bool(false)
            return record
        }
        for isWhole in [true, false] {
            let tested = records.indices.compactMap { index -> (index: Int, p: Double)? in
                guard (records[index]["dimension"] == .text("none")) == isWhole,
                    case .double(let p)? = records[index]["p_value"]
                else { return nil }
                return (index, p)
            }
            for (one, p) in zip(tested, ModelStatistics.holm(tested.map(\.p))) {
                records[one.index]["p_holm"] = .double(p)
            }
        }
        return records
    }

    /// The rates of those whose time to respond is over, and how they differ.
    private func changeRecord(_ now: [Counted], _ before: [Counted], _ window: Int64) -> Record {
        let (n, m) = (now.count, before.count)
        let (x, y) = (now.count { $0.isEngaged(within: window) }, before.count { $0.isEngaged(within: window) })
        var record: Record = [
            "rate_denominator": .count(n), "responded_in_window": .count(x), "engagement_rate": .rate(x, n),
            "rate_denominator_before": .count(m), "responded_in_window_before": .count(y),
            "engagement_rate_before": .rate(y, m), "difference": .null, "difference_low": .null,
            "difference_high": .null, "p_value": .null, "p_holm": .null,
        ]
        guard let p = ModelStatistics.ratio(x, n), let q = ModelStatistics.ratio(y, m) else { return record }
        let interval = ModelStatistics.newcombe(p, Double(n), q, Double(m))
        record["difference"] = .double(p - q)
        record["difference_low"] = .double(interval.low)
        record["difference_high"] = .double(interval.high)
        let pooled = Double(x + y) / Double(n + m)
        if pooled > 0, pooled < 1 {
            let error = (pooled * (1 - pooled) * (1 / Double(n) + 1 / Double(m))).squareRoot()
            record["p_value"] = .double(ModelStatistics.pValue((p - q) / error))
        }
        return record
    }
}
