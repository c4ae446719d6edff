import Reports
import Testing

/// The reports `extensions` and `removals`, on events worked out by hand.
@Suite("The reports extensions and removals")
struct ExtensionsAndRemovalsTests {
    @Test func extensionsAndRemovals() async throws {
        try await ReportsDatabase.with { database in
            func ran(_ nid: String, _ at: String, _ extension: [String: Any]) -> [String: Any] {
                ReportsDatabase.event(
                    "delivery",
                    "A",
                    nid,
                    at,
                    ["source": "service_extension", "extension": `extension`, "context": ["app_version": "2"]]
                )
            }
            func removed(_ nid: String, _ at: String, _ reason: String, _ state: String) -> [String: Any] {
                ReportsDatabase.event("removal", "A", nid, at, ["reason": reason, "state": state])
            }
            try await database.append([
                ran("1", "2026-03-10T00:00:00Z", ["outcome": "modified", "duration_ms": 300, "attachments_loaded": 1]),
                ReportsDatabase.event("action_response", "A", "1", "2026-03-10T01:00:00Z", ["action_id": "default"]),
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
                ReportsDatabase.event("request", "A", "4", "2026-03-10T00:00:00Z", ["origin": "app"]),
                removed("4", "2026-03-10T00:01:00Z", "removed_by_app", "pending"),
            ])
            try await database.apply()
            let extensions = try await database.run("extensions", ReportsDatabase.march)
            let row = try extensions.row(["app_version": "2"])
            #expect(row.counts("runs", "modified", "expired", "filtered") == [4, 1, 2, 1])
            #expect(row.counts("attachments_loaded", "attachments_failed", "unmodified", "unstated") == [1, 1, 0, 0])
            #expect(row.number("attachment_failure_rate") == 0.5 && row.number("duration_p50") == 30)
            #expect(row.number("duration_p99") == 30.1 && row.number("engagement_rate").map { ($0 * 3).rounded() } == 2)
            #expect(row.number("modified_engagement_rate") == 1 && row.number("expired_engagement_rate") == 0.5)
            #expect(row["unmodified_engagement_rate"] == .null)
            let removals = try await database.run("removals", ReportsDatabase.march)
            let gone = try removals.row(["reason": "gone"])
            #expect(gone.counts("notifications", "delivered", "pending", "withdrawn") == [1, 1, 0, 0])
            #expect(abs((gone.number("delivered_p50") ?? 0) / 21_600 - 1) < 0.05 && gone.number("share") == 0.25)
            let taken = try removals.row(["reason": "removed_by_app"])
            #expect(taken.counts("pending", "withdrawn", "delivered") == [1, 1, 0] && taken["delivered_p50"] == .null)
        }
    }

    @Test(
        "what the app takes back and asks for again is not withdrawn, in whatever order that comes; what it takes back last is"
    )
    func askedForAgain() async throws {
        try await ReportsDatabase.with { database in
            func request(_ nid: String, _ minute: Int) -> [String: Any] {
                ReportsDatabase.event("request", "A", nid, "2026-03-10T00:0\(minute):00Z", ["origin": "app"])
            }
            func removal(_ nid: String, _ minute: Int) -> [String: Any] {
                ReportsDatabase.event(
                    "removal",
                    "A",
                    nid,
                    "2026-03-10T00:0\(minute):00Z",
                    ["reason": "removed_by_app", "state": "pending"]
                )
            }
            try await database.append([
                removal("before", 1), request("again", 1), removal("again", 2), request("last", 1),
            ])
            try await database.apply()
            try await database.append([
                request("before", 2), request("again", 3), removal("last", 4), request("last", 3), removal("alone", 1),
            ])
            try await database.apply()
            let row = try await database.run("engagement", ReportsDatabase.march).records[0]
            #expect(row.counts("requested", "withdrawn", "reached") == [3, 1, 2])
            let withdrawn: [String] = try await database.connection.value(
                "SELECT array_agg(notification_id ORDER BY 1) FROM projection.notification WHERE withdrawn"
            )
            #expect(withdrawn == ["alone", "last"])
        }
    }

    /// From the rollup, and by row.
    @Test(arguments: [("tz", "UTC"), ("platform", "ios")])
    func aRemovalOfWhatOnlyAResponseTellsOfIsApart(name: String, value: String) async throws {
        try await ReportsDatabase.with { database in
            func removed(_ nid: String, _ at: String, _ reason: String) -> [String: Any] {
                ReportsDatabase.event("removal", "A", nid, at, ["reason": reason, "state": "delivered"])
            }
            func tapped(_ nid: String, _ category: String) -> [String: Any] {
                ReportsDatabase.event(
                    "action_response",
                    "A",
                    nid,
                    "2026-03-10T01:00:00Z",
                    ["action_id": "default", "category_id": category, "context": ["platform": "ios"]]
                )
            }
            try await database.append([
                ReportsDatabase.delivered("A", "1", "2026-03-10T00:00:00Z", "news"),
                ReportsDatabase.delivered("A", "2", "2026-03-10T00:00:00Z", "news"), tapped("2", "news"),
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
}
