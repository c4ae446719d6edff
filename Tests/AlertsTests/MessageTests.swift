import Deliveries
import EventLog
import Foundation
import NotificationEvents
import Reports
import Schema
import Testing

@testable import Alerts

@Suite("Alerts: what a message says")
struct MessageTests {
    private static let alerts = """
        "alerts_total":2,"alerts":[
          {"id":3,"cell":{"category":"news"},"value":0.0006,"volume":12345,"usual":0.1324,"low":0.1,"high":0.16},
          {"id":4,"cell":{},"value":null,"volume":0}]}
        """

    private static func figures(_ message: String) throws -> [String] {
        let lines = try JSONDecoder().decode(AlertMessage.self, from: Data(message.utf8)).lines
        return Array(lines.dropFirst(3).prefix(2))
    }

    @Test(
        "figures are in the unit of the rule's column, as reports print them",
        arguments: [
            ("engagement", "engagement_rate", "0.06 %", "13.2 % (10.0 % to 16.0 %)"),
            ("campaigns", "difference", "+0.1 pp", "+13.2 pp (+10.0 pp to +16.0 pp)"),
            ("engagement", "response_p50", "0.0 s", "0.1 s (0.1 s to 0.2 s)"),
        ]
    )
    func units(_ report: String, _ metric: String, _ value: String, _ usual: String) throws {
        let rule = AlertRule(
            id: 1,
            app: "shop",
            name: "less",
            report: report,
            parameters: [:],
            condition: try #require(AlertCondition("\(metric) changes")),
            leastVolume: 100,
            waitSeconds: 3600,
            tz: "UTC",
            receivers: [],
            nextDay: "2026-11-22",
            ripeAt: Timestamp(microseconds: 0)
        )
        let column = try rule.column(in: try ReportCatalogue(folder: ReleaseFolder.locate()))
        let opening = AlertMessage.opening(rule, of: column, position: 7, PageAddress("https://page.example"))
        let message = "\(String(decoding: opening, as: UTF8.self).dropLast()),\(Self.alerts)"
        #expect(
            try Self.figures(message) == [
                "category=news: \(metric) \(value), volume 12,345, usually \(usual), alert 3",
                "all: \(metric) –, volume 0, alert 4",
            ]
        )
    }

    @Test("a message that an earlier release stored, without a unit, has numbers")
    func withoutUnit() throws {
        let message = """
            {"app":"shop","rule":"less","report":"engagement","condition":"x falls","metric":"x","day":"2026-11-22",
            "position":7,"link":"https://page.example",\(Self.alerts)
            """
        #expect(
            try Self.figures(message).first
                == "category=news: x 0.0006, volume 12,345, usually 0.1324 (0.1 to 0.16), alert 3"
        )
    }
}
