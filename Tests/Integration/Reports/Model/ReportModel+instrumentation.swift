import Reports

/// What the report `instrumentation` should say, by plain loops. Devices are so few that all are in its sample.
struct InstrumentationModel {
    typealias Record = ReportModel.Record

    private static let day: Int64 = 86_400_000_000
    /// Beyond every age.
    private static let never = Int64.max

    /// Events of a device that say one version, without another between.
    private struct Stay {
        let device: String
        let version: String
        let first: Int64
        let last: Int64
        let next: Int64?
    }

    private struct Version {
        let name: String
        let devices: Set<String>
        let here: Set<String>
        let firstSeen: Int64
    }

    /// Of so many, so many.
    private struct Part {
        var x = 0
        var m = 0
    }

    /// What a version makes of a row, on one of its two sides.
    private struct Side {
        var late: [Int64] = []
        var ages: [Int64] = []
        var libraries: [String: Int] = [:]
        /// By measure, kind of event or category, and device.
        var parts: [String: [String: [String: Part]]] = [:]

        mutating func add(_ measure: String, _ kind: String, _ device: String, x: Int, m: Int) {
            guard m > 0 else { return }
            parts[measure, default: [:]][kind, default: [:]][device, default: Part()].x += x
            parts[measure, default: [:]][kind, default: [:]][device, default: Part()].m += m
        }

        func sum(_ measure: String) -> Part? {
            guard let kinds = parts[measure] else { return nil }
            let all = kinds.values.flatMap(\.values)
            return Part(x: all.map(\.x).reduce(0, +), m: all.map(\.m).reduce(0, +))
        }

        func value(_ measure: String) -> Double? {
            switch measure {
            case "settings_age_p50": Self.percentile(0.5, ages).flatMap { $0 == never ? nil : Double($0) / 1e6 }
            case "late_p50": Self.percentile(0.5, late).map { Double($0) / 1e6 }
            case "late_p99": Self.percentile(0.99, late).map { Double($0) / 1e6 }
            default: sum(measure).map { Double($0.x) / Double($0.m) }
            }
        }

        static func percentile(_ part: Double, _ values: [Int64]) -> Int64? {
            values.isEmpty ? nil : values.sorted()[max(1, Int((part * Double(values.count)).rounded(.up))) - 1]
        }
    }

    private struct Comparison {
        var difference: Double
        var low: Double?
        var high: Double?
        var p: Double?
        var holm: Double?
    }

    /// In the order in which ties are broken.
    private static let measures = [
        "delivery_observed_rate", "duplicate_rate", "response_only_rate", "settings_age_p50", "late_p50", "late_p99",
        "clamped_rate", "silent_rate", "engagement_rate",
    ]

    private let model: ReportModel
    private let question: ModelQuestion
    private let stays: [Stay]
    private let versions: [Version]
    private let own: [String]
    /// Those that are compared, by when they were first seen.
    private var sequence: [Version] = []
    private let most: Int
    /// Where the part of the range ends whose time to respond is over.
    private let mature: Int64

    init(model: ReportModel, question: ModelQuestion) {
        self.model = model
        self.question = question
        mature = max(question.from, min(question.until, question.asOf - question.window.microseconds + 1))
        stays = LawDevices.periods("context", model.law.devices.contexts).flatMap { periods in
            periods.indices.compactMap { index -> Stay? in
                let (period, next) = (periods[index], index + 1 < periods.count ? periods[index + 1].first.at : nil)
                guard model.passes(Self.values(period.value), question) else { return nil }
                return Stay(
                    device: period.device,
                    version: period.value["app_version"]?.string ?? "",
                    first: period.first.at,
                    last: period.last.at,
                    next: next
                )
            }
        }
        let versions = Dictionary(grouping: stays, by: \.version).map { name, stays in
            let firsts = Dictionary(grouping: stays, by: \.device).values.compactMap { $0.map(\.first).min() }
            return Version(
                name: name,
                devices: Set(stays.map(\.device)),
                here: Set(stays.filter { $0.first < question.until && $0.last >= question.from }.map(\.device)),
                firstSeen: Side.percentile(0.001, firsts) ?? 0
            )
        }
        self.versions = versions.sorted { left, right in
            if left.here.count != right.here.count { return left.here.count > right.here.count }
            if left.devices.count != right.devices.count { return left.devices.count > right.devices.count }
            return left.name.isEmpty || right.name.isEmpty ? !left.name.isEmpty : left.name < right.name
        }
        most = versions.filter { !$0.name.isEmpty }.map(\.devices.count).max() ?? 0
        let kept = self.versions.prefix(question.limit)
        own = kept.map(\.name)
        let most = most
        sequence = kept.filter { !$0.name.isEmpty && $0.devices.count * 1000 >= most }
            .sorted { ($0.firstSeen, $0.name) < ($1.firstSeen, $1.name) }
    }

