import Foundation
import Postgres
import Reports
import Testing

/// The rollup and `notification` answer alike, whatever the events and whatever is asked.
@Suite struct PathEqualityTests {
    private static let sets = 200

    /// One set of events: a few devices and notifications, with times at and around the borders of buckets.
    private static func events(_ app: Int, _ random: inout LawRandom) -> [[String: Any]] {
        func pick<T>(_ values: [T]) -> T { values[Int(random.next() % UInt64(values.count))] }
        func time(_ base: Double, _ spread: Double) -> Double {
            base + Double(random.next() % 1_000_000) / 1e6 * spread
        }
        let start = 1_772_928_000.0  // 2026-03-08T00:00:00Z
        var events: [[String: Any]] = []
        func add(_ kind: String, _ device: String, _ nid: String?, _ at: Double, _ data: [String: Any]) {
            var event: [String: Any] = ["kind": kind, "device": device, "at": text(at), "app": app, "data": data]
            if let nid { event["nid"] = nid }
            events.append(event)
        }
        add(
            "category_registration",
            "d0",
            nil,
            start,
            [
                "context": ["app_version": "1"],
                "categories": [
                    [
                        "id": "news", "options": pick([["custom_dismiss_action"], []]),
                        "actions": [
                            [
                                "id": "like", "type": pick(["button", "text_input"]),
                                "options": pick([["foreground"], []]),
                            ]
                        ],
                    ]
                ],
            ]
        )
        for device in 0..<3 {
            add(
                "settings",
                "d\(device)",
                nil,
                time(start, 3 * 86_400),
                [
                    "authorization_status": pick(["authorized", "denied"]),
                    "context": ["app_version": pick(["1", "2"]), "platform": "ios", "locale": pick(["en", "de"])],
                ]
            )
        }
        for number in 0..<Int(5 + random.next() % 20) {
            let (device, nid) = ("d\(random.next() % 3)", "n\(number)")
            var common: [String: Any] = [:]
            if let category = pick(["news", "promo", nil]) { common["category_id"] = category }
            if let campaign = pick(["spring", nil]) { common["campaign_id"] = campaign }
            if let variant = pick(["control", "a", "b", nil]) { common["variant"] = variant }
            let slot = pick([0.0, 900, 86_400, 172_800, 100_000, 13_500])
            let at = start + slot + pick([0, 0.000001, -0.000001, Double(random.next() % 90_000)])
            if pick([true, true, false]) {
                var request = common.merging([
                    "origin": pick(["app", "provider"]), "mutable_content": pick([true, false]),
                ]) { $1 }
                if pick([false, false, false, true]) { request["error"] = "x" }
                if pick([false, false, false, true]) { request["alerting"] = false }
                add("request", device, nid, at, request)
            }
            if pick([true, false]) {
                add(
                    "delivery",
                    device,
                    nid,
                    at + pick([1, 1, 86_399, 100_000, 200_000]),
                    common.merging([
                        "source": pick(["service_extension", "delivered_list"]),
                        "extension": pick([
                            ["outcome": "modified", "duration_ms": 400], ["outcome": "expired", "duration_ms": 30_000],
                            ["duration_ms": 401, "attachments_loaded": 2, "attachments_failed": 0], [:],
                        ]),
                    ]) { $1 }
                )
            }
            if pick([true, false, false]) {
                add(
                    "presentation",
                    device,
                    nid,
                    at + 2,
                    common.merging(["surface": "foreground", "options": pick([["list"], ["badge"], []])]) { $1 }
                )
            }
            if pick([true, true, false]) {
                let action = pick(["default", "like", "other"])
                for _ in 0..<pick([1, 1, 2]) {
                    add(
                        "action_response",
                        device,
                        nid,
                        at + pick([0, 1, 3599, 3600, 3601, 259_200, 259_203, 500_000]),
                        common.merging(["action_id": action]) { $1 }
                    )
                }
            }
            if pick([true, false, false]) { add("dismissal", device, nid, at + 60, common) }
            if pick([true, false, false]) {
                let reason = pick(["removed_by_app", "gone", "replaced"])
                add("removal", device, nid, at + pick([60, 7200]), ["state": "delivered", "reason": reason])
            }
        }
        return events
    }

