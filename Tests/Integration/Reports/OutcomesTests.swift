import Foundation
import Postgres
import Reports
import Testing

/// What the report `outcomes` finds where it is known what there is to find.
@Suite("Outcomes")
struct OutcomesTests {
    private static func at(_ second: Int) -> String {
        Date(timeIntervalSince1970: 1_772_323_200 + Double(second)).ISO8601Format()
    }

    /// A campaign's devices: those sent to, those held out, and of each so many that buy something an hour later.
    private static func campaign(_ name: String, sent: Int, buying: Int, held: Int, heldBuying: Int) -> [[String: Any]]
    {
        func arm(_ kind: String, _ count: Int, _ buying: Int) -> [[String: Any]] {
            (0..<count).flatMap { index -> [[String: Any]] in
                let device = "\(name)-\(kind)-\(index)"
                var data: [String: Any] = ["campaign_id": name]
                if kind == "holdout" { data["share"] = 0.5 }
                var assigned: [String: Any] = ["kind": kind, "device": device, "at": at(index), "data": data]
                if kind == "request" { assigned["nid"] = "n" }
                let bought: [String: Any] = [
                    "kind": "conversion", "device": device, "at": at(index + 3600), "data": ["name": "purchase"],
                ]
                return index < buying ? [assigned, bought] : [assigned]
            }
        }
        return arm("request", sent, buying) + arm("holdout", held, heldBuying)
    }

