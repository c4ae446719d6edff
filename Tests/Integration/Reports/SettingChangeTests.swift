import Postgres
import Testing

/// Settings that people turned down: `setting_change` keeps them with the notifications before them, and reports read that
/// instead of the notifications.
@Suite("Reports: settings turned down")
struct SettingChangeTests {
    /// Two devices that turned settings down, over and over.
    private static var events: [[String: Any]] {
        var events: [[String: Any]] = []
        for (device, status) in [("A", "denied"), ("B", "authorized")] {
            for turn in 1...3 {
                let day = turn * 4
                let on = ["sound": "enabled", "scheduled_delivery": "disabled"]
                let off = ["sound": "disabled", "scheduled_delivery": "enabled"]
                events += [
                    ReportsDatabase.settings(device, at(day), "authorized", on),
                    notification(device, "\(turn).1", at(day, "06"), "news", "spring"),
                    notification(device, "\(turn).2", at(day, "06"), turn == 2 ? nil : "promo", nil),
                    notification(device, "\(turn).3", at(day + 1), "news", "autumn"),
                    ReportsDatabase.settings(device, at(day + 1, "12"), status, off),
                    // After the change.
                    notification(device, "\(turn).4", at(day + 1, "13"), "news", "spring"),
                ]
            }
        }
        return events
    }

    private static func at(_ day: Int, _ hour: String = "00") -> String {
        "2026-03-\(day < 10 ? "0" : "")\(day)T\(hour):00:00Z"
    }

    private static func notification(
        _ device: String,
        _ nid: String,
        _ at: String,
        _ category: String?,
        _ campaign: String?
    ) -> [String: Any] {
        var data: [String: Any] = ["source": "will_present"]
        data["category_id"] = category
        data["campaign_id"] = campaign
        return ReportsDatabase.event("delivery", device, nid, at, data)
    }

    /// What the reports say of changes.
    private static func answers(_ database: ReportsDatabase, _ filters: String = "{}") async throws -> [String] {
        let range = "\"from\" => '2026-03-01', \"to\" => '2026-03-23', as_of => '2026-04-01', filters => '\(filters)'"
        return try await database.connection.query(
            """
            SELECT 'opt_outs ' || r::text FROM report.opt_outs('demo', "interval" => 'day', \(range)) r
            UNION ALL SELECT 'frequency ' || r::text FROM report.frequency('demo', "interval" => 'week', \(range)) r
            UNION ALL SELECT 'campaigns ' || r::text FROM report.campaigns('demo', \(range)) r
            ORDER BY 1
            """,
            cached: false
        ).map { try $0.get(0) }
    }

    /// The same of the notifications, looked for.
    private static func lookedFor(_ database: ReportsDatabase) async throws -> [String] {
        struct RolledBack: Error {}
        var result: [String] = []
        do {
            try await database.connection.withTransaction { connection in
                try await connection.query("DELETE FROM projection.setting_change")
                try await connection.query(
                    """
                    INSERT INTO projection.setting_excess SELECT DISTINCT app_id, device_id FROM projection.device_period
                    ON CONFLICT DO NOTHING
                    """
                )
                result = try await answers(database)
                throw RolledBack()
            }
        } catch is RolledBack {}
        return result
    }

    @Test("are kept alike whatever comes first, in one batch or in many")
    func order() async throws {
        var random = LawRandom(seed: 5)
        var expected: [String] = []
        for attempt in 0..<5 {
            let ordered =
                attempt == 0
                ? Self.events : attempt == 1 ? Self.events.reversed() : Self.events.shuffled(using: &random)
            try await ReportsDatabase.with { database in
                for event in ordered {
                    try await database.append([event])
                    if attempt > 0 { try await database.apply() }
                }
                try await database.apply()
                let answers = try await Self.answers(database)
                #expect(answers == (try await Self.lookedFor(database)), "attempt \(attempt)")
                // A filter that leaves nothing out asks for each notification.
                #expect(answers == (try await Self.answers(database, #"{"platform": [null]}"#)), "attempt \(attempt)")
                if attempt == 0 { expected = answers }
                #expect(answers == expected, "attempt \(attempt)")
                let kept = try await database.connection.query(
                    """
                    SELECT count(*), sum(cardinality(cohort_ats)), count(DISTINCT device_id) FROM projection.setting_change
                    """
                ).only()
                // A: three times to denied. B: two settings, three times. Each after three notifications.
                #expect(try (kept.get(0, as: Int64.self), kept.get(1, as: Int64.self)) == (9, 27))
            }
        }
    }

