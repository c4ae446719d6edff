import EventLog
import Foundation
import NotificationEvents
import Postgres
import Reports
import Testing

@testable import Alerts

/// Days of an app in which nothing changes, as events: weekdays differ, some days have a campaign to devices that are unlike the
/// others, devices are unlike in how much they get and how readily they respond, and some report late.
private struct NullLog {
    static let monday = 1_767_571_200.0  // 2026-01-05T00:00:00Z
    static let categories = ["news", "offer", "chat"]

    private struct Device {
        var perDay: Double
        var logit: Double
        var isLate: Bool
    }

    private var random = LawRandom(seed: 20_261_125)
    private let devices: [Device]
    private let weekday: [Double]
    /// What was sent and has not arrived yet, with the day on which it does.
    private var underway: [(day: Int, event: [String: Any])] = []

    init(devices count: Int) {
        var random = LawRandom(seed: 19)
        devices = (0..<count).map { _ in
            Device(
                perDay: exp(0.6 * random.normal() - 0.8),
                logit: -1 + random.normal(),
                isLate: random.unit() < 0.2
            )
        }
        weekday = (0..<7).map { _ in 0.25 * random.normal() }
    }

    /// What arrives on a day.
    mutating func arriving(on day: Int) -> [[String: Any]] {
        let effect = weekday[day % 7] + 0.1 * random.normal()
        let volume = exp(0.5 * weekday[(day + 3) % 7])
        let hasCampaign = random.unit() < 0.12
        for (index, device) in devices.enumerated() {
            var sent: [Int] = []
            for category in Self.categories.indices {
                var product = random.unit()
                while product > exp(-device.perDay * volume / Double(category + 1)) {
                    sent.append(category)
                    product *= random.unit()
                }
            }
            // Those who respond readily are more often among the campaign's devices.
            if hasCampaign, device.logit > -1.2 { sent.append(1) }
            guard !sent.isEmpty else { continue }
            let delay = device.isLate ? Int(-2 * log(max(random.unit(), 1e-9))) : 0
            for (number, category) in sent.enumerated() {
                let at = Double(day) * 86_400 + 1800 + random.unit() * 60_000
                let odds = exp(device.logit + effect)
                let name = "\(day)-\(number)"
                send("delivery", index, name, category, at, ["source": "service_extension"], day + delay)
                guard random.unit() < odds / (1 + odds) else { continue }
                let later = at + 60 + random.unit() * 7200
                send("action_response", index, name, category, later, ["action_id": "default"], day + delay)
            }
        }
        let arrived = underway.filter { $0.day <= day }.map(\.event)
        underway.removeAll { $0.day <= day }
        return arrived
    }

    private mutating func send(
        _ kind: String,
        _ device: Int,
        _ notification: String,
        _ category: Int,
        _ second: Double,
        _ data: [String: String],
        _ day: Int
    ) {
        let at = Date(timeIntervalSince1970: Self.monday + second).ISO8601Format()
        underway.append(
            (
                day,
                [
                    "kind": kind, "at": at, "device": "d\(device)", "nid": notification,
                    "data": data.merging(["category_id": Self.categories[category]]) { $1 },
                ]
            )
        )
    }
}

extension LawRandom {
    fileprivate mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    fileprivate mutating func normal() -> Double {
        (-2 * log(max(unit(), 1e-300))).squareRoot() * cos(2 * .pi * unit())
    }
}

@Suite("Alerts: a log in which nothing changes")
struct NullLogTests {
    private static let conditions = ["engagement_rate falls", "engagement_rate changes", "reached changes"]

    @Test("at most one day of a rule in a hundred raises an alert, by a log, its projections and reports at due times")
    func falseAlarms() async throws {
        try await ReportsDatabase.with { database in
            let store = AlertStore(database.pool)
            let judge = AlertJudge(store, database.runner, pageURL: "https://page.example/")
            for condition in Self.conditions {
                let rule = try WantedAlertRule(
                    name: condition,
                    report: "engagement",
                    pairs: [("by", "category"), ("window", "PT6H")],
                    condition: condition,
                    leastVolume: 20,
                    receivers: [],
                    catalogue: database.runner.catalogue
                )
                try await store.add(rule, app: AppID(1))
            }
            try await database.connection.query("UPDATE notilog.alert_rule SET next_day = '2026-01-05'")
            var world = NullLog(devices: 160)
            for day in 0..<100 {
                try await database.append(world.arriving(on: day))
                try await database.apply()
                for rule in try await store.rules(app: AppID(1)) {
                    #expect(try await judge.judge(rule, at: rule.ripeAt), "\(rule.name) on \(rule.nextDay)")
                }
            }
            // Of each rule, from the first day on which three of the same weekday are known.
            let judged = Self.conditions.count * (100 - 21)
            let alarms: Int64 = try await database.connection.value(
                "SELECT count(*) FROM (SELECT DISTINCT rule_id, day FROM notilog.alert) a"
            )
            #expect(alarms * 100 <= judged, "\(alarms) of \(judged) days")
            let usual: Int64 = try await database.connection.value(
                "SELECT count(DISTINCT (rule_id, day)) FROM notilog.alert_figure WHERE in_time AND volume >= 20"
            )
            // The last eight weeks are kept.
            #expect(usual == Int64(Self.conditions.count * 57), "\(usual)")
        }
    }
}