    @Test("finds a lift that there is, and tells that more devices were held out than declared")
    func planted() async throws {
        try await ReportsDatabase.with { database in
            try await database.append(Self.campaign("spring", sent: 1500, buying: 45, held: 1500, heldBuying: 15))
            try await database.append(Self.campaign("skewed", sent: 60, buying: 3, held: 140, heldBuying: 7))
            try await database.apply()
            let result = try await database.run("outcomes", [:], asOf: Self.at(864_000))
            let spring = try #require(result.records.first { $0["campaign"] == .text("spring") })
            #expect(
                spring.counts("sent_devices", "held_out_devices", "sent_converted", "held_out_converted") == [
                    1500, 1500, 45, 15,
                ]
            )
            #expect(spring["lift"] == .double(0.03 - 0.01))
            #expect((spring.number("lift_low") ?? 0) > 0.009 && (spring.number("lift_high") ?? 1) < 0.031)
            #expect((spring.number("lift_p") ?? 1) < 0.001)
            #expect((spring.number("sample_ratio_p") ?? 0) > 0.99)
            let skewed = try #require(result.records.first { $0["campaign"] == .text("skewed") })
            #expect((skewed.number("sample_ratio_p") ?? 1) < 0.001)
            // Nobody was ever reached: they are counted as they were assigned all the same.
            #expect((skewed.number("lift_low") ?? 1) < 0 && (skewed.number("lift_high") ?? -1) > 0)
        }
    }

    @Test("of a request and a holdout for the same time, the one that came first is the device's arm")
    func tiedAssignments() async throws {
        try await ReportsDatabase.with { database in
            let planned = Self.at(36_000)
            try await database.append([
                Self.event("holdout", "kept", 3_600, ["campaign_id": "spring", "scheduled_for": planned]),
                Self.event("request", "kept", 7_200, ["campaign_id": "spring", "scheduled_for": planned]),
                Self.event("request", "sent", 3_600, ["campaign_id": "spring", "scheduled_for": planned]),
                Self.event("holdout", "sent", 7_200, ["campaign_id": "spring", "scheduled_for": planned]),
                // Of two events at one time the request.
                Self.event("request", "both", 3_600, ["campaign_id": "spring", "scheduled_for": planned]),
                Self.event("holdout", "both", 3_600, ["campaign_id": "spring", "scheduled_for": planned]),
                Self.event("conversion", "kept", 36_100, ["name": "buy"]),
            ])
            try await database.apply()
            let result = try await database.run("outcomes", ["window": "P1D"], asOf: Self.at(864_000))
            let row = try #require(result.records.first { $0["campaign"] == .text("spring") })
            #expect(
                row.counts("sent_devices", "held_out_devices", "sent_converted", "held_out_converted", "crossed") == [
                    2, 1, 0, 1, 3,
                ]
            )
        }
    }

    private static func event(_ kind: String, _ device: String, _ second: Int, _ data: [String: Any]) -> [String: Any] {
        var event: [String: Any] = ["kind": kind, "device": device, "at": at(second), "data": data]
        if kind == "request" || kind == "action_response" { event["nid"] = data["campaign_id"] ?? data["to"] ?? "n" }
        return event
    }

    @Test("a conversion after a response counts whenever that came, and after any of a notification's")
    func lateAndSecondResponses() async throws {
        let day = 86_400
        try await ReportsDatabase.with { database in
            try await database.append([
                // Three days later, long after a range of that day.
                Self.event("request", "A", 36_000, ["campaign_id": "late"]),
                Self.event("action_response", "A", 3 * day + 36_600, ["to": "late", "action_id": "default"]),
                Self.event("conversion", "A", 3 * day + 39_600, ["name": "buy"]),
                // Another button after the first.
                Self.event("request", "B", 36_000, ["campaign_id": "twice"]),
                Self.event("action_response", "B", 36_600, ["to": "twice", "action_id": "default"]),
                Self.event("action_response", "B", 2 * day + 36_000, ["to": "twice", "action_id": "save"]),
                Self.event("conversion", "B", 2 * day + 39_600, ["name": "buy"]),
                // The open is the second response's, and of no other notification.
                Self.event("request", "C", 32_400, ["campaign_id": "tapped"]),
                Self.event("request", "C", 32_400, ["campaign_id": "beside"]),
                Self.event("action_response", "C", 36_000, ["to": "tapped", "action_id": "like"]),
                Self.event("action_response", "C", 43_200, ["to": "tapped", "action_id": "default"]),
                Self.event("app_open", "C", 43_201, [:]),
            ])
            try await database.apply()
            let result = try await database.run(
                "outcomes",
                ["window": "P1D", "from": Self.at(0), "to": Self.at(day)],
                asOf: Self.at(10 * day)
            )
            func counts(_ campaign: String, _ conversion: String) throws -> [Int64?] {
                let row = try #require(
                    result.records.first {
                        $0["campaign"] == .text(campaign) && $0["conversion"] == .text(conversion)
                    }
                )
                return row.counts("devices", "direct", "influenced", "conversions")
            }
            #expect(try counts("late", "buy") == [1, 1, 0, 1])
            #expect(try counts("twice", "buy") == [1, 1, 0, 1])
            #expect(try counts("tapped", "app_open") == [1, 1, 0, 1])
            #expect(try counts("beside", "app_open") == [1, 0, 0, 0])
        }
    }

    @Test("windows of late responses that overlap are read once, not once for each response")
    func lateWork() async throws {
        let day = 86_400
        try await ReportsDatabase.with { database in
            var events: [[String: Any]] = []
            for number in 0..<200 {
                let name = "late \(number)"
                events.append(Self.event("request", "A", 36_000 + number, ["campaign_id": name]))
                events.append(
                    Self.event("action_response", "A", 3 * day + number, ["to": name, "action_id": "default"])
                )
                events.append(Self.event("conversion", "A", 3 * day + 36_000 + number, ["name": "buy"]))
                events.append(Self.event("app_open", "A", 3 * day + 36_000 + number, [:]))
            }
            try await database.append(events)
            try await database.apply()
            let (direct, read) = try await database.connection.withTransaction { connection in
                let direct: Int64 = try await connection.query(
                    """
                    SELECT sum(direct)::bigint
                    FROM report.outcomes('demo', "from" => $1, "to" => $2, "window" => '1 day', as_of => $3::text::timestamptz)
                    WHERE conversion = 'buy'
                    """,
                    [.text(Self.at(0)), .text(Self.at(day)), .text(Self.at(10 * day))]
                ).only().get(0)
                let read: Int64 = try await connection.query(
                    """
                    SELECT sum(seq_tup_read + idx_tup_fetch)::bigint FROM pg_stat_xact_user_tables
                    WHERE schemaname = 'projection' AND relname IN ('conversion', 'app_open')
                    """
                ).only().get(0)
                return (direct, read)
            }
            #expect(direct == 200)
            // Each some times at most; 200 windows of 400 rows would be 80,000.
            #expect(read < 4_000, "\(read) rows read of 400")
        }
    }

    /// A campaign sent to as many devices as were held out of it, of each so many that buy an hour later.
    private struct World {
        let name: String
        let sent: Int
        let held: Int
    }

    /// Worlds as the projections have them, each with devices of its own.
    private static func insert(_ worlds: [World], arm devices: Int, _ connection: Connection) async throws {
        let parameters: [Parameter] = [
            .texts(worlds.map(\.name)), .int8s(worlds.map { Int64($0.sent) }), .int8s(worlds.map { Int64($0.held) }),
            .int8(Int64(devices)),
        ]
        let arms = """
            FROM unnest($1::text[], $2::int8[], $3::int8[]) AS w (name, sent, held) CROSS JOIN generate_series(1, $4::int8) AS i
            """
        // Of a notification that is sent, and of which nothing more is known.
        let columns = try await connection.query(
            """
            SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum),
              string_agg(CASE
                WHEN attname = 'device_id' THEN 'name || ''-s'' || i'
                WHEN attname = 'notification_id' THEN quote_literal('n')
                WHEN attname = 'occurrence' THEN quote_literal('-infinity')
                WHEN attname IN ('app_id', 'requests') THEN '1' WHEN attname = 'campaign' THEN 'name'
                WHEN attname = 'cohort_at' THEN quote_literal('2026-03-01T00:00:00Z')
                WHEN attname IN ('requested', 'add_succeeded', 'alerting') THEN 'true'
                WHEN atttypid = 'boolean'::regtype THEN 'false' WHEN atttypid = 'bytea'::regtype THEN quote_literal('')
                ELSE '0' END, ', ' ORDER BY attnum)
            FROM pg_attribute
            WHERE attrelid = 'projection.notification'::regclass AND attnum > 0 AND NOT attisdropped
              AND (attnotnull OR attname IN ('cohort_at', 'campaign'))
            """
        ).only()
        let (names, values): (String, String) = (try columns.get(0), try columns.get(1))
        // Each statement uses all parameters, so that PostgreSQL knows their types.
        let inserts = [
            "projection.notification (\(names)) SELECT \(values) \(arms)",
            """
            projection.holdout (app_id, device_id, at, id, campaign, share)
            SELECT 1, name || '-h' || i, '2026-03-01T00:00:00Z', gen_random_uuid(), name, '0.5' \(arms)
            """,
            """
            projection.conversion (app_id, device_id, at, id, name)
            SELECT 1, name || arm || i, '2026-03-01T01:00:00Z', gen_random_uuid(), 'purchase'
            FROM (SELECT name, sent, held, i \(arms)) w
            CROSS JOIN LATERAL (VALUES ('-s', sent), ('-h', held)) AS a (arm, buying) WHERE i <= buying
            """,
        ]
        for insert in inserts { try await connection.query("INSERT INTO " + insert, parameters, cached: false) }
    }

    @Test(
        "finds no lift where there is none in 95 of 100 worlds, and one of 2 points where there is",
        .timeLimit(.minutes(5))
    )
    func worlds() async throws {
        let devices = 1_200
        var random = LawRandom(seed: 20_260_303)
        func buying(_ percent: Double) -> Int {
            (0..<devices).count { _ in Double(random.next() >> 11) / Double(1 << 53) < percent / 100 }
        }
        let without = (0..<100).map { World(name: "null-\($0)", sent: buying(5), held: buying(5)) }
        let with = (0..<100).map { World(name: "lift-\($0)", sent: buying(2.2), held: buying(0.2)) }
        try await ReportsDatabase.with { database in
            try await database.apply()
            try await Self.insert(without + with, arm: devices, database.connection)
            try await database.connection.query("ANALYZE", cached: false)
            let rows = try await database.run("outcomes", [:], asOf: "2026-03-11T00:00:00Z").records
            #expect(rows.count == 200)
            func among(_ worlds: [World]) -> [[String: ReportValue]] {
                rows.filter { row in worlds.contains { row["campaign"] == .text($0.name) } }
            }
            let found = among(without).count {
                ($0.number("lift_low") ?? 1) > 0 || ($0.number("lift_high") ?? -1) < 0
            }
            #expect(found <= 5, "\(found) of 100 worlds without a lift show one")
            let missed = among(with).count { ($0.number("lift_low") ?? -1) <= 0 }
            #expect(missed <= 5, "\(missed) of 100 worlds with a lift do not show it")
            #expect(among(without).count == 100 && among(with).count == 100)
            for row in rows {
                #expect(row.counts("sent_devices", "held_out_devices") == [Int64(devices), Int64(devices)])
            }
        }
    }

    @Test("an open beside a tap is the tap's; an order counts once; money of two currencies is not added up")
    func credit() async throws {
        func event(_ kind: String, _ device: String, _ second: Int, _ data: [String: Any], nid: String? = nil)
            -> [String: Any]
        {
            var event: [String: Any] = ["kind": kind, "device": device, "at": Self.at(second), "data": data]
            if let nid { event["nid"] = nid }
            return event
        }
        let shown: [String: Any] = ["source": "will_present", "campaign_id": "spring"]
        let paid: [String: Any] = ["name": "purchase", "value": 500, "currency": "EUR", "order_id": "o1"]
        try await ReportsDatabase.with { database in
            try await database.append([
                // Tapped, which opened the app; the callback of the foreground came first.
                event("delivery", "a", 0, shown, nid: "n"),
                event("app_open", "a", 55, [:]),
                event("action_response", "a", 60, ["action_id": "default", "campaign_id": "spring"], nid: "n"),
                event("conversion", "a", 90, paid), event("conversion", "a", 95, paid),
                // Seen and opened by hand later.
                event("delivery", "b", 0, shown, nid: "n"),
                event("app_open", "b", 500, [:]),
                event("conversion", "b", 600, ["name": "purchase", "value": 700, "currency": "USD"]),
                // Seen, and nothing more within the time.
                event("delivery", "c", 0, shown, nid: "n"),
                event("app_open", "c", 4000, [:]),
            ])
            try await database.apply()
            let together = try await database.run("outcomes", ["window": "PT1H"], asOf: Self.at(864_000)).records
            let opens = try #require(together.first { $0["conversion"] == .text("app_open") })
            #expect(opens.counts("devices", "direct", "influenced", "conversions") == [3, 1, 1, 2])
            let purchases = try #require(together.first { $0["conversion"] == .text("purchase") })
            #expect(purchases.counts("devices", "direct", "influenced", "conversions") == [3, 1, 1, 2])
            #expect(purchases["value"] == .null)
            let apart = try await database.run(
                "outcomes",
                ["window": "PT1H", "currencies": "apart"],
                asOf: Self.at(864_000)
            ).records
            let values = apart.filter { $0["conversion"] == .text("purchase") }.map { [$0["currency"], $0["value"]] }
            #expect(values == [[.text("EUR"), .integer(500)], [.text("USD"), .integer(700)]])
        }
    }

    /// 120,000 pairs of a campaign and a conversion, of one device.
    @Test(
        "one device with 400 campaigns and 300 opens of the app is left out, and said",
        .timeLimit(.minutes(2))
    )
    func excess() async throws {
        let crowd = (0..<400).map { index -> [String: Any] in
            let data: [String: Any] = ["source": "will_present", "campaign_id": "made-up-\(index)"]
            return ["kind": "delivery", "device": "crowd", "at": Self.at(index), "nid": "n\(index)", "data": data]
        }
        let opens = (0..<300).map { index -> [String: Any] in
            ["kind": "app_open", "device": "crowd", "at": Self.at(2_000 + index), "data": [String: Any]()]
        }
        let shown: [String: Any] = ["source": "will_present", "campaign_id": "made-up-7"]
        let other: [[String: Any]] = [
            ["kind": "delivery", "device": "b", "at": Self.at(0), "nid": "n", "data": shown],
            ["kind": "app_open", "device": "b", "at": Self.at(500), "data": [String: Any]()],
        ]
        try await ReportsDatabase.with { database in
            try await database.append(crowd + opens + other)
            try await database.apply()
            let result = try await database.run("outcomes", ["limit": "10"], asOf: Self.at(864_000))
            #expect(result.records.count == 11)
            let first = try #require(result.records.first { $0["campaign"] == .text("made-up-7") })
            #expect(first.counts("devices", "devices_excess", "influenced", "conversions") == [2, 1, 1, 1])
            let second = try #require(result.records.first { $0["campaign"] == .text("made-up-0") })
            #expect(second.counts("devices", "devices_excess", "influenced", "conversions") == [1, 1, 0, 0])
        }
    }
}
