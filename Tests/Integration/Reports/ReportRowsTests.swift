import Decoding
import EventLog
import NotificationEvents
import Postgres
import Reports
import Schema
import Simulator
import Testing

/// What rows say, whatever the report: the counts that a rate comes of, and no more of them than were asked for.
@Suite struct ReportRowsTests {
    private static let end = Timestamp(microseconds: 1_763_683_200_000_000)  // 2025-11-21T00:00:00Z

    /// What people do in some weeks, all of it stored and applied.
    private static func simulate(_ store: LawStore) async throws {
        try await store.connection.query("INSERT INTO notilog.app (name) VALUES ('demo')")
        let decoder = EventDecoder()
        let parameters = SimulationParameters(devices: 150, days: 21, end: end.microseconds, seed: 5)
        var lines: [UInt8] = []
        func send() async throws {
            let items = try decoder.decode(
                lines,
                format: .ndjson,
                policy: DecodingPolicy(scope: .admin),
                receivedAt: end
            ).map(\.item)
            let events = items.compactMap { item in
                if case .accepted(let event, _) = item { event } else { nil }
            }
            try await store.append([(1, events)])
            lines = []
        }
        for event in Simulation(parameters) where !event.isRetry {
            lines += event.line + [UInt8(ascii: "\n")]
            if lines.count > 1 << 20 { try await send() }
        }
        try await send()
        try await store.apply(limit: 100_000)
    }

    /// The two columns that a description says a rate is the quotient of.
    private static func quotient(_ column: ReportColumn) -> (part: String, whole: String)? {
        let pattern = /`([a-z_0-9]+)` ÷ `([a-z_0-9]+)`/
        return column.description.firstMatch(of: pattern).map { (String($0.1), String($0.2)) }
    }

    @Test func everyRateIsTheQuotientOfTwoColumnsBesideIt() async throws {
        try await LawStore.withStore { store in
            try await Self.simulate(store)
            let pool = Pool(store.database.configuration, limit: 1)
            let runner = ReportRunner(catalogue: try ReportCatalogue(folder: ReleaseFolder.locate()), pool: pool)
            var checked: Set<String> = []
            for report in runner.catalogue.reports {
                let rates = report.columns.filter { column in
                    column.name == "rate" || column.name.hasSuffix("_rate") || column.name.hasSuffix("_per_1000")
                }
                var pairs = [("from", "2025-11-01"), ("to", "2025-11-21")]
                if report.parameter("interval") != nil { pairs.append(("interval", "week")) }
                if report.isBounded { pairs.append(("limit", "2")) }
                let result = try await runner.run(
                    try ReportParameters(pairs.map { (name: $0.0, value: $0.1) }, for: report),
                    app: "demo",
                    asOf: Self.end
                )
                for rate in rates {
                    let quotient = try #require(Self.quotient(rate), "\(report.name).\(rate.name): \(rate.description)")
                    for row in result.records {
                        let (part, whole) = (Self.number(row[quotient.part]), Self.number(row[quotient.whole]))
                        guard let found = row.number(rate.name) else {
                            #expect(whole == nil || whole == 0 || part == nil, "\(report.name).\(rate.name) \(row)")
                            continue
                        }
                        let expected = try #require(part) / #require(whole) * (rate.unit == "per 1000" ? 1000 : 1)
                        #expect(abs(found - expected) < 1e-9, "\(report.name).\(rate.name) \(row)")
                        checked.insert("\(report.name).\(rate.name)")
                    }
                }
            }
            #expect(checked.count > 15, "\(checked.sorted())")
            await pool.shutDown()
        }
    }

    private static func number(_ value: ReportValue?) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// Notifications of so many categories, locales and app versions as there are notifications, most of them responded to.
    private static func makeUpKeys(_ count: Int, _ database: ReportsDatabase) async throws {
        try await database.append(
            (0..<count).flatMap { number -> [[String: Any]] in
                let name = "made up \(number)"
                let key: [String: Any] = ["device": "d\(number)", "nid": "n"]
                let context = ["app_version": name, "locale": name, "platform": "ios"]
                let delivery: [String: Any] = [
                    "source": "service_extension", "category_id": name, "context": context,
                    "extension": ["outcome": "modified", "duration_ms": 100],
                ]
                // The first of all is the only one of two notifications.
                let again = number == 0 ? ["n", "m"] : ["n"]
                return again.flatMap { nid -> [[String: Any]] in
                    [
                        ["kind": "delivery", "at": "2026-03-10T10:00:00Z", "data": delivery],
                        [
                            "kind": "action_response", "at": "2026-03-10T10:01:00Z",
                            "data": ["action_id": "default", "category_id": name, "context": context],
                        ],
                        [
                            "kind": "removal", "at": "2026-03-10T10:02:00Z",
                            "data": ["state": "delivered", "reason": "gone"],
                        ],
                    ].map { key.merging($0) { $1 }.merging(["nid": nid]) { $1 } }
                }
            }
        )
        try await database.apply()
    }