    private static func text(_ seconds: Double) -> String {
        let microseconds = Int64((seconds * 1e6).rounded())
        let whole = Date(timeIntervalSince1970: Double(microseconds / 1_000_000))
        let fraction = String(1_000_000 + microseconds % 1_000_000).dropFirst()
        return whole.ISO8601Format().dropLast() + ".\(fraction)Z"
    }

    @Test func bothPathsGiveTheSameRows() async throws {
        var random = LawRandom(seed: 20_260_308)
        try await ReportsDatabase.with { database in
            try await Self.fill(database, &random)

            var rows = 0
            for app in 2...(Self.sets + 1) {
                func pick<T>(_ values: [T]) -> T { values[Int(random.next() % UInt64(values.count))] }
                let call = """
                    app => 'app\(app)', "by" => '\(pick(["{none}", "{category}", "{campaign}", "{category,app_version}", "{locale,category}", "{trigger}"]))',
                    "interval" => '\(pick(["none", "hour", "day", "week", "month"]))',
                    "from" => '\(pick(["2026-03-08", "2026-03-07T23:59:59.999999Z", "2026-03-08T00:07:30Z", "2026-03-09T03:45:00+05:45"]))',
                    "to" => '\(pick(["2026-03-12", "2026-03-10", "2026-03-10T00:00:00.000001Z", "2026-03-11T11:11:11Z"]))',
                    tz => '\(pick(["UTC", "Asia/Kathmandu", "Australia/Adelaide", "America/New_York", "Europe/Berlin"]))',
                    "limit" => \(pick(["1000", "1000", "1", "2", "3"])),
                    "window" => '\(pick(["1 hour", "3 days", "5 days", "7 days"]))', per => '\(pick(["reached", "delivered", "presented"]))',
                    filters => '\(pick(["{}", "{}", #"{"category": ["news", null]}"#, #"{"campaign": ["spring"]}"#, #"{"app_version": [null, "1"]}"#]))',
                    as_of => '\(pick(["2026-03-10 12:00", "2026-03-09 00:00", "2026-03-12 03:00:01", "2026-04-01"]))'
                    """
                let result = try await database.connection.query(
                    """
                    WITH a AS MATERIALIZED (SELECT e::text FROM report.engagement(\(call)) e),
                      b AS MATERIALIZED (SELECT e::text FROM report.engagement(\(call), source => 'notification') e)
                    SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b),
                      (SELECT count(*) FROM (TABLE a EXCEPT ALL TABLE b) d), (SELECT count(*) FROM (TABLE b EXCEPT ALL TABLE a) d)
                    """,
                    cached: false
                ).only()
                rows += Int(try result.get(0, as: Int64.self))
                #expect(try result.get(0, as: Int64.self) == result.get(1, as: Int64.self), "\(call)")
                #expect(try result.get(2, as: Int64.self) == 0 && result.get(3, as: Int64.self) == 0, "\(call)")
            }
            #expect(rows > Self.sets)
        }
    }

