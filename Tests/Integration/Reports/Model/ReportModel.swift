import Reports

/// What reports should say, worked out from semantics.md and the reports' headers by plain loops over the whole set of
/// events. It shares no SQL with them.
struct ReportModel {
    typealias Record = [String: ReportValue]

    let law: LawModel
    let notifications: [Counted]
    /// The upper bounds of the latency buckets: a percentile of times to respond is given as the middle of its bucket.
    let bounds: [Int64]
    /// How many devices a version has at least for a p in `instrumentation`.
    var fewest = 10

    /// A notification with what reports ask of it, worked out once.
    struct Counted {
        let one: LawNotification
        let cohort: Int64
        let category: String
        let dimensions: [String: String]
        let isReached: Bool

        init?(_ one: LawNotification) {
            guard let cohort = one.cohortAt else { return nil }
            self.one = one
            self.cohort = cohort
            category = one.category ?? ""
            isReached = one.reached
            let row = one.row
            var dimensions: [String: String] = [:]
            for name in ReportModel.dimensions { dimensions[name] = row[name] ?? "" }
            let settings = LawSettings(one)
            for name in LawSettings.names.keys { dimensions[name] = settings[name] }
            for key in LawOwnDimensions.keys { dimensions["attribute." + key] = one.own(key) ?? "" }
            self.dimensions = dimensions
        }

        /// Responded to in time, a response before it was shown included.
        func isEngaged(within window: Int64) -> Bool {
            guard isReached, let responded = one.respondedAt else { return false }
            return responded - (one.shownAt ?? cohort) <= window
        }
    }

    static let dimensions = [
        "category", "requested_category", "trigger", "interruption_level", "campaign", "variant", "platform",
        "os_version", "app_version", "locale",
    ]

    init(_ events: [LawEvent], bounds: [Int64]) {
        self.bounds = bounds
        law = LawModel(events)
        notifications = law.notifications.compactMap(Counted.init)
    }

    /// The rows of a report; nil where the model does not know it.
    func rows(_ question: ModelQuestion) -> [Record]? {
        guard !question.intervals.isEmpty else { return [] }
        switch question.report {
        case "actions": return actions(question)
        case "activity": return activity(question)
        case "authorization": return authorization(question)
        case "campaigns": return campaigns(question)
        case "categories": return categories(question)
        case "changes": return changes(question)
        case "engagement": return engagement(question)
        case "extensions": return extensions(question)
        case "instrumentation": return InstrumentationModel(model: self, question: question).rows()
        case "live_activities": return liveActivities(question)
        case "outcomes": return OutcomesModel(model: self, question: question).rows()
        case "frequency": return frequency(question)
        case "opt_outs": return optOuts(question)
        case "push_results": return pushResults(question)
        case "reachability": return reachability(question)
        case "removals": return removals(question)
        case "settings": return settings(question)
        case "tokens": return tokens(question)
        default: return nil
        }
    }

    /// The notifications that pass the filters.
    func passing(_ question: ModelQuestion) -> [Counted] {
        notifications.filter { passes($0.dimensions, question) }
    }

    /// Whether values (absent is "") pass the filters.
    func passes(_ values: [String: String], _ question: ModelQuestion) -> Bool {
        question.filters.allSatisfy { name, accepted in accepted.contains(values[name] ?? "") }
    }

    /// Those of a time that is covered, by interval.
    func byInterval<Value>(
        _ values: [Value],
        _ question: ModelQuestion,
        at time: (Value) -> Int64
    ) -> [(interval: ModelQuestion.Interval, values: [Value])] {
        question.intervals.map { interval in
            (interval, values.filter { interval.begins <= time($0) && time($0) < interval.ends })
        }
    }

    /// A row of an interval.
    func record(_ interval: ModelQuestion.Interval, _ question: ModelQuestion, _ values: Record) -> Record {
        var record = values
        if question.interval != "none" { record["interval_start"] = .time(interval.start) }
        return record
    }
}

extension ReportValue {
    /// Null for a text that is absent or empty.
    static func name(_ text: String?) -> ReportValue { text.flatMap { $0.isEmpty ? nil : .text($0) } ?? .null }

    static func count(_ count: Int) -> ReportValue { .integer(Int64(count)) }

    static func number(_ number: Double?) -> ReportValue { number.map { .double($0) } ?? .null }

    /// Null for a denominator of 0.
    static func rate(_ part: Int, _ whole: Int) -> ReportValue {
        whole == 0 ? .null : .double(Double(part) / Double(whole))
    }

    /// A bound of the Wilson score interval: (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n).
    static func wilson(_ part: Int, _ whole: Int, isLow: Bool) -> ReportValue {
        guard whole > 0 else { return .null }
        if isLow, part == 0 { return .double(0) }
        if !isLow, part == whole { return .double(1) }
        let (p, n, z) = (Double(part) / Double(whole), Double(whole), 1.959963984540054)
        let spread = z * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
        return .double((p + z * z / (2 * n) + (isLow ? -spread : spread)) / (1 + z * z / n))
    }

    /// The value that so large a part of the values does not exceed, in seconds.
    static func percentile(_ part: Double, ofMicroseconds values: [Int64]) -> ReportValue {
        guard !values.isEmpty else { return .null }
        let place = max(1, Int((part * Double(values.count)).rounded(.up)))
        return .double(Double(values.sorted()[place - 1]) / 1e6)
    }

    static func names(_ names: [String?]) -> ReportValue {
        .json("[" + names.map { $0.map { "\"\($0)\"" } ?? "null" }.joined(separator: ", ") + "]")
    }
}
