import Foundation
import Postgres
import Reports
import Testing

/// The reports of what surrounds a notification, on events worked out by hand.
@Suite("Reports of what surrounds a notification")
struct SurroundingsTests {
    static let reports = [
        "authorization", "categories", "extensions", "frequency", "opt_outs", "push_results", "removals",
    ]
    static let march: KeyValuePairs<String, String> = ["from": "2026-03-01", "to": "2026-03-20"]

    static func event(_ kind: String, _ device: String, _ nid: String?, _ at: String, _ data: [String: Any] = [:])
        -> [String: Any]
    {
        var event: [String: Any] = ["kind": kind, "device": device, "at": at, "data": data]
        event["nid"] = nid
        return event
    }

    static func settings(_ device: String, _ at: String, _ status: String, _ more: [String: Any] = [:])
        -> [String: Any]
    {
        event("settings", device, nil, at, more.merging(["authorization_status": status]) { $1 })
    }

    static func delivered(_ device: String, _ nid: String, _ at: String, _ category: String? = nil) -> [String: Any] {
        var data: [String: Any] = ["source": "will_present"]
        data["category_id"] = category
        return event("delivery", device, nid, at, data)
    }

    @Test func aChangeOfSettingsIsSharedOutOverWhatCameBefore() async throws {
        try await ReportsDatabase.with { database in
            try await database.append([
                Self.settings("A", "2026-03-01T00:00:00Z", "authorized", ["sound": "enabled", "badge": "enabled"]),
                // At the last unchanged snapshot, which is too early; then three that share the change.
                Self.delivered("A", "0", "2026-03-02T00:00:00Z", "promo"),
                Self.settings("A", "2026-03-02T00:00:00Z", "authorized", ["sound": "enabled", "badge": "enabled"]),
                Self.delivered("A", "1", "2026-03-02T00:00:00.000001Z", "news"),
                Self.delivered("A", "2", "2026-03-03T00:00:00Z", "news"),
                Self.delivered("A", "3", "2026-03-04T00:00:00Z", "promo"),
                // A denied device has its sound off by force: one change, not two.
                Self.settings("A", "2026-03-04T00:00:00Z", "denied", ["sound": "disabled"]),
                // B: sound off after one notification; what a snapshot leaves out is passed over.
                Self.settings("B", "2026-03-02T00:00:00Z", "authorized", ["sound": "enabled"]),
                Self.settings("B", "2026-03-03T00:00:00Z", "authorized"),
                Self.delivered("B", "1", "2026-03-04T00:00:00Z", "news"),
                Self.settings("B", "2026-03-05T00:00:00Z", "authorized", ["sound": "disabled"]),
                // C: turned off a provisional permission before anything came; opened the settings, its token died.
                Self.settings("C", "2026-03-02T00:00:00Z", "provisional"),
                Self.settings("C", "2026-03-06T00:00:00Z", "denied"),
                Self.event("open_settings", "C", nil, "2026-03-06T00:00:00Z"),
                Self.event("open_settings", "B", nil, "2026-03-06T00:00:00Z"),
                // D: asked, not known to have been reached, and reachable again.
                Self.settings("D", "2026-03-02T00:00:00Z", "denied"),
                Self.settings("D", "2026-03-03T00:00:00Z", "authorized"),
            ])
            try await database.apply()
            let result = try await database.run("opt_outs", Self.march)
            #expect(result.rows.count == 3)
            let news = try result.row(["category": "news"])
            #expect(
                news.counts("reached", "changes", "ambiguous", "open_settings", "tokens_died") == [3, 2, 1, 1, 0]
            )
            #expect(abs((news.number("opt_outs") ?? 0) - 2.0 / 3) < 1e-12)
            #expect(abs((news.number("opt_outs_per_1000") ?? 0) - 2000.0 / 9) < 1e-9)
            #expect(news.number("sound_off") == 1 && news.number("softer") == 1 && news.number("badge_off") == 0)
            #expect(news.number("gap_p50") == 172_800)
            let promo = try result.row(["category": "promo"])
            #expect(promo.counts("reached", "changes", "ambiguous") == [2, 1, 1])
            #expect(abs((promo.number("opt_outs") ?? 0) - 1.0 / 3) < 1e-12)
            let alone = try result.row(["category": nil])
            #expect(alone["attributed"] == .bool(false) && alone["reached"] == .null)
            #expect(alone.number("opt_outs") == 1 && alone["opt_outs_per_1000"] == .null)
            #expect(alone.counts("changes", "ambiguous", "open_settings") == [1, 0, 1])
            // A filter is about notifications: what none came before is left out.
            let filtered = try await database.run(
                "opt_outs",
                ["category": "news", "from": "2026-03-01", "to": "2026-03-20", "window": "PT1H"]
            )
            #expect(filtered.records.map { $0.counts("changes", "open_settings") } == [[2, 0]])
        }
    }

    @Test func aDeadTokenCountsForWhatCameBefore() async throws {
        try await ReportsDatabase.with { database in
            func token(_ device: String, _ token: String, _ at: String) -> [String: Any] {
                [
                    "kind": "token", "device": device, "token": token, "at": at,
                    "data": ["state": "registered", "provider": "apns", "type": "alert", "environment": "production"],
                ]
            }
            func answer(_ token: String, _ at: String, _ reason: String) -> [String: Any] {
                [
                    "kind": "push_result", "token": token, "at": at,
                    "data": ["provider": "apns", "status": 410, "reason": reason],
                ]
            }
            try await database.append([
                token("A", "aa", "2026-03-01T00:00:00Z"), Self.delivered("A", "1", "2026-03-02T00:00:00Z", "news"),
                Self.delivered("A", "2", "2026-03-03T00:00:00Z", "promo"),
                answer("aa", "2026-03-04T00:00:00Z", "Unregistered"),
                // Registered again: no uninstall. And one too long after what came.
                token("B", "bb", "2026-03-01T00:00:00Z"), Self.delivered("B", "1", "2026-03-02T00:00:00Z", "news"),
                answer("bb", "2026-03-03T00:00:00Z", "Unregistered"), token("B", "bb", "2026-03-05T00:00:00Z"),
                token("C", "cc", "2026-03-01T00:00:00Z"), Self.delivered("C", "1", "2026-03-02T00:00:00Z", "news"),
                answer("cc", "2026-03-09T00:00:00Z", "ExpiredToken"),
            ])
            try await database.apply()
            let result = try await database.run("opt_outs", Self.march)
            #expect(try result.row(["category": "promo"]).counts("tokens_died", "changes") == [1, 0])
            #expect(try result.row(["category": "news"]).counts("tokens_died", "reached") == [0, 3])
            #expect(try result.row(["category": nil]).counts("tokens_died", "changes") == [1, 0])
        }
    }

    @Test func weeksFollowLocalClocks() async throws {
        try await ReportsDatabase.with { database in
            // In New York clocks go forward on 8 March: this week has 167 hours.
            try await database.append([
                Self.delivered("A", "1", "2026-03-02T04:59:59.999999Z"),
                Self.delivered("A", "2", "2026-03-02T05:00:00Z"),
                Self.delivered("A", "3", "2026-03-09T03:59:59.999999Z"),
                Self.delivered("A", "4", "2026-03-09T04:00:00Z"),
                Self.delivered("B", "1", "2026-03-09T04:00:00Z"),
                Self.event("action_response", "A", "3", "2026-03-10T00:00:00Z", ["action_id": "default"]),
                // The last week is not over.
                Self.delivered("A", "5", "2026-03-16T04:00:00Z"),
            ])
            try await database.apply()
            let weeks = try await database.run(
                "frequency",
                ["tz": "America/New_York", "interval": "week", "from": "2026-03-01", "to": "2026-03-20"]
            )
            #expect(
                weeks.records.map { $0["interval_start"] } == [
                    .localTime(1_772_427_600_000_000, utcOffsetMinutes: -300),
                    .localTime(1_773_028_800_000_000, utcOffsetMinutes: -240),
                ]
            )
            #expect(weeks.records.map { $0["per_week"] } == [.text("2"), .text("1")])
            #expect(weeks.records.map { $0.counts("device_weeks", "devices", "reached") } == [[1, 1, 2], [2, 2, 2]])
            #expect(weeks.records.map { $0.number("engagement_rate") } == [0.5, 0])
            #expect(weeks.records.map { $0.number("active_rate") } == [1, 0])
            // By UTC's Monday two more lie in the week from 2 March on.
            let whole = try await database.run("frequency", ["from": "2026-03-02", "to": "2026-03-09"])
            #expect(whole.records.map { $0.counts("at_least", "device_weeks") } == [[2, 1]])
            #expect(try await database.run("frequency", ["from": "2026-03-02", "to": "2026-03-08"]).rows.isEmpty)
        }
    }

    @Test func answersOfProvidersUpToTheInstant() async throws {
        try await ReportsDatabase.with { database in
            func answer(_ at: String, _ data: [String: Any]) -> [String: Any] {
                ["kind": "push_result", "at": at, "device": "A", "data": data.merging(["provider": "apns"]) { $1 }]
            }
            try await database.append([
                answer("2026-03-10T09:59:59.999999Z", ["status": 200]), answer("2026-03-10T10:00:00Z", ["status": 200]),
                answer("2026-03-10T10:07:00Z", ["status": 200]),
                answer("2026-03-10T10:07:29.999999Z", ["status": 410, "reason": "Unregistered"]),
                answer("2026-03-10T10:07:30Z", ["status": 410, "reason": "Unregistered"]),
                answer("2026-03-10T10:03:00Z", ["status": 403, "reason": "ExpiredProviderToken"]),
                answer("2026-03-10T10:04:00Z", [:]),
            ])
            try await database.apply()
            let part = try await database.run(
                "push_results",
                ["from": "2026-03-10T10:00:00Z", "to": "2026-03-10T10:07:30Z"]
            )
            #expect(
                part.records.map { $0.counts("status", "results") } == [[200, 2], [403, 1], [410, 1], [nil, 1]]
            )
            #expect(part.records.map { $0["verdict"] } == [.text("accepted"), .null, .text("dead"), .null])
            #expect(part.records.map { $0.number("share") } == [0.4, 0.2, 0.2, 0.2])
            #expect(part.records[0]["first_at"] == .time(1_773_136_800_000_000))
            #expect(part.records[0]["last_at"] == .time(1_773_137_220_000_000))
            let day = try await database.run(
                "push_results",
                ["from": "2026-03-10", "status": "410", "interval": "day"]
            )
            #expect(day.records.map { $0.counts("results") } == [[2]])
            #expect(try await database.run("push_results", ["from": "2026-03-10", "status": ""]).rows.count == 1)
        }
    }

    private static func id(_ number: Int) -> String { "00000000-0000-7000-8000-00000000000\(number)" }

    private static func ask(
        _ device: String,
        _ at: String,
        _ data: [String: Any],
        before status: String? = nil
    ) -> [String: Any] {
        event(
            "authorization_request",
            device,
            nil,
            at,
            status.map { data.merging(["status_before": $0]) { $1 } } ?? data
        )
    }

    /// An app that asks at every launch counts a device once: by the answer that a person gave.
    @Test func theAnswerThatCounts() async throws {
        try await ReportsDatabase.with { database in
            let (yes, no): ([String: Any], [String: Any]) = (
                ["options": ["alert"], "granted": true], ["options": ["alert"], "granted": false]
            )
            let failed: [String: Any] = ["options": ["alert"], "error": "notifications_not_allowed", "granted": false]
            try await database.append(
                [
                    // Granted once, and asked again at each launch; denied once, by the settings before.
                    Self.ask("A", "2026-03-02T00:00:00Z", yes, before: "not_determined"),
                    Self.settings("B", "2026-03-02T00:00:00Z", "not_determined"),
                    Self.ask("B", "2026-03-02T00:00:01Z", no), Self.settings("B", "2026-03-02T00:00:02Z", "denied"),
                    // An error first, then asked; an error alone; the state before unknown; decided before the range.
                    Self.ask("C", "2026-03-02T00:00:00Z", failed, before: "not_determined"),
                    Self.ask("C", "2026-03-03T00:00:00Z", yes, before: "provisional"),
                    Self.ask("D", "2026-03-02T00:00:00Z", failed), Self.ask("D", "2026-03-03T00:00:00Z", failed),
                    Self.ask("E", "2026-03-02T00:00:00Z", yes), Self.ask("E", "2026-03-03T00:00:00Z", yes),
                    Self.ask("F", "2026-02-02T00:00:00Z", no, before: "not_determined"),
                    Self.ask("F", "2026-03-02T00:00:00Z", no),
                    Self.ask("G", "2026-03-02T00:00:00Z", yes, before: "authorized"),
                    Self.ask("H", "2026-03-02T00:00:00Z", ["options": ["alert"]], before: "not_determined"),
                    // What the settings said at the same instant, after it.
                    Self.settings("I", "2026-03-01T00:00:00Z", "not_determined"),
                    Self.ask("I", "2026-03-02T00:00:00Z", no).merging(["id": Self.id(1)]) { $1 },
                    Self.settings("I", "2026-03-02T00:00:00Z", "denied").merging(["id": Self.id(2)]) { $1 },
                ]
                    + (3...9).map { Self.ask("A", "2026-03-0\($0)T00:00:00Z", yes, before: "authorized") }
                    + (3...9).map { Self.ask("B", "2026-03-0\($0)T00:00:00Z", no) }
            )
            try await database.apply()
            let row = try await database.run("authorization", Self.march).row(["options": "alert"])
            #expect(row.counts("asked", "answered", "granted", "denied") == [5, 4, 2, 2])
            #expect(row.counts("failed", "repeats", "unknown_before") == [1, 17, 1])
            #expect(row.number("grant_rate") == 0.5)
            // Up to the end of the second, C was known by an error alone.
            let second = try await database.run("authorization", ["from": "2026-03-02", "to": "2026-03-03"])
            #expect(try second.row(["options": "alert"]).counts("asked", "failed") == [4, 2])
        }
    }

    @Test func whatBecameOfAProvisionalGrant() async throws {
        try await ReportsDatabase.with { database in
            let provisional: [String: Any] = ["options": ["alert", "provisional"], "granted": true]
            try await database.append([
                // One keeps it, one turns it off, one has not said; the last had decided before.
                Self.ask("D", "2026-03-02T00:00:00Z", provisional), Self.ask("D", "2026-03-03T00:00:00Z", provisional),
                Self.settings("D", "2026-03-02T00:00:01Z", "provisional"),
                Self.settings("D", "2026-03-05T00:00:00Z", "authorized"),
                Self.settings("D", "2026-03-06T00:00:00Z", "denied"),
                Self.ask("E", "2026-03-02T00:00:00Z", provisional),
                Self.settings("E", "2026-03-04T00:00:00Z", "denied"),
                Self.ask("F", "2026-03-02T00:00:00Z", provisional),
                Self.settings("F", "2026-03-04T00:00:00Z", "provisional"),
                Self.settings("G", "2026-03-01T00:00:00Z", "authorized"),
                Self.ask("G", "2026-03-02T00:00:00Z", provisional),
                Self.ask("H", "2026-03-02T00:00:00Z", ["granted": true], before: "not_determined"),
            ])
            try await database.apply()
            let result = try await database.run("authorization", Self.march)
            let quiet = try result.row(["options": "alert,provisional"])
            #expect(quiet.counts("asked", "repeats", "provisional", "converted", "turned_off") == [0, 1, 3, 1, 1])
            #expect(quiet.number("conversion_p50") == 259_200 && quiet["grant_rate"] == .null)
            let plain = try result.row(["options": nil])
            #expect(plain.counts("asked", "granted") == [1, 1])
            #expect(plain["provisional"] == .null && plain["conversion_rate"] == .null)
            // As it was known on 4 March, nobody had converted.
            let early = try await database.run("authorization", ["from": "2026-03-01"], asOf: "2026-03-04T12:00:00Z")
            #expect(
                try early.row(["options": "alert,provisional"]).counts("provisional", "converted", "turned_off")
                    == [3, 0, 1]
            )
        }
    }

    @Test func extensionsAndRemovals() async throws {
        try await ReportsDatabase.with { database in
            func ran(_ nid: String, _ at: String, _ extension: [String: Any]) -> [String: Any] {
                Self.event(
                    "delivery",
                    "A",
                    nid,
                    at,
                    ["source": "service_extension", "extension": `extension`, "context": ["app_version": "2"]]
                )
            }
            func removed(_ nid: String, _ at: String, _ reason: String, _ state: String) -> [String: Any] {
                Self.event("removal", "A", nid, at, ["reason": reason, "state": state])
            }
            try await database.append([
                ran("1", "2026-03-10T00:00:00Z", ["outcome": "modified", "duration_ms": 300, "attachments_loaded": 1]),
                Self.event("action_response", "A", "1", "2026-03-10T01:00:00Z", ["action_id": "default"]),
                // An update runs the extension again.
                ran(
                    "1",
                    "2026-03-10T02:00:00Z",
                    ["outcome": "expired", "duration_ms": 30_000, "attachments_failed": 1]
                ),
                ran("2", "2026-03-10T00:00:00Z", ["outcome": "filtered"]),
                ran("3", "2026-03-10T00:00:00Z", ["outcome": "expired", "duration_ms": 30_100]),
                removed("3", "2026-03-10T06:00:00Z", "gone", "delivered"),
                removed("3", "2026-03-11T06:00:00Z", "gone", "delivered"),
                Self.event("request", "A", "4", "2026-03-10T00:00:00Z", ["origin": "app"]),
                removed("4", "2026-03-10T00:01:00Z", "removed_by_app", "pending"),
            ])
            try await database.apply()
            let extensions = try await database.run("extensions", Self.march)
            let row = try extensions.row(["app_version": "2"])
            #expect(row.counts("runs", "modified", "expired", "filtered") == [4, 1, 2, 1])
            #expect(row.counts("attachments_loaded", "attachments_failed", "unmodified", "unstated") == [1, 1, 0, 0])
            #expect(row.number("attachment_failure_rate") == 0.5 && row.number("duration_p50") == 30)
            #expect(row.number("duration_p99") == 30.1 && row.number("engagement_rate").map { ($0 * 3).rounded() } == 2)
            #expect(row.number("modified_engagement_rate") == 1 && row.number("expired_engagement_rate") == 0.5)
            #expect(row["unmodified_engagement_rate"] == .null)
            let removals = try await database.run("removals", Self.march)
            let gone = try removals.row(["reason": "gone"])
            #expect(gone.counts("notifications", "delivered", "pending", "withdrawn") == [1, 1, 0, 0])
            #expect(abs((gone.number("delivered_p50") ?? 0) / 21_600 - 1) < 0.05 && gone.number("share") == 0.25)
            let taken = try removals.row(["reason": "removed_by_app"])
            #expect(taken.counts("pending", "withdrawn", "delivered") == [1, 1, 0] && taken["delivered_p50"] == .null)
        }
    }

    /// From the rollup, and by row.
    @Test(arguments: [("tz", "UTC"), ("platform", "ios")])
    func aRemovalOfWhatOnlyAResponseTellsOfIsApart(name: String, value: String) async throws {
        try await ReportsDatabase.with { database in
            func removed(_ nid: String, _ at: String, _ reason: String) -> [String: Any] {
                Self.event("removal", "A", nid, at, ["reason": reason, "state": "delivered"])
            }
            func tapped(_ nid: String, _ category: String) -> [String: Any] {
                Self.event(
                    "action_response",
                    "A",
                    nid,
                    "2026-03-10T01:00:00Z",
                    ["action_id": "default", "category_id": category, "context": ["platform": "ios"]]
                )
            }
            try await database.append([
                Self.delivered("A", "1", "2026-03-10T00:00:00Z", "news"),
                Self.delivered("A", "2", "2026-03-10T00:00:00Z", "news"), tapped("2", "news"),
                removed("2", "2026-03-10T02:00:00Z", "gone"),
                // Nothing but their responses is known of these, and of `promo` nothing else.
                tapped("3", "news"), removed("3", "2026-03-10T09:00:00Z", "gone"),
                tapped("4", "news"), tapped("5", "promo"), removed("5", "2026-03-10T09:00:00Z", "gone"),
            ])
            try await database.apply()
            let removals = try await database.run(
                "removals",
                ["from": "2026-03-01", "to": "2026-03-20", name: value]
            )
            let news = try removals.row(["category": "news"])
            #expect(
                news.counts("notifications", "response_only", "rate_denominator", "delivered", "responded")
                    == [1, 1, 2, 1, 1]
            )
            #expect(news.number("share") == 0.5)
            #expect(abs((news.number("delivered_p50") ?? 0) / 7_200 - 1) < 0.05)
            let promo = try removals.row(["category": "promo"])
            #expect(
                promo.counts("notifications", "response_only", "rate_denominator", "delivered", "responded")
                    == [0, 1, 0, 0, 0]
            )
            #expect(promo["share"] == .null && promo["delivered_p50"] == .null)
            let least = try await database.run(
                "removals",
                ["from": "2026-03-01", "to": "2026-03-20", "limit": "1", name: value]
            )
            let other = try least.row(["category": nil])
            #expect(other["other"] == .bool(true) && other.counts("notifications", "response_only") == [0, 1])
            #expect(other["share"] == .null && other["rate_denominator"] == .null)
        }
    }

    @Test(arguments: reports) func withoutData(name: String) async throws {
        try await ReportsDatabase.with { database in
            let report = try database.runner.catalogue.report(name)
            for interval in report.parameter("interval")?.accepted ?? [] {
                let pairs: KeyValuePairs = ["interval": interval, "from": "2026-03-01", "tz": "Asia/Kathmandu"]
                #expect(try await database.run(name, pairs).rows.isEmpty)
            }
            #expect(try await database.run(name, ["from": "1970-01-01", "to": "9999-12-31"]).rows.isEmpty)
        }
    }

    @Test(arguments: reports) func whatIsNotAcceptedIsSaid(name: String) async throws {
        try await ReportsDatabase.with { database in
            func refused(_ pairs: KeyValuePairs<String, String>) async -> ReportError? {
                await #expect(throws: ReportError.self) { try await database.run(name, pairs) }
            }
            let unknown = await refused(["intervall": "day"])
            #expect(unknown?.code == .unknownParameter && unknown?.accepted.contains("interval") == true)
            let interval = await refused(["interval": "minute"])
            #expect(interval?.code == .invalidParameter && interval?.message.contains("week, month") == true)
            #expect(await refused(["from": "2026-03-02", "to": "2026-03-01"])?.parameter == "from")
            #expect(await refused(["tz": "Mars/Olympus"])?.parameter == "tz")
            #expect(await refused(["from": "yesterday"])?.parameter == "from")
            let absurd = await refused(["interval": "week", "from": "0001-01-01", "to": "9000-01-01"])
            #expect(absurd?.parameter == "interval")
            // From SQL, a filter that does not exist.
            let error = await #expect(throws: PostgresError.self) {
                try await database.connection.query(
                    "SELECT * FROM report.\(name)('demo', filters => '{\"colour\": [\"red\"]}')",
                    cached: false
                )
            }
            #expect(error?.sqlState == "RP400" && error?.message.contains("accepted: ") == true)
        }
    }
}