    private static func values(_ context: LawValue?) -> [String: String] {
        var values: [String: String] = [:]
        for name in ["platform", "os_version", "locale"] { values[name] = context?[name]?.string }
        return values
    }

    func rows() -> [Record] {
        question.intervals.flatMap { interval -> [Record] in
            let present = versions.filter { version in
                stays.contains { $0.version == version.name && $0.first < interval.ends && $0.last >= interval.begins }
            }
            let kept = present.filter { own.contains($0.name) }.map { row($0, interval) }
            let others = present.filter { !own.contains($0.name) }
            return kept + (others.isEmpty ? [] : [otherRow(others, interval)])
        }
    }

    private func before(_ version: Version) -> Version? {
        guard let place = sequence.firstIndex(where: { $0.name == version.name }) else { return nil }
        return sequence[..<place].last { $0.devices.count * 10 >= most }
    }

    private func row(_ version: Version, _ interval: ModelQuestion.Interval) -> Record {
        let before = before(version)
        let shift = before.map { version.firstSeen - $0.firstSeen } ?? 0
        var side = notes([version.name], interval, shift: 0)
        let counted = version.name.isEmpty ? [] : events(version.name, interval, shift: 0)
        count(counted, into: &side)
        var other: Side?
        if let before {
            var its = notes([before.name], interval, shift: shift)
            let events = events(before.name, interval, shift: shift)
            count(events, into: &its)
            measure(events, &its, against: its)
            let until = min(version.firstSeen + 30 * Self.day, question.until - 30 * Self.day)
            if until > version.firstSeen, question.interval == "none" {
                silence(before.name, version.firstSeen, until, &side)
                if let earlier = self.before(before) {
                    silence(earlier.name, before.firstSeen, until - shift, &its)
                }
            }
            other = its
        }
        measure(counted, &side, against: other)
        var record = figures(side, other)
        let devices = Set(
            stays.filter {
                $0.version == version.name && $0.first < interval.ends && $0.last >= interval.begins
            }.map(\.device)
        )
        record["app_version"] = .name(version.name)
        let libraries = side.libraries.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
        record["sdk_version"] = libraries.first.map { .text($0.key) } ?? .null
        record["other"] = .bool(false)
        record["first_seen"] = .time(version.firstSeen)
        record["version_before"] = before.map { .text($0.name) } ?? .null
        record["devices"] = .count(devices.count)
        if version.name.isEmpty { for name in ["taps", "events", "clamped"] { record[name] = .null } }
        return model.record(interval, question, record)
    }

    private func otherRow(_ versions: [Version], _ interval: ModelQuestion.Interval) -> Record {
        // All versions beyond the limit count, whether a device was on them in the interval or not.
        let names = self.versions.filter { !own.contains($0.name) && !$0.here.isEmpty }.map(\.name)
        var record = figures(notes(names, interval, shift: 0), nil)
        for name in [
            "app_version", "sdk_version", "first_seen", "version_before", "verdict", "devices", "taps", "events",
            "clamped",
        ] { record[name] = .null }
        record["other"] = .bool(true)
        return model.record(interval, question, record)
    }

    /// What became of the notifications of devices on a version.
    private func notes(_ names: [String], _ interval: ModelQuestion.Interval, shift: Int64) -> Side {
        var side = Side()
        for one in model.notifications {
            let at = one.cohort + shift
            guard names.contains(one.dimensions["app_version"] ?? ""), at < mature,
                interval.begins <= at, at < interval.ends, model.passes(one.dimensions, question)
            else { continue }
            let (law, device) = (one.one, one.one.device)
            func add(_ measure: String, _ isOf: Bool, _ counts: Bool) {
                let category = one.dimensions["category"] ?? ""
                side.add(measure, category, device, x: isOf && counts ? 1 : 0, m: isOf ? 1 : 0)
            }
            add("delivery_observed_rate", law.deliveryObservable && one.isReached, !law.deliveries.isEmpty)
            add("duplicate_rate", one.isReached || law.responseOnly, law.duplicateCallbacks > 0)
            add("response_only_rate", one.isReached || law.responseOnly, law.responseOnly)
            add("engagement_rate", one.isReached, one.isEngaged(within: question.window.microseconds))
        }
        return side
    }