    /// A filter that leaves nothing out is answered by rows, as the rollup does not have its dimension.
    @Test func timesToRespondAreTheSameFromTheRollup() async throws {
        var random = LawRandom(seed: 20_260_309)
        try await ReportsDatabase.with { database in
            try await Self.fill(database, &random)

            let columns = """
                by_1, other, outcome, since, until, at_risk, notifications, censored, rows_total, round(incidence::numeric, 9),
                round(incidence_low::numeric, 9), round(incidence_high::numeric, 9)
                """
            var (rows, changed) = (0, 0)
            for app in 2...(Self.sets + 1) {
                func pick<T>(_ values: [T]) -> T { values[Int(random.next() % UInt64(values.count))] }
                let categories = pick(["", "", #""category": ["news", null]"#])
                func call(_ platforms: String) -> String {
                    let filters = [categories, platforms].filter { !$0.isEmpty }.joined(separator: ", ")
                    return
                        "SELECT \(columns) FROM report.response_times('app\(app)', \(question), filters => '{\(filters)}')"
                }
                let question = """
                    "by" => '\(pick(["{none}", "{category}", "{category}"]))',
                    "from" => '\(pick(["2026-03-08", "2026-03-07T23:59:59.999999Z", "2026-03-08T00:07:30Z", "2026-03-09T03:45:00+05:45"]))',
                    "to" => '\(pick(["2026-03-12", "2026-03-10", "2026-03-10T00:00:00.000001Z", "2026-03-11T11:11:11Z"]))',
                    "limit" => \(pick(["1000", "1000", "1", "2"])),
                    "window" => '\(pick(["1 minute", "1 hour", "1 day", "3 days", "7 days"]))',
                    as_of => '\(pick(["2026-03-10 12:00", "2026-03-10 00:00", "2026-03-12 03:00:01", "2026-03-17", "2026-04-01"]))'
                    """
                let counts = try await Self.compared(call(""), call(#""platform": ["ios", null]"#), on: database)
                rows += counts[0]
                #expect(
                    counts[0] == counts[1] && counts[2] == 0 && counts[3] == 0,
                    "\(question) \(categories): \(counts)"
                )
                // The rollup is what the answer came from.
                let reads = try await Self.reads(
                    "cohort_outcome",
                    app,
                    "SELECT coalesce(sum(at_risk), 0)::int8 FROM (\(call(""))) a",
                    on: database
                )
                if reads { changed += 1 }
            }
            #expect(rows > Self.sets)
            #expect(changed > Self.sets / 4)
        }
    }

    /// A filter that leaves nothing out is answered by rows, as the rollup does not have its dimension.
    @Test func classesAreTheSameFromTheRollup() async throws {
        var random = LawRandom(seed: 20_261_127)
        try await ReportsDatabase.with { database in
            try await Self.fill(database, &random)
            let columns = """
                interval_start, by_1, by_2, other, class, notifications, reached, engaged, rows_total,
                round(share::numeric, 9), round(engagement_rate_low::numeric, 9)
                """
            var (rows, changed) = (0, 0)
            for app in 2...(Self.sets + 1) {
                func pick<T>(_ values: [T]) -> T { values[Int(random.next() % UInt64(values.count))] }
                let categories = pick(["", "", #""category": ["news", null]"#])
                func call(_ platforms: String) -> String {
                    let filters = [categories, platforms].filter { !$0.isEmpty }.joined(separator: ", ")
                    return
                        "SELECT \(columns) FROM report.reachability('app\(app)', \(question), filters => '{\(filters)}')"
                }
                let question = """
                    "by" => '\(pick(["{none}", "{category}", "{category}"]))', "interval" => '\(pick(["none", "day", "week"]))',
                    "from" => '\(pick(["2026-03-08", "2026-03-07T23:59:59.999999Z", "2026-03-08T00:07:30Z", "2026-03-09T03:45:00+05:45"]))',
                    "to" => '\(pick(["2026-03-12", "2026-03-10", "2026-03-10T00:00:00.000001Z", "2026-03-11T11:11:11Z"]))',
                    tz => '\(pick(["UTC", "UTC", "Asia/Kathmandu"]))', "limit" => \(pick(["1000", "1000", "1", "2"])),
                    "window" => '\(pick(["1 hour", "6 hours", "1 day", "3 days", "7 days", "30 days"]))',
                    as_of => '\(pick(["2026-03-10 12:00", "2026-03-09 00:00", "2026-03-12 03:00:01", "2026-04-01"]))'
                    """
                let counts = try await Self.compared(call(""), call(#""platform": ["ios", null]"#), on: database)
                rows += counts[0]
                #expect(
                    counts[0] == counts[1] && counts[2] == 0 && counts[3] == 0,
                    "\(question) \(categories): \(counts)"
                )
                // The rollup is what the answer came from.
                let reads = try await Self.reads(
                    "cohort_reach",
                    app,
                    "SELECT coalesce(sum(notifications), 0)::int8 FROM (\(call(""))) a",
                    on: database
                )
                if reads { changed += 1 }
            }
            #expect(rows > Self.sets)
            #expect(changed > Self.sets / 4)
        }
    }

    @Test func variantsAreTheSameFromTheRollup() async throws {
        var random = LawRandom(seed: 20_260_310)
        try await ReportsDatabase.with { database in
            try await Self.fill(database, &random)
            let columns = """
                by_1, by_2, variant, other, devices, assigned_devices, crossed_devices, reached_devices, reached, engaged,
                immature, rows_total, round(rate_low::numeric, 9), round(rate_high::numeric, 9), round(difference_low::numeric, 9),
                round(difference_high::numeric, 9), round(p_holm::numeric, 9), round(sample_ratio_p::numeric, 9)
                """
            var (rows, changed) = (0, 0)
            for app in 2...(Self.sets + 1) {
                func pick<T>(_ values: [T]) -> T { values[Int(random.next() % UInt64(values.count))] }
                let chosen = pick([
                    "", "", #""category": ["news", null]"#, #""variant": ["a", "control"]"#, #""campaign": [null]"#,
                ])
                func call(_ platforms: String) -> String {
                    let filters = [chosen, platforms].filter { !$0.isEmpty }.joined(separator: ", ")
                    return
                        "SELECT \(columns) FROM report.experiment('app\(app)', \(question), filters => '{\(filters)}')"
                }
                let question = """
                    "from" => '\(pick(["2026-03-08", "2026-03-07T23:59:59.999999Z", "2026-03-08T00:07:30Z", "2026-03-09T03:45:00+05:45", "2025-03-01"]))',
                    "to" => '\(pick(["2026-03-12", "2026-03-10", "2026-03-10T00:00:00.000001Z", "2026-03-11T11:11:11Z"]))',
                    "limit" => \(pick(["1000", "1000", "1", "4"])), "window" => '\(pick(["1 hour", "1 day", "3 days", "5 days"]))',
                    as_of => '\(pick(["2026-03-10 12:00", "2026-03-10 00:00", "2026-03-12 03:00:01", "2026-04-01"]))'
                    """
                let counts = try await Self.compared(call(""), call(#""platform": ["ios", null]"#), on: database)
                rows += counts[0]
                #expect(
                    counts[0] == counts[1] && counts[2] == 0 && counts[3] == 0,
                    "\(question) \(chosen): \(counts)"
                )
                let reads = try await Self.reads(
                    "variant_pair",
                    app,
                    "SELECT coalesce(sum(devices), 0)::int8 FROM (\(call(""))) a",
                    on: database
                )
                if reads { changed += 1 }
            }
            #expect(rows > Self.sets)
            #expect(changed > Self.sets / 4)
        }
    }

    /// The same of actions, removals and runs of service extensions.
    @Test(arguments: [
        ("actions", "cohort_action_count", "notifications"), ("removals", "cohort_removal_count", "notifications"),
        ("extensions", "cohort_extension_count", "runs"),
    ])
    func eventsAreTheSameFromRollups(_ report: String, _ rollup: String, _ counted: String) async throws {
        var random = LawRandom(seed: 20_260_311)
        try await ReportsDatabase.with { database in
            try await Self.fill(database, &random)
            var (rows, changed) = (0, 0)
            for app in 2...(Self.sets + 1) {
                func pick<T>(_ values: [T]) -> T { values[Int(random.next() % UInt64(values.count))] }
                let accepted = report == "extensions" ? #""app_version": ["1", null]"# : #""category": ["news", null]"#
                let chosen = pick(["", "", accepted])
                let window = #", "window" => '\#(pick(["1 hour", "1 day", "3 days", "5 days"]))'"#
                let question = """
                    "interval" => '\(pick(["none", "none", "hour", "day", "week", "month"]))',
                    "from" => '\(pick(["2026-03-08", "2026-03-07T23:59:59.999999Z", "2026-03-08T00:07:30Z", "2026-03-09T03:45:00+05:45"]))',
                    "to" => '\(pick(["2026-03-12", "2026-03-10", "2026-03-10T00:00:00.000001Z", "2026-03-11T11:11:11Z"]))',
                    tz => '\(pick(["UTC", "UTC", "Asia/Kathmandu", "America/New_York"]))', "limit" => \(pick(["1000", "1000", "1", "2"])),
                    as_of => '\(pick(["2026-03-10 12:00", "2026-03-10 00:00", "2026-03-12 03:00:01", "2026-04-01"]))'
                    \(report == "removals" ? "" : window)
                    """
                func call(_ what: String, _ platforms: String = "") -> String {
                    let filters = [chosen, platforms].filter { !$0.isEmpty }.joined(separator: ", ")
                    return
                        "SELECT \(what) FROM report.\(report)('app\(app)', \(question), filters => '{\(filters)}') r"
                }
                let counts = try await Self.compared(
                    call("r::text"),
                    call("r::text", #""platform": ["ios", null]"#),
                    on: database
                )
                rows += counts[0]
                #expect(
                    counts[0] == counts[1] && counts[2] == 0 && counts[3] == 0,
                    "\(question) \(chosen): \(counts)"
                )
                let reads = try await Self.reads(
                    rollup,
                    app,
                    call("coalesce(sum(\(counted)), 0)::int8"),
                    on: database
                )
                if reads { changed += 1 }
            }
            #expect(rows > Self.sets)
            #expect(changed > Self.sets / 4)
        }
    }

    /// Events of every app, applied in two halves of no order, so that rollups are made of differences too.
    private static func fill(_ database: ReportsDatabase, _ random: inout LawRandom) async throws {
        try await database.connection.query(
            "INSERT INTO notilog.app (name) SELECT 'app' || n FROM generate_series(2, \(sets + 1)) AS n ORDER BY n"
        )
        var events: [[String: Any]] = []
        for app in 2...(sets + 1) { events += Self.events(app, &random) }
        events.sort { ($0["at"] as? String ?? "").hashValue < ($1["at"] as? String ?? "").hashValue }
        try await database.append(Array(events[..<(events.count / 2)]))
        try await database.apply()
        try await database.append(Array(events[(events.count / 2)...]))
        try await database.apply()
    }

    /// The numbers of rows of two answers, and of those that only one of them has.
    private static func compared(_ left: String, _ right: String, on database: ReportsDatabase) async throws -> [Int] {
        let result = try await database.connection.query(
            """
            WITH a AS MATERIALIZED (\(left)), b AS MATERIALIZED (\(right))
            SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b),
              (SELECT count(*) FROM (TABLE a EXCEPT ALL TABLE b) d), (SELECT count(*) FROM (TABLE b EXCEPT ALL TABLE a) d)
            """,
            cached: false
        ).only()
        return try (0..<4).map { Int(try result.get($0, as: Int64.self)) }
    }

    /// Whether a sum is less once the rows of a rollup are gone: whether it comes from them.
    private static func reads(_ rollup: String, _ app: Int, _ sum: String, on database: ReportsDatabase) async throws
        -> Bool
    {
        try await database.connection.withTransaction { connection in
            let whole = try await connection.query(sum, cached: false).only().get(0, as: Int64.self)
            try await connection.query("SAVEPOINT whole")
            try await connection.query("DELETE FROM projection.\(rollup) WHERE app_id = $1", [.int4(Int32(app))])
            let found = try await connection.query(sum, cached: false).only().get(0, as: Int64.self)
            try await connection.query("ROLLBACK TO whole")
            return found < whole
        }
    }
}
