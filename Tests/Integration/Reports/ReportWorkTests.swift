import Foundation
import Postgres
import PrivatePostgres
import Reports
import Schema
import Testing

/// How many rows the plans of reports handle, counted by PostgreSQL: a report of four times the devices and notifications
/// handles about four times as many, also where one device or one token has all of them, or statistics do not know the
/// app.
@Suite struct ReportWorkTests {
    private static let settings = [
        "fsync": "off", "shared_buffers": "128MB", "session_preload_libraries": "auto_explain",
    ]
    private static let few = 350
    /// How much more rows a report may handle for so many times the devices, or what one has.
    private static let times = 4
    private static let mostGrowth = 6.0
    /// Where it handles so few, what it does once a report or once a row of its answer counts for more.
    private static let leastRows = 20_000

    @Test func theWorkOfAReportGrowsAsItsDevicesDo() async throws {
        try await TestDatabase.withServer(settings: Self.settings) { server, database in
            try await LawStore.withStore(on: database) { store in
                try await store.simulate(devices: Self.few, days: 12, app: "few")
                try await store.simulate(devices: Self.few * Self.times, days: 12, app: "many")
                try await store.connection.query("ANALYZE")
                try await Self.logPlans(store.connection)
                for report in try ReportCatalogue(folder: ReleaseFolder.locate()).reports {
                    for by in Self.ways(of: report) {
                        let chosen = by.map { [("by", $0)] } ?? []
                        let few = try await Self.work(report, chosen, app: "few", store, server)
                        let many = try await Self.work(report, chosen, app: "many", store, server)
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

    @Test func theWorkOfAFilteredReportGrowsAsTheDevicesOfANewAppDo() async throws {
        let settings = Self.settings.merging(["autovacuum": "off"]) { $1 }
        try await TestDatabase.withServer(settings: settings) { server, database in
            try await LawStore.withStore(on: database) { store in
                try await store.simulate(devices: Self.few, days: 12, app: "known")
                try await store.connection.query("ANALYZE")
                try await store.simulate(devices: 150, days: 12, app: "few")
                try await store.simulate(devices: 150 * Self.times, days: 12, app: "many")
                try await Self.logPlans(store.connection)
                for report in try ReportCatalogue(folder: ReleaseFolder.locate()).reports {
                    // Of what most have, which no rollup counts.
                    for (filter, value) in [("platform", "ios"), ("authorization_status", "authorized")]
                    where report.filters.contains(filter) {
                        let chosen = [(filter, value)]
                        let few = try await Self.work(report, chosen, app: "few", store, server)
                        let many = try await Self.work(report, chosen, app: "many", store, server)
                        let growth = Double(many) / Double(max(few, Self.leastRows))
                        #expect(
                            growth < Self.mostGrowth,
                            "\(report.name) by \(filter) handles \(many) rows, of a quarter of the devices \(few)"
                        )
                    }
                }
            }
        }
    }

    @Test func theWorkOfOutcomesGrowsAsTheOrdersOfANewAppDo() async throws {
        let settings = Self.settings.merging(["autovacuum": "off"]) { $1 }
        try await TestDatabase.withServer(settings: settings) { server, database in
            let connection = try await database.connect(
                settings: ["search_path": "projection, log", "timezone": "UTC"]
            )
            let pool = Pool(database.configuration, limit: 1)
            let runner = ReportRunner(catalogue: try ReportCatalogue(folder: ReleaseFolder.locate()), pool: pool)
            let reports = ReportsDatabase(connection: connection, runner: runner, pool: pool)
            func orders(_ devices: Int, app: Int) -> [[String: Any]] {
                (0..<devices).flatMap { device -> [[String: Any]] in
                    let shown: [String: Any] = ["source": "will_present", "campaign_id": "spring"]
                    let at = ReportsDatabase.time(800_000)
                    return [ReportsDatabase.event("delivery", "\(device)", "n", at, shown)]
                        + (0..<100).map { order in
                            let at = ReportsDatabase.time(790_000 - Int64(order))
                            let bought: [String: Any] = ["name": "purchase", "order_id": "\(order)"]
                            return ReportsDatabase.event("conversion", "\(device)", nil, at, bought)
                        }
                }
                .map { $0.merging(["app": app]) { $1 } }
            }
            try await connection.query("INSERT INTO notilog.app (name) VALUES ('known'), ('few'), ('many')")
            try await reports.append(orders(40, app: 1))
            try await reports.apply()
            try await connection.query("ANALYZE")
            try await reports.append(orders(20, app: 2) + orders(20 * Self.times, app: 3))
            try await reports.apply()
            try await Self.logPlans(connection)
            let few = try await Self.rows("outcomes", server) {
                _ = try await reports.run("outcomes", ReportsDatabase.march, app: "few")
            }
            let many = try await Self.rows("outcomes", server) {
                _ = try await reports.run("outcomes", ReportsDatabase.march, app: "many")
            }
            let growth = Double(many) / Double(max(few, Self.leastRows))
            #expect(growth < Self.mostGrowth, "outcomes handles \(many) rows, of a quarter of the orders \(few)")
            await pool.shutDown()
            await connection.close()
        }
    }

    /// What one device or one token can have a lot of, by the report that reads it.
    private enum Lot: String, CaseIterable {
        case authorization, experiment, reachability, tokens
        case optOuts = "opt_outs"

        /// So much of it for a device or a token of an app.
        func events(_ count: Int, app: Int) -> [[String: Any]] {
            (0..<count).flatMap { number -> [[String: Any]] in
                let at = ReportsDatabase.time(800_000 - Int64(number))
                switch self {
                case .authorization:
                    // Requests and contexts by turns.
                    let opened: [String: Any] = ["source": "foreground", "context": ["app_version": "1.\(number)"]]
                    return [
                        ReportsDatabase.event("app_open", rawValue, nil, at, opened),
                        ReportsDatabase.event("authorization_request", rawValue, nil, at, ["granted": false]),
                    ]
                case .experiment:
                    // Both variants of so many campaigns.
                    return ["a", "b"].map { variant in
                        let data = ["source": "will_present", "campaign_id": "c\(number)", "variant": variant]
                        return ReportsDatabase.event("delivery", rawValue, "\(number)\(variant)", at, data)
                    }
                case .optOuts:
                    // Half of what was sent reached the device, all at one time; the other half was refused after that.
                    let sent =
                        number % 2 == 0
                        ? ReportsDatabase.delivered(rawValue, "\(number)", ReportsDatabase.time(900_000))
                        : ReportsDatabase.event(
                            "request",
                            rawValue,
                            "\(number)",
                            ReportsDatabase.time(850_000 - Int64(number)),
                            ["error": "notifications_not_allowed"]
                        )
                    return [sent, ReportsDatabase.event("open_settings", rawValue, nil, at)]
                case .reachability, .tokens:
                    return shared(number)
                }
            }
            .map { $0.merging(["app": app]) { $1 } }
        }

        /// One more device that gets the token and gives it up, twice, and is sent a push to it; two answers to pushes.
        private func shared(_ number: Int) -> [[String: Any]] {
            let device = "\(rawValue)-\(number)"
            let token = self == .tokens ? "aa" : "bb"
            func told(_ state: String, _ secondsBefore: Int64) -> [String: Any] {
                let data = ["state": state, "provider": "apns", "type": "alert", "environment": "production"]
                let at = ReportsDatabase.time(secondsBefore - Int64(number))
                return ReportsDatabase.event("token", device, nil, at, data)
            }
            func answer(_ status: Int, _ reason: String, _ secondsBefore: Int64) -> [String: Any] {
                let data: [String: Any] = ["provider": "apns", "status": status, "reason": reason]
                let at = ReportsDatabase.time(secondsBefore - Int64(number))
                return ReportsDatabase.event("push_result", "", nil, at, data)
            }
            let push: [String: Any] = ["origin": "provider", "trigger": ["type": "push"]]
            let at = ReportsDatabase.time(200_000 - Int64(number))
            return [
                told("registered", 800_000), told("unregistered", 700_000), told("registered", 600_000),
                told("unregistered", 500_000), answer(410, "Unregistered", 400_000),
                answer(400, "BadDeviceToken", 300_000),
                ReportsDatabase.event("request", device, "\(number)", at, push),
            ]
            .map { $0.merging(["token": token]) { $1 } }
        }
    }

    @Test func theWorkOfAReportGrowsAsWhatOneDeviceHasDoes() async throws {
        try await TestDatabase.withServer(settings: Self.settings) { server, database in
            let connection = try await database.connect(
                settings: ["search_path": "projection, log", "timezone": "UTC"]
            )
            let pool = Pool(database.configuration, limit: 1)
            let runner = ReportRunner(catalogue: try ReportCatalogue(folder: ReleaseFolder.locate()), pool: pool)
            let reports = ReportsDatabase(connection: connection, runner: runner, pool: pool)
            let few = 200
            try await connection.query("INSERT INTO notilog.app (name) VALUES ('few'), ('many')")
            for lot in Lot.allCases {
                try await reports.append(lot.events(few, app: 1) + lot.events(few * Self.times, app: 2))
            }
            try await reports.apply()
            try await connection.query("ANALYZE")
            try await Self.logPlans(connection)
            for lot in Lot.allCases {
                let few = try await Self.rows(lot.rawValue, server) {
                    _ = try await reports.run(lot.rawValue, ReportsDatabase.march, app: "few")
                }
                let many = try await Self.rows(lot.rawValue, server) {
                    _ = try await reports.run(lot.rawValue, ReportsDatabase.march, app: "many")
                }
                let growth = Double(many) / Double(max(few, Self.leastRows))
                #expect(
                    growth < Self.mostGrowth,
                    "\(lot.rawValue) handles \(many) rows, of a quarter \(few)"
                )
            }
            await pool.shutDown()
            await connection.close()
        }
    }

    /// Makes the sessions to come log the plans of what they run, with the rows of each node.
    private static func logPlans(_ connection: Connection) async throws {
        let counting = [
            "log_min_duration = 0", "log_analyze = on", "log_timing = off", "log_nested_statements = on",
            "log_format = json", "log_level = log",
        ]
        for setting in counting {
            try await connection.execute(script: "ALTER DATABASE postgres SET auto_explain.\(setting)")
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
        _ chosen: [(String, String)],
        app: String,
        _ store: LawStore,
        _ server: PrivatePostgres
    ) async throws -> Int {
        let range = report.parameter("from") == nil ? [] : [("from", "2025-11-09"), ("to", "2025-11-21")]
        let values = range + chosen
        return try await rows(report.name, server) {
            _ = try await store.report(report.name, values, app: app)
        }
    }

    /// The rows that the plans of a report handle as it is asked.
    private static func rows(
        _ report: String,
        _ server: PrivatePostgres,
        _ ask: () async throws -> Void
    ) async throws -> Int {
        let begun = server.logLength
        try await ask()
        let plans = PlanLog(server.recentLog(bytes: server.logLength - begun))
        #expect(plans.count > 0, "\(report): no plan was logged")
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