    @Test("are read without the notifications")
    func work() async throws {
        try await ReportsDatabase.with { database in
            try await database.append(Self.events)
            try await database.apply()
            let read: Int64 = try await database.connection.withTransaction { connection in
                let counted = """
                    SELECT (seq_tup_read + idx_tup_fetch)::bigint FROM pg_stat_xact_user_tables
                    WHERE relid IN ('projection.notification'::regclass, 'projection.device_period'::regclass)
                    """
                let before = try await connection.query(counted, cached: false).map { try $0.get(0, as: Int64.self) }
                let rows = try await connection.query(
                    """
                    SELECT count(*) FROM report.opt_outs('demo', "from" => '2026-03-01', "to" => '2026-03-23', as_of => '2026-04-01')
                    """,
                    cached: false
                ).only().get(0, as: Int64.self)
                #expect(rows == 3)
                let after = try await connection.query(counted, cached: false).map { try $0.get(0, as: Int64.self) }
                return after.reduce(0, +) - before.reduce(0, +)
            }
            #expect(read == 0)
        }
    }

    @Test("of a device with more settings or notifications than the bound are looked for", arguments: [3, 8])
    func bound(most: Int) async throws {
        try await ReportsDatabase.with { database in
            try await database.connection.query(
                "SELECT set_config('notilog.setting_rows', $1, false)",
                [.text("\(most)")]
            )
            for event in Self.events {
                try await database.append([event])
                try await database.apply()
            }
            let row = try await database.connection.query(
                "SELECT (SELECT count(*) FROM projection.setting_excess), (SELECT count(*) FROM projection.setting_change)"
            ).only()
            #expect(try (row.get(0, as: Int64.self), row.get(1, as: Int64.self)) == (2, 0))
            let answers = try await Self.answers(database)
            #expect(answers == (try await Self.lookedFor(database)))
            #expect(answers == (try await Self.answers(database, #"{"platform": [null]}"#)))
        }
    }

    @Test("of a device with more notifications that never reached it than are read are looked for")
    func unreached() async throws {
        try await ReportsDatabase.with { database in
            try await database.connection.query("SELECT set_config('notilog.setting_rows', '10', false)")
            let silent = (1...31).map {
                ReportsDatabase.event("request", "A", "\($0)", Self.at(3), ["origin": "app", "alerting": false])
            }
            try await database.append(
                [ReportsDatabase.settings("A", Self.at(1), "authorized", [:])] + silent
                    + [ReportsDatabase.settings("A", Self.at(5), "denied", [:])]
            )
            try await database.apply()
            #expect(try await database.connection.value("SELECT count(*) FROM projection.setting_excess") == Int64(1))
            #expect(try await Self.answers(database) == (try await Self.lookedFor(database)))
        }
    }

    @Test("are looked for in a version of an earlier release")
    func earlierVersion() async throws {
        try await ReportsDatabase.with { database in
            try await database.append(Self.events)
            try await database.apply()
            let answers = try await Self.answers(database)
            try await database.connection.execute(
                script: "DROP TABLE projection.setting_change, projection.setting_excess CASCADE"
            )
            #expect(try await Self.answers(database) == answers)
        }
    }

    /// The device's own newest snapshots and notifications, which nearly all events are, write no row again.
    @Test("are not written again for what is newer")
    func newer() async throws {
        try await ReportsDatabase.with { database in
            try await database.append(Self.events)
            try await database.apply()
            let places = "SELECT array_agg(ctid::text ORDER BY ctid) FROM projection.setting_change"
            let before = try await database.connection.query(places).only().get(0, as: [String].self)
            try await database.append([
                Self.notification("A", "late", Self.at(18), "news", "spring"),
                ReportsDatabase.settings(
                    "A",
                    Self.at(19),
                    "denied",
                    ["sound": "disabled", "scheduled_delivery": "enabled"]
                ),
                Self.notification("B", "late", Self.at(18), "news", "spring"),
            ])
            try await database.apply()
            #expect(try await database.connection.query(places).only().get(0, as: [String].self) == before)
        }
    }
}
