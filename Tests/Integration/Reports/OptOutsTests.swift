import Reports
import Testing

/// The report `opt_outs`, on events worked out by hand.
@Suite("The report opt_outs")
struct OptOutsTests {
    @Test func aChangeOfSettingsIsSharedOutOverWhatCameBefore() async throws {
        try await ReportsDatabase.with { database in
            try await database.append([
                ReportsDatabase.settings(
                    "A",
                    "2026-03-01T00:00:00Z",
                    "authorized",
                    ["sound": "enabled", "badge": "enabled"]
                ),
                // At the last unchanged snapshot, which is too early; then three that share the change.
                ReportsDatabase.delivered("A", "0", "2026-03-02T00:00:00Z", "promo"),
                ReportsDatabase.settings(
                    "A",
                    "2026-03-02T00:00:00Z",
                    "authorized",
                    ["sound": "enabled", "badge": "enabled"]
                ),
                ReportsDatabase.delivered("A", "1", "2026-03-02T00:00:00.000001Z", "news"),
                ReportsDatabase.delivered("A", "2", "2026-03-03T00:00:00Z", "news"),
                ReportsDatabase.delivered("A", "3", "2026-03-04T00:00:00Z", "promo"),
                // A denied device has its sound off by force: one change, not two.
                ReportsDatabase.settings("A", "2026-03-04T00:00:00Z", "denied", ["sound": "disabled"]),
                // B: sound off after one notification; what a snapshot leaves out is passed over.
                ReportsDatabase.settings("B", "2026-03-02T00:00:00Z", "authorized", ["sound": "enabled"]),
                ReportsDatabase.settings("B", "2026-03-03T00:00:00Z", "authorized"),
                ReportsDatabase.delivered("B", "1", "2026-03-04T00:00:00Z", "news"),
                ReportsDatabase.settings("B", "2026-03-05T00:00:00Z", "authorized", ["sound": "disabled"]),
                // C: turned off a provisional permission before anything came; opened the settings, its token died.
                ReportsDatabase.settings("C", "2026-03-02T00:00:00Z", "provisional"),
                ReportsDatabase.settings("C", "2026-03-06T00:00:00Z", "denied"),
                ReportsDatabase.event("open_settings", "C", nil, "2026-03-06T00:00:00Z"),
                ReportsDatabase.event("open_settings", "B", nil, "2026-03-06T00:00:00Z"),
                // D: asked, not known to have been reached, and reachable again.
                ReportsDatabase.settings("D", "2026-03-02T00:00:00Z", "denied"),
                ReportsDatabase.settings("D", "2026-03-03T00:00:00Z", "authorized"),
            ])
            try await database.apply()
            let result = try await database.run("opt_outs", ReportsDatabase.march)
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

    @Test("people who look at the settings again and again do so after the latest notification of the window each time")
    func theLatestNotification() async throws {
        try await ReportsDatabase.with { database in
            func looked(_ at: String) -> [String: Any] { ReportsDatabase.event("open_settings", "A", nil, at) }
            try await database.append([
                // Two at one time, of which the greater name is the later one.
                ReportsDatabase.delivered("A", "1", "2026-03-05T00:00:00Z", "first"),
                ReportsDatabase.delivered("A", "2", "2026-03-05T00:00:00Z", "second"),
                looked("2026-03-04T23:59:59.999999Z"), looked("2026-03-05T00:00:00Z"), looked("2026-03-05T01:00:00Z"),
                looked("2026-03-05T01:00:00Z"), looked("2026-03-05T02:00:00Z"),
                // One that did not reach the device.
                ReportsDatabase.event(
                    "request",
                    "A",
                    "3",
                    "2026-03-06T00:00:00Z",
                    ["category_id": "refused", "error": "notifications_not_allowed"]
                ),
                looked("2026-03-06T01:00:00Z"), looked("2026-03-07T23:59:59.999999Z"),
                // The window is over; then another comes.
                looked("2026-03-08T00:00:00Z"), looked("2026-03-08T01:00:00Z"),
                ReportsDatabase.delivered("A", "4", "2026-03-08T02:00:00Z", "third"),
                looked("2026-03-08T02:00:00Z"), looked("2026-03-08T03:00:00Z"),
            ])
            try await database.apply()
            let result = try await database.run("opt_outs", ReportsDatabase.march)
            for (category, expected) in [("first", 0), ("second", 6), ("third", 2), (nil, 3)] as [(String?, Int64)] {
                let row = try result.row(["category": category])
                #expect(row.counts("open_settings") == [expected], "\(category ?? "none")")
            }
            let filtered = try await database.run(
                "opt_outs",
                ["category": "second", "from": "2026-03-01", "to": "2026-03-20"]
            )
            #expect(filtered.records.map { $0.counts("open_settings") } == [[6]])
        }
    }

    @Test func aDeadTokenCountsForWhatCameBefore() async throws {
        try await ReportsDatabase.with { database in
            func token(_ device: String, _ token: String, _ at: String, _ more: [String: String] = [:]) -> [String: Any]
            {
                let data = ["state": "registered", "provider": "apns", "type": "alert", "environment": "production"]
                return [
                    "kind": "token", "device": device, "token": token, "at": at, "data": data.merging(more) { $1 },
                ]
            }
            func answer(_ token: String, _ at: String, _ reason: String) -> [String: Any] {
                [
                    "kind": "push_result", "token": token, "at": at,
                    "data": ["provider": "apns", "status": 410, "reason": reason],
                ]
            }
            try await database.append([
                // One token, which the app said the topic of later.
                token("A", "aa", "2026-03-01T00:00:00Z"), token("A", "aa", "2026-03-01T01:00:00Z", ["topic": "app"]),
                ReportsDatabase.delivered("A", "1", "2026-03-02T00:00:00Z", "news"),
                ReportsDatabase.delivered("A", "2", "2026-03-03T00:00:00Z", "promo"),
                answer("aa", "2026-03-04T00:00:00Z", "Unregistered"),
                // Registered again: no uninstall. And one too long after what came.
                token("B", "bb", "2026-03-01T00:00:00Z"),
                ReportsDatabase.delivered("B", "1", "2026-03-02T00:00:00Z", "news"),
                answer("bb", "2026-03-03T00:00:00Z", "Unregistered"), token("B", "bb", "2026-03-05T00:00:00Z"),
                token("C", "cc", "2026-03-01T00:00:00Z"),
                ReportsDatabase.delivered("C", "1", "2026-03-02T00:00:00Z", "news"),
                answer("cc", "2026-03-09T00:00:00Z", "ExpiredToken"),
            ])
            try await database.apply()
            let result = try await database.run("opt_outs", ReportsDatabase.march)
            #expect(try result.row(["category": "promo"]).counts("tokens_died", "changes") == [1, 0])
            #expect(try result.row(["category": "news"]).counts("tokens_died", "reached") == [0, 3])
            #expect(try result.row(["category": nil]).counts("tokens_died", "changes") == [1, 0])
        }
    }
}
