import Foundation
import NotificationEvents
import Reports

/// A report asked for with parameters, and the time that it then covers.
///
/// Times are microseconds since 1970.
struct ModelQuestion: CustomStringConvertible {
    let report: String
    var from: Int64
    var to: Int64
    var asOf: Int64
    var zone = "UTC"
    var interval = "none"
    var window: (text: String, microseconds: Int64) = ("P3D", 3 * 86_400_000_000)
    /// Whether what is younger than the window is left out.
    var isMature = false
    /// How many keys have rows of their own.
    var limit = 1000
    /// The accepted values of each dimension, "" for null.
    var filters: [String: [String]] = [:]

    /// What rows of the report `engagement` stand for, and what its rates are a part of.
    var by: [String] = []
    var per = "reached"
    /// Those whose values the report `changes` compares, and the range before that it compares with.
    var dimensions: [String] = ["none", "category"]
    var against = "previous"
    /// A part of the names of campaigns.
    var search: String?
    /// Whether currencies have rows of their own.
    var currencies = "together"
    /// The setting that the report `settings` is about.
    var setting = "authorization_status"

    /// How long an active token of the report `tokens` goes without a registration before it is stale.
    var staleAfter: (text: String, microseconds: Int64) = ("P270D", 270 * 86_400_000_000)

    /// An interval of local time, and what of it is covered.
    struct Interval: Hashable {
        let start: Int64
        let begins: Int64
        let ends: Int64
    }

    /// The same, with no filters but these.
    func only(_ names: Set<String>) -> ModelQuestion {
        var question = self
        question.filters = filters.filter { names.contains($0.key) }
        return question
    }

    /// The end of what is covered: nothing after `asOf`, or nothing younger than the window.
    var until: Int64 { min(to, asOf + 1 - (isMature ? window.microseconds : 0)) }

    func covers(_ time: Int64) -> Bool { from <= time && time < until }

    /// The parameters as HTTP would give them.
    func pairs(for definition: ReportDefinition) -> [(name: String, value: String)] {
        var pairs = [
            ("from", Timestamp(microseconds: from).description), ("to", Timestamp(microseconds: to).description),
            ("tz", zone),
        ]
        if definition.parameter("interval") != nil { pairs.append(("interval", interval)) }
        if definition.parameter("against") != nil {
            pairs += [("dimensions", dimensions.joined(separator: ",")), ("against", against)]
        }
        if let search, definition.parameter("search") != nil { pairs.append(("search", search)) }
        if definition.parameter("currencies") != nil { pairs.append(("currencies", currencies)) }
        if definition.parameter("window") != nil { pairs.append(("window", window.text)) }
        if isMature { pairs.append(("mature", "true")) }
        if definition.parameter("by") != nil {
            pairs.append(("by", by.isEmpty ? "none" : by.joined(separator: ",")))
        }
        if definition.parameter("per") != nil { pairs.append(("per", per)) }
        if definition.isBounded { pairs.append(("limit", "\(limit)")) }
        if definition.parameter("setting") != nil { pairs.append(("setting", setting)) }
        if definition.parameter("stale_after") != nil { pairs.append(("stale_after", staleAfter.text)) }
        for (name, values) in filters { pairs += values.map { (name, $0) } }
        return pairs.map { (name: $0.0, value: $0.1) }
    }

    var description: String {
        let times = [from, to, asOf].map { Timestamp(microseconds: $0).description }
        return "\(report) from=\(times[0]) to=\(times[1]) as_of=\(times[2]) tz=\(zone) interval=\(interval)"
            + " window=\(window.text) mature=\(isMature) by=\(by) per=\(per) dimensions=\(dimensions) against=\(against) search=\(search ?? "") setting=\(setting) stale_after=\(staleAfter.text) limit=\(limit) filters=\(filters)"
    }
}

extension ModelQuestion {
    private var timeZone: TimeZone { TimeZone(identifier: zone) ?? .gmt }

    private var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        calendar.firstWeekday = 2
        return calendar
    }

    /// The local interval that a time lies in: the times at which it and the next begin.
    func local(_ unit: String, at time: Int64) -> (start: Int64, next: Int64) {
        let second = Int64((Double(time) / 1e6).rounded(.down))
        let date = Date(timeIntervalSince1970: Double(second))
        if unit == "hour" {
            let offset = Int64(timeZone.secondsFromGMT(for: date))
            let start = second - ((second + offset) % 3600 + 3600) % 3600
            return (start * 1_000_000, (start + 3600) * 1_000_000)
        }
        let component: Calendar.Component = unit == "day" ? .day : unit == "week" ? .weekOfYear : .month
        guard let interval = calendar.dateInterval(of: component, for: date) else { return (time, time) }
        return (
            Int64(interval.start.timeIntervalSince1970) * 1_000_000,
            Int64(interval.end.timeIntervalSince1970) * 1_000_000
        )
    }

    /// The intervals that the range reaches into; one without a start of its own where none was asked for.
    var intervals: [Interval] {
        guard from < until else { return [] }
        guard interval != "none" else { return [Interval(start: 0, begins: from, ends: until)] }
        var intervals: [Interval] = []
        var (start, next) = local(interval, at: from)
        while start < until {
            intervals.append(Interval(start: start, begins: max(start, from), ends: min(next, until)))
            (start, next) = local(interval, at: next)
        }
        return intervals
    }

    /// The interval that a time lies in.
    func interval(of time: Int64) -> Interval? { intervals.first { $0.begins <= time && time < $0.ends } }
}

