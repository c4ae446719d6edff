public import Deliveries
internal import EventLog
internal import Foundation
internal import JSON

/// What a rule raised of a day, as it is delivered: the same in every attempt.
public struct AlertMessage: OutgoingMessage {
    /// Of alerts.
    public static let kind = "alert"

    /// That a rule raised alerts.
    public var event: String { "alert.raised" }

    struct Raised: Decodable, Sendable {
        var id: Int64
        var cell: [String: AlertCell.Value]
        var value: Double?
        var volume: Int64
        var bound: Double?
        var usual: Double?
        var low: Double?
        var high: Double?
    }

    var app: String
    var rule: String
    var report: String
    var condition: String
    var metric: String
    var day: String
    var position: Int64
    var link: String
    var alerts_total: Int64
    var alerts: [Raised]

    /// All but the alerts, which are known when they are written.
    static func opening(_ rule: AlertRule, position: Position, _ page: PageAddress) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.field("app", rule.app)
            $0.field("rule", rule.name)
            $0.field("report", rule.report)
            $0.field("condition", "\(rule.condition)")
            $0.field("metric", rule.condition.metric)
            $0.field("day", rule.nextDay)
            $0.field("position", position.rawValue)
            $0.field("link", page.link(to: "alerts", "rule", rule.name))
        }
        return json.bytes
    }

    /// App, rule and day.
    public var subject: String {
        "\(app): \(rule), \(day)"
    }

    /// The message in words, a line an alert.
    public var lines: [String] {
        var lines = ["\(app): \(rule)", "\(report) on \(day): \(condition)", ""]
        lines += alerts.map { alert in
            var line = "\(AlertCell(alert.cell)): \(metric) \(Self.number(alert.value)), volume \(alert.volume)"
            if let usual = alert.usual {
                line += ", usually \(Self.number(usual)) (\(Self.number(alert.low)) to \(Self.number(alert.high)))"
            }
            return line + ", alert \(alert.id)"
        }
        if alerts_total > alerts.count { lines.append("and \(alerts_total - Int64(alerts.count)) more") }
        return lines + ["", "at position \(position)", link]
    }

    private static func number(_ value: Double?) -> String {
        guard let value else { return "-" }
        return value.rounded() == value && abs(value) < 1e15 ? "\(Int64(value))" : String(format: "%.4g", value)
    }
}
