import Foundation
import Postgres
import PrivatePostgres
import Reports
import Schema
import Testing

/// How many rows the plans of reports handle, counted by PostgreSQL: a report of four times the devices and notifications
/// handles about four times as many.
@Suite struct ReportWorkTests {
    private static let few = 350
    /// How much more rows a report may handle for so many times the devices.
    private static let times = 4
    private static let mostGrowth = 6.0
    /// Where it handles so few, what it does once a report or once a row of its answer counts for more.
    private static let leastRows = 20_000

    @Test func theWorkOfAReportGrowsAsItsDevicesDo() async throws {
        let settings = ["fsync": "off", "shared_buffers": "128MB", "session_preload_libraries": "auto_explain"]
        try await TestDatabase.withServer(settings: settings) { server, database in
            try await LawStore.withStore(on: database) { store in
                try await store.simulate(devices: Self.few, days: 12, app: "few")
                try await store.simulate(devices: Self.few * Self.times, days: 12, app: "many")
                try await store.connection.query("ANALYZE")
                let counting = [
                    "log_min_duration = 0", "log_analyze = on", "log_timing = off", "log_nested_statements = on",
                    "log_format = json", "log_level = log",
                ]
                for setting in counting {
                    try await store.connection.execute(script: "ALTER DATABASE postgres SET auto_explain.\(setting)")
                }
                for report in try ReportCatalogue(folder: ReleaseFolder.locate()).reports {
                    for by in Self.ways(of: report) {
                        let few = try await Self.work(report, by: by, app: "few", store, server)
                        let many = try await Self.work(report, by: by, app: "many", store, server)
                        let growth = Double(many) / Double(max(few, Self.leastRows))
                        #expect(
                            growth < Self.mostGrowth,
                            "\(report.name) by \(by ?? "default") handles \(many) rows, of a quarter of the devices \(few)"
                        )
                    }
                }
            }
        }
    }

    /// As a report groups by default, and by each dimension alone.
    private static func ways(of report: ReportDefinition) -> [String?] {
        let by = report.parameters.first { $0.kind == .dimensions }
        return [nil] + (by?.accepted.filter { $0 != "none" && $0 != ReportDefinition.ownDimension } ?? [])
    }

    /// The rows that a report's plans handle.
    private static func work(
        _ report: ReportDefinition,
        by: String?,
        app: String,
        _ store: LawStore,
        _ server: PrivatePostgres
    ) async throws -> Int {
        let begun = server.logLength
        var values = report.parameter("from") == nil ? [] : [("from", "2025-11-09"), ("to", "2025-11-21")]
        if let by { values.append(("by", by)) }
        _ = try await store.report(report.name, values, app: app)
        let plans = PlanLog(server.recentLog(bytes: server.logLength - begun))
        #expect(plans.count > 0, "\(report.name): no plan was logged")
        return plans.rows
    }
}

/// The plans in a part of a server's log, as `auto_explain` writes them.
private struct PlanLog {
    private(set) var count = 0
    /// The rows that their nodes gave on or threw away, each as often as its node was run.
    private(set) var rows = 0

    init(_ log: String) {
        var plan: [Substring]?
        for line in log.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("\t") {
                plan?.append(line.dropFirst())
                continue
            }
            take(plan)
            plan = line.hasSuffix("plan:") ? [] : nil
        }
        take(plan)
    }

    private mutating func take(_ lines: [Substring]?) {
        guard let lines, let json = try? JSONSerialization.jsonObject(with: Data(lines.joined(separator: "\n").utf8)),
            let node = (json as? [String: Any])?["Plan"] as? [String: Any]
        else { return }
        count += 1
        add(node)
    }

    private mutating func add(_ node: [String: Any]) {
        let handled = ["Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter"].compactMap {
            node[$0] as? Int
        }
        rows += handled.reduce(0, +) * (node["Actual Loops"] as? Int ?? 0)
        for child in node["Plans"] as? [[String: Any]] ?? [] { add(child) }
    }
}
