import Reports
import Testing

/// The report `authorization`, on events worked out by hand.
@Suite("The report authorization")
struct AuthorizationTests {
    private static func id(_ number: Int) -> String { "00000000-0000-7000-8000-00000000000\(number)" }

    private static func ask(
        _ device: String,
        _ at: String,
        _ data: [String: Any],
        before status: String? = nil
    ) -> [String: Any] {
        ReportsDatabase.event(
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
                    ReportsDatabase.settings("B", "2026-03-02T00:00:00Z", "not_determined"),
                    Self.ask("B", "2026-03-02T00:00:01Z", no),
                    ReportsDatabase.settings("B", "2026-03-02T00:00:02Z", "denied"),
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
                    ReportsDatabase.settings("I", "2026-03-01T00:00:00Z", "not_determined"),
                    Self.ask("I", "2026-03-02T00:00:00Z", no).merging(["id": Self.id(1)]) { $1 },
                    ReportsDatabase.settings("I", "2026-03-02T00:00:00Z", "denied").merging(["id": Self.id(2)]) { $1 },
                ]
                    + (3...9).map { Self.ask("A", "2026-03-0\($0)T00:00:00Z", yes, before: "authorized") }
                    + (3...9).map { Self.ask("B", "2026-03-0\($0)T00:00:00Z", no) }
            )
            try await database.apply()
            let row = try await database.run("authorization", ReportsDatabase.march).row(["options": "alert"])
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
                ReportsDatabase.settings("D", "2026-03-02T00:00:01Z", "provisional"),
                ReportsDatabase.settings("D", "2026-03-05T00:00:00Z", "authorized"),
                ReportsDatabase.settings("D", "2026-03-06T00:00:00Z", "denied"),
                Self.ask("E", "2026-03-02T00:00:00Z", provisional),
                ReportsDatabase.settings("E", "2026-03-04T00:00:00Z", "denied"),
                Self.ask("F", "2026-03-02T00:00:00Z", provisional),
                ReportsDatabase.settings("F", "2026-03-04T00:00:00Z", "provisional"),
                ReportsDatabase.settings("G", "2026-03-01T00:00:00Z", "authorized"),
                Self.ask("G", "2026-03-02T00:00:00Z", provisional),
                Self.ask("H", "2026-03-02T00:00:00Z", ["granted": true], before: "not_determined"),
            ])
            try await database.apply()
            let result = try await database.run("authorization", ReportsDatabase.march)
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
}