    private func events(_ name: String, _ interval: ModelQuestion.Interval, shift: Int64) -> [LawEvent] {
        model.law.events.filter { event in
            let at = event.at + shift
            return event["context", "app_version"]?.string == name && interval.begins <= at && at < interval.ends
                && isInTime(event) && model.passes(Self.values(event["context"]), question)
                && !["push_result", "holdout"].contains(event.kind)
                && !(event.kind == "request" && event["origin"] == "provider") && !event.device.isEmpty
        }
        .map { event in
            var event = event
            event.fields["is_old"] = .boolean(at(event, shift) < mature)
            return event
        }
    }

    private func at(_ event: LawEvent, _ shift: Int64) -> Int64 { event.at + shift }

    private func isInTime(_ event: LawEvent) -> Bool { event.receivedAt <= event.at + question.window.microseconds }

    private func late(_ event: LawEvent) -> Int64 { max(0, event.receivedAt - event.at) }

    private func isTap(_ event: LawEvent) -> Bool {
        event.kind == "action_response" && event["action_id"] == "default"
    }

    private func age(_ tap: LawEvent) -> Int64 {
        let told = model.law.events.filter { event in
            event.kind == "settings" && event.device == tap.device && isInTime(event)
                && event.at <= tap.at + 10_000_000
        }
        guard let newest = told.map(\.at).max(), newest >= tap.at - 30 * Self.day else { return Self.never }
        return max(0, tap.at - newest)
    }

    private func count(_ events: [LawEvent], into side: inout Side) {
        for event in events {
            if let library = event["context", "sdk_version"]?.string { side.libraries[library, default: 0] += 1 }
            guard event["is_old"] == true else { continue }
            side.late.append(late(event))
            if isTap(event) { side.ages.append(age(event)) }
        }
    }

    private func measure(_ events: [LawEvent], _ side: inout Side, against other: Side?) {
        let level = other.map { side in
            (Side.percentile(0.5, side.late), Side.percentile(0.99, side.late), Side.percentile(0.5, side.ages))
        }
        func exceeds(_ value: Int64, _ level: Int64??) -> Int { (level ?? nil).map { value > $0 } == true ? 1 : 0 }
        for event in events where event["is_old"] == true {
            side.add("late_p50", event.kind, event.device, x: exceeds(late(event), level?.0), m: 1)
            side.add("late_p99", event.kind, event.device, x: exceeds(late(event), level?.1), m: 1)
            side.add("clamped_rate", event.kind, event.device, x: event.isAhead ? 1 : 0, m: 1)
            guard isTap(event) else { continue }
            side.add("settings_age_p50", "", event.device, x: exceeds(age(event), level?.2), m: 1)
        }
    }

    /// Devices on a version from one time to another, and whether they were never heard of again.
    private func silence(_ name: String, _ from: Int64, _ until: Int64, _ side: inout Side) {
        for (device, stays) in Dictionary(grouping: stays.filter { $0.version == name }, by: \.device) {
            guard let first = stays.map(\.first).min(), let last = stays.max(by: { $0.last < $1.last }),
                first < until, last.last >= from
            else { continue }
            // Of stays of one instant the last one in the tie order, which the stays are in.
            let next = stays.last?.next
            let isSilent = last.last < until && (next.map { $0 > last.last + 30 * Self.day } ?? true)
            side.add("silent_rate", "", device, x: isSilent ? 1 : 0, m: 1)
        }
    }