extension ModelQuestion {
    private static func time(_ text: String) -> Int64 { Timestamp.parse(text)?.timestamp.microseconds ?? 0 }

    /// Any question, about the days that random events fall into.
    static func random(_ definition: ReportDefinition, _ random: inout LawRandom) -> ModelQuestion {
        let froms = [
            "2026-02-20T00:00:00Z", "2026-02-23T05:00:00Z", "2026-03-01T00:00:00Z", "2026-03-01T00:07:30Z",
            "2026-03-01T00:15:00.000001Z", "2026-03-02T00:00:00Z",
        ]
        let tos = [
            "2026-03-23T00:00:00Z", "2026-03-23T00:00:00Z", "2026-03-16T05:00:00Z", "2026-03-04T00:00:00.000001Z",
            "2026-03-02T00:16:11Z",
        ]
        var question = ModelQuestion(
            report: definition.name,
            from: time(random.one(of: froms)),
            to: time(random.one(of: tos)),
            asOf: time(random.chance(75) ? "2026-03-20T12:00:00Z" : "2026-03-02T00:00:00Z")
        )
        question.zone = random.one(of: [
            "UTC", "UTC", "Asia/Kathmandu", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe",
        ])
        question.interval = random.one(of: ["none"] + (definition.parameter("interval")?.accepted ?? []))
        question.window = random.one(of: [
            ("P3D", 259_200_000_000), ("PT1H", 3_600_000_000), ("PT10M", 600_000_000), ("P30D", 2_592_000_000_000),
        ])
        if let by = definition.parameter("by") {
            // Those that the rollup answers exactly.
            question.window = random.one(of: [("P3D", 259_200_000_000), ("PT1H", 3_600_000_000)])
            let accepted = LawOwnDimensions.named(by.accepted).filter { $0 != "none" }
            question.by = Array(accepted.shuffled(using: &random).prefix(random.one(of: [0, 1, 1, 1, 2])))
            if by.kind == .choice { question.by = [random.one(of: ["campaign", "campaign", "category", "variant"])] }
            question.currencies = random.one(of: ["together", "apart"])
            question.per = random.one(of: ["reached", "delivered", "presented"])
        }
        if ["campaigns", "changes"].contains(definition.name) {
            question.window = random.one(of: [
                ("P3D", 259_200_000_000), ("PT1H", 3_600_000_000), ("P7D", 604_800_000_000),
            ])
            let names = (["none", "none", "none"] + LawOwnDimensions.named(definition.filters)).shuffled(using: &random)
            question.dimensions = Set(names.prefix(random.one(of: [1, 2, 3]))).sorted()
            question.against = random.one(of: ["previous", "previous", "year"])
            if question.against == "year", random.chance(70) {
                let year: Int64 = 364 * 86_400_000_000
                question.from += year
                question.to += year
                question.asOf += year
            }
            question.search = random.one(of: [nil, nil, "C", "1"])
        }
        if definition.name == "instrumentation" {
            // Events of the law's worlds arrive ten days late, and a device is silent after thirty.
            question.window = random.one(of: [
                ("P3D", 259_200_000_000), ("P10D", 864_000_000_000), ("P30D", 2_592_000_000_000),
            ])
            if random.chance(70) {
                question.asOf = time("2026-05-20T12:00:00Z")
                question.to = time(random.one(of: ["2026-06-01T00:00:00Z", "2026-04-15T00:00:00Z"]))
            }
        }
        question.isMature = definition.parameter("mature") != nil && random.chance(25)
        question.limit = random.one(of: [1000, 1000, 1, 2, 3])
        question.setting = random.one(of: ["authorization_status", "authorization_status", "sound", "alert"])
        if random.chance(50) { question.staleAfter = ("P1D", 86_400_000_000) }
        for name in LawOwnDimensions.named(definition.filters) where random.chance(50 / definition.filters.count) {
            question.filters[name] = random.some(of: Self.values[name] ?? ["", "x"], percent: 60)
            if question.filters[name] == [] { question.filters[name] = [""] }
        }
        return question
    }

    private static let support = ["enabled", "disabled", "not_supported", "unknown"]

    private static let values = [
        "category": ["news", "chat", "other", ""], "requested_category": ["news", "chat", ""],
        "trigger": ["push", "calendar", ""], "interruption_level": ["passive", "active", ""],
        "campaign": ["c1", "c2", ""], "variant": ["a", "b", ""], "platform": ["ios", "ipados", ""],
        "os_version": ["17", "18", ""], "app_version": ["1", "2", ""], "locale": ["de", "en", ""],
        "provider": ["apns", "fcm"], "status": ["200", "410", ""], "reason": ["Unregistered", "BadDeviceToken", ""],
        "kind": ["request", "action_response", "token", "settings"], "type": ["alert", "voip"],
        "conversion": ["purchase", "signup", "app_open"], "attributes_type": ["Ride", "Game", ""],
        "environment": ["production", "sandbox"], "topic": ["com.example.app", ""],
        "authorization_status": ["denied", "authorized", "unknown"], "alert_style": ["none", "banner", "unknown"],
        "lock_screen": support, "notification_center": support, "sound_setting": support, "badge_setting": support,
        "time_sensitive_setting": support, "scheduled_delivery": support,
        "show_previews": ["always", "never", "unknown"],
        "attribute.tier": ["gold", "7", "true", ""], "attribute.order_type": ["gold", "2.5", "false", ""],
    ]
}
