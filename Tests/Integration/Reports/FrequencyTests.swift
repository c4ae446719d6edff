import Reports
import Testing

/// The report `frequency`, on events worked out by hand.
@Suite("The report frequency")
struct FrequencyTests {
    @Test func weeksFollowLocalClocks() async throws {
        try await ReportsDatabase.with { database in
            // In New York clocks go forward on 8 March: this week has 167 hours.
            try await database.append([
                ReportsDatabase.delivered("A", "1", "2026-03-02T04:59:59.999999Z"),
                ReportsDatabase.delivered("A", "2", "2026-03-02T05:00:00Z"),
                ReportsDatabase.delivered("A", "3", "2026-03-09T03:59:59.999999Z"),
                ReportsDatabase.delivered("A", "4", "2026-03-09T04:00:00Z"),
                ReportsDatabase.delivered("B", "1", "2026-03-09T04:00:00Z"),
                ReportsDatabase.event("action_response", "A", "3", "2026-03-10T00:00:00Z", ["action_id": "default"]),
                // The last week is not over.
                ReportsDatabase.delivered("A", "5", "2026-03-16T04:00:00Z"),
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
}