    private func figures(_ side: Side, _ other: Side?) -> Record {
        var record: Record = [:]
        func counts(_ measure: String, _ m: String?, _ x: String?) {
            if let m { record[m] = .count(side.sum(measure)?.m ?? 0) }
            if let x { record[x] = .count(side.sum(measure)?.x ?? 0) }
        }
        counts("delivery_observed_rate", "delivery_observable", "delivery_observed")
        counts("duplicate_rate", "notifications", "duplicated")
        counts("response_only_rate", nil, "response_only")
        counts("settings_age_p50", "taps", nil)
        counts("late_p50", "events", nil)
        counts("clamped_rate", nil, "clamped")
        counts("engagement_rate", "rate_denominator", "responded_in_window")
        record["heard_before"] = side.sum("silent_rate").map { .count($0.m) } ?? .null
        record["silent_devices"] = side.sum("silent_rate").map { .count($0.x) } ?? .null

        var compared = Self.measures.map { name in other.flatMap { compare(name, side, $0) } }
        let tested = compared.indices.filter { compared[$0]?.p != nil }
        for (index, p) in zip(tested, ModelStatistics.holm(tested.compactMap { compared[$0]?.p })) {
            compared[index]?.holm = p
        }
        var (isWorse, isFallen, isSteady, instruments) = (false, false, true, 0)
        for (name, test) in zip(Self.measures, compared) {
            record[name] = .number(side.value(name))
            record[name + "_before"] = .number(other?.value(name))
            record[name + "_difference"] = .number(test?.difference)
            record[name + "_low"] = .number(test?.low)
            record[name + "_high"] = .number(test?.high)
            record[name + "_p_holm"] = .number(test?.holm)
            let isSure = test?.holm.map { $0 < 0.01 } ?? false
            let difference = test?.difference ?? 0
            guard name != "engagement_rate" else {
                isFallen = isSure && difference < 0
                continue
            }
            if isSure, name == "delivery_observed_rate" ? difference < 0 : difference > 0 { isWorse = true }
            guard test?.low != nil || (other?.sum(name) != nil && name != "silent_rate") else { continue }
            instruments += 1
            if !((test?.low ?? -1) >= -0.02 && (test?.high ?? 1) <= 0.02) { isSteady = false }
        }
        record["verdict"] = .text(
            isWorse ? "tracking" : isFallen && isSteady && instruments > 0 ? "people" : "unclear"
        )
        return record
    }

    /// The difference of a rate at the other's mix of kinds or categories, by device (delta method).
    private func compare(_ measure: String, _ side: Side, _ other: Side) -> Comparison? {
        let (own, its) = (side.parts[measure] ?? [:], other.parts[measure] ?? [:])
        // What one device alone has says nothing of how devices differ.
        let kinds = Set(own.keys).intersection(its.keys)
            .filter { (own[$0]?.count ?? 0) > 1 && (its[$0]?.count ?? 0) > 1 }
        guard !kinds.isEmpty else { return nil }
        func total(_ parts: [String: Part]?) -> (x: Double, m: Double) {
            let parts = parts.map { Array($0.values) } ?? []
            return (Double(parts.map(\.x).reduce(0, +)), Double(parts.map(\.m).reduce(0, +)))
        }
        let whole = kinds.map { total(its[$0]).m }.reduce(0, +)
        var (rate, otherRate) = (0.0, 0.0)
        var (moved, otherMoved): ([String: Double], [String: Double]) = ([:], [:])
        for kind in kinds {
            let (a, b) = (total(own[kind]), total(its[kind]))
            rate += b.m * a.x / a.m
            otherRate += b.x
            for (device, part) in own[kind] ?? [:] {
                let residual = (Double(part.x) * a.m - a.x * Double(part.m)) / (a.m * a.m)
                moved[device, default: 0] += b.m * residual / whole
            }
            for (device, part) in its[kind] ?? [:] {
                otherMoved[device, default: 0] += (Double(part.x) * b.m - b.x * Double(part.m)) / b.m / whole
            }
        }
        (rate, otherRate) = (rate / whole, otherRate / whole)
        var test = Comparison(difference: rate - otherRate)
        let (n, m) = (Double(moved.count), Double(otherMoved.count))
        let newcombe = ModelStatistics.newcombe(rate, n, otherRate, m)
        (test.low, test.high) = (newcombe.low, newcombe.high)
        guard moved.count >= model.fewest, otherMoved.count >= model.fewest else { return test }
        let variance = n / (n - 1) * moved.values.map { $0 * $0 }.reduce(0, +)
        let otherVariance = m / (m - 1) * otherMoved.values.map { $0 * $0 }.reduce(0, +)
        let shared = moved.map { $0.value * (otherMoved[$0.key] ?? 0) }.reduce(0, +)
        let both = variance + otherVariance - 2 * shared * (n * m / ((n - 1) * (m - 1))).squareRoot()
        guard both > max(1e-24, 1e-9 * (variance + otherVariance)) else { return test }
        // If one side alone does not vary, its rate is not exactly known all the same.
        let isOneSided = (variance > 1e-24) != (otherVariance > 1e-24)
        guard !isOneSided || newcombe.low > 0 || newcombe.high < 0 else { return test }
        let error = both.squareRoot()
        test.low = test.difference - ModelStatistics.z * error
        test.high = test.difference + ModelStatistics.z * error
        test.p = ModelStatistics.pValue(test.difference / error)
        return test
    }
}
