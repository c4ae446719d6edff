import Foundation
import Postgres
import Reports
import Testing

/// The report of categories, on events worked out by hand.
@Suite("Report of categories")
struct CategoriesTests {
    @Test func categoriesUsedDeadAndNeverRegistered() async throws {
        try await ReportsDatabase.with { database in
            func button(_ id: String) -> [String: Any] {
                ["id": id, "title": id, "type": "button", "options": [String]()]
            }
            func registration(_ at: String, _ version: String, _ buttons: [String]) -> [String: Any] {
                ReportsDatabase.event(
                    "category_registration",
                    "A",
                    nil,
                    at,
                    [
                        "context": ["app_version": version],
                        "categories": [
                            ["id": "news", "options": ["custom_dismiss_action"], "actions": buttons.map(button)],
                            ["id": "old", "options": [String](), "actions": [Any]()],
                        ],
                    ]
                )
            }
            func tap(_ nid: String, _ action: String) -> [String: Any] {
                ReportsDatabase.event("action_response", "A", nid, "2026-03-11T00:00:00Z", ["action_id": action])
            }
            try await database.append([
                registration("2026-03-01T00:00:00Z", "1", ["like", "save"]),
                registration("2026-03-05T00:00:00Z", "2", ["like", "share", "mute"]),
                ReportsDatabase.delivered("A", "1", "2026-03-10T00:00:00Z", "news"), tap("1", "like"),
                tap("1", "default"),
                ReportsDatabase.delivered("A", "2", "2026-03-10T00:00:00Z", "news"), tap("2", "save"),
                tap("2", "gone"),
                ReportsDatabase.delivered("A", "3", "2026-03-10T00:00:00Z", "mystery"),
                ReportsDatabase.delivered("A", "4", "2026-03-10T00:00:00Z"),
            ])
            try await database.apply()
            let result = try await database.run("categories", ReportsDatabase.march)
            let news = try result.row(["category": "news"])
            #expect(news["state"] == .text("used") && news["app_versions"] == .json("[\"1\", \"2\"]"))
            #expect(news["buttons_unused"] == .json("[\"share\", \"mute\"]") && news["custom_dismiss"] == .bool(true))
            #expect(news["unregistered_actions"] == .json("[\"gone\"]"))
            #expect(news.counts("buttons", "buttons_used", "notifications", "reached", "responded") == [3, 1, 2, 2, 2])
            let old = try result.row(["category": "old"])
            #expect(old["state"] == .text("dead") && old.counts("buttons", "notifications") == [0, 0])
            let mystery = try result.row(["category": "mystery"])
            #expect(mystery["state"] == .text("unregistered") && mystery["buttons"] == .null)
            #expect(try result.row(["category": nil]).counts("notifications", "buttons") == [1, nil])
            let before = try await database.run("categories", ["from": "2026-03-01", "to": "2026-03-02"])
            #expect(before.records.map { $0["app_versions"] } == [.json("[\"1\"]"), .json("[\"1\"]")])
        }
    }

    /// What one app's versions and buttons make of a row has a bound: the newest and the most taken, and how many more.
    @Test func aCategorysNamesAreBounded() async throws {
        try await ReportsDatabase.with { database in
            var events: [[String: Any]] = []
            for number in 10..<35 {
                let time = "2026-03-01T00:00:\(number)Z"
                let category: [String: Any] = ["id": "news", "options": [String](), "actions": [Any]()]
                let content: [String: Any] = ["context": ["app_version": "v\(number)"], "categories": [category]]
                events.append(ReportsDatabase.event("category_registration", "A", nil, time, content))
                events.append(ReportsDatabase.delivered("A", "n\(number)", "2026-03-10T00:00:00Z", "news"))
                // b10 on every notification, b34 on one.
                for button in 10...number {
                    let action = ["action_id": "b\(button)"]
                    events.append(
                        ReportsDatabase.event("action_response", "A", "n\(number)", "2026-03-11T00:00:00Z", action)
                    )
                }
            }
            try await database.append(events)
            try await database.apply()
            func names(_ letter: String, _ numbers: ClosedRange<Int>) -> ReportValue {
                .json("[" + numbers.map { "\"\(letter)\($0)\"" }.joined(separator: ", ") + "]")
            }
            // The second one reads the notifications themselves.
            for platform in [nil, ""] as [String?] {
                let pairs: KeyValuePairs =
                    platform.map { ["from": "2026-03-01", "to": "2026-03-20", "platform": $0] }
                    ?? ReportsDatabase.march
                let news = try await database.run("categories", pairs).row(["category": "news"])
                #expect(news["app_versions"] == names("v", 15...34))
                #expect(news["unregistered_actions"] == names("b", 10...29))
                #expect(news.counts("app_versions_more", "unregistered_actions_more") == [5, 5])
            }
        }
    }
}
