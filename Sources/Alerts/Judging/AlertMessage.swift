public import Deliveries
internal import EventLog
internal import JSON
internal import Reports

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
    /// The metric's unit; nil in messages of a release that did not say.
    var unit: String?
    /// Whether it is a difference of two fractions; nil for no.
    var is_difference: Bool?
    var day: String
    var position: Int64
    var link: String
    var alerts_total: Int64
    var alerts: [Raised]

    /// All but the alerts, which are known when they are written.
    ///
    /// - Parameter column: the column that the rule judges.
    static func opening(
        _ rule: AlertRule,
        of column: ReportColumn?,
        position: Position,
        _ page: PageAddress
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.field("app", rule.app)
            $0.field("rule", rule.name)
            $0.field("report", rule.report)
            $0.field("condition", "\(rule.condition)")
            $0.field("metric", rule.condition.metric)
            $0.field("unit", column?.unit)
            if column?.isDifference == true { $0.field("is_difference", true) }
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
            let volume = FigureText.count(alert.volume)
            var line = "\(AlertCell(alert.cell)): \(metric) \(text(alert.value)), volume \(volume)"
            if let usual = alert.usual {
                line += ", usually \(text(usual)) (\(text(alert.low)) to \(text(alert.high)))"
            }
            return line + ", alert \(alert.id)"
        }
        if alerts_total > alerts.count { lines.append("and \(alerts_total - Int64(alerts.count)) more") }
        return lines + ["", "at position \(position)", link]
    }

    private func text(_ value: Double?) -> String {
        FigureText.value(value, unit: unit, isDifference: is_difference == true)
    }
}