    /// Each group that is counted is one call of the interval's function, so calls tell how much of the work is bounded.
    @Test(
        "keys that clients make up have no more rows, and no more work, than asked for",
        arguments: [
            ("engagement", "by => '{category}'", 1), ("engagement", "by => '{locale}'", 1),
            ("engagement", "by => '{category,app_version}'", 1), ("engagement", "source => 'notification'", 1),
            ("actions", "", 1), ("categories", "", 1), ("removals", "", 1), ("extensions", "", 1), ("opt_outs", "", 1),
            ("response_times", "", 42),
        ]
    )
    func madeUpKeysAreBounded(report: String, arguments: String, rowsOfAKey: Int) async throws {
        let (keys, limit) = (3000, 10)
        try await ReportsDatabase.with { database in
            try await Self.makeUpKeys(keys, database)
            let (rows, calls) = try await database.connection.withTransaction { connection in
                try await connection.query("SET LOCAL track_functions = 'all'")
                let given = arguments.isEmpty ? "" : ", \(arguments.replacing("by =>", with: "\"by\" =>"))"
                let rows = try await connection.query(
                    """
                    SELECT other, rows_total FROM report.\(report)(app => 'demo', "limit" => \(limit), "from" => '2026-03-10',
                      "to" => '2026-03-11', as_of => '2026-03-20'\(given)) ORDER BY other
                    """,
                    cached: false
                )
                let calls = try await connection.query(
                    "SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_xact_user_functions WHERE funcname IN ('wilson', 'score_interval')"
                ).only()
                return (rows, try calls.get(0, as: Int64.self))
            }
            #expect(rows.count == (limit + 1) * rowsOfAKey)
            #expect(try rows.count { try $0.get(0, as: Bool.self) } == rowsOfAKey)
            // Actions are by category and action: dismissals too.
            #expect(try rows[0].get(1, as: Int64.self) == Int64(report == "actions" ? 2 * keys : keys))
            #expect(calls <= 2 * Int64(limit + 1))
        }
    }

    /// The planner cannot know how short the edges are, and would rather read every notification of the app.
    @Test(
        "a range that rollups answer has no more notifications read than lie at its edges",
        arguments: [
            ("engagement", "\"by\" => '{category}'"),
            ("engagement", "\"by\" => '{none}', \"interval\" => 'day', count_devices => false"),
            ("engagement", "\"by\" => '{platform}', count_devices => false"), ("categories", ""), ("campaigns", ""),
            ("changes", "dimensions => 'none,category'"),
        ]
    )
    func edgesAloneAreReadByRow(report: String, arguments: String) async throws {
        try await LawStore.withStore { store in
            try await Self.simulate(store)
            try await store.connection.query("ANALYZE")
            let (all, read) = try await store.connection.withTransaction { connection in
                let all = try await connection.query("SELECT count(*) FROM projection.notification").only()
                let before = try await Self.notificationsRead(connection)
                // The plans of a large log, without workers, whose reads are counted elsewhere.
                for setting in [
                    "max_parallel_workers", "min_parallel_table_scan_size", "min_parallel_index_scan_size",
                    "parallel_setup_cost", "parallel_tuple_cost",
                ] {
                    try await connection.query("SET LOCAL \(setting) = 0")
                }
                let given = arguments.isEmpty ? "" : ", \(arguments)"
                try await connection.query(
                    """
                    SELECT * FROM report.\(report)(app => 'demo', "from" => '2025-11-11T00:05:00Z',
                      "to" => '2025-11-19T00:05:00Z', as_of => '2025-11-21'\(given))
                    """,
                    cached: false
                )
                return (try all.get(0, as: Int64.self), try await Self.notificationsRead(connection) - before)
            }
            #expect(read < all / 4, "\(read) of \(all)")
        }
    }

    /// Rows of notifications that this transaction read.
    private static func notificationsRead(_ connection: Connection) async throws -> Int64 {
        try await connection.query(
            "SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::bigint FROM pg_stat_xact_user_tables WHERE relname = 'notification'"
        ).only().get(0, as: Int64.self)
    }

    @Test func whatIsBeyondTheLimitIsToldApartFromNothing() async throws {
        try await ReportsDatabase.with { database in
            try await Self.makeUpKeys(4, database)
            let none: [String: Any] = ["source": "will_present", "context": ["app_version": "1"]]
            try await database.append(
                (1...3).map {
                    ["kind": "delivery", "device": "x", "nid": "\($0)", "at": "2026-03-10T10:00:00Z", "data": none]
                }
            )
            try await database.apply()
            let result = try await database.run("engagement", ["limit": "2", "from": "2026-03-10", "to": "2026-03-11"])
            #expect(result.rowsTotal == 5)
            // Three without a category, two of the first made up, and three others of one each.
            #expect(
                result.records.map { [$0["category"], $0["other"], $0["reached"], $0["devices"]] } == [
                    [.text("made up 0"), .bool(false), .integer(2), .integer(1)],
                    [.null, .bool(false), .integer(3), .integer(1)], [.null, .bool(true), .integer(3), .null],
                ]
            )
            #expect(result.text(.json).contains("],\"rows_total\":5,\"rows\":["))
            let table = result.text(.table)
            #expect(table.contains("\n(other) ") && table.contains("2 of 5, the rest is in `(other)`; see limit\n"))
        }
    }
}
