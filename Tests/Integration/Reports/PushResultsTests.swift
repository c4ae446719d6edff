import Postgres
import Reports
import Testing

/// The report `push_results`, on events worked out by hand.
@Suite("The report push_results")
struct PushResultsTests {
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

    @Test("of what came between the answers of a quarter hour that the range cuts nothing else is parsed")
    func cutQuarterHour() async throws {
        try await ReportsDatabase.with { database in
            func answer(_ at: String, _ device: String, app: Int = 1) -> [String: Any] {
                let data: [String: Any] = ["provider": "apns", "status": 200]
                return ["kind": "push_result", "at": at, "device": device, "app": app, "data": data]
            }
            try await database.connection.query("INSERT INTO notilog.app (name) VALUES ('other')")
            // Of another app, kind, time, and part of the quarter hour.
            let between = [
                answer("2026-03-10T10:02:00Z", "B", app: 2),
                ReportsDatabase.event("app_open", "B", nil, "2026-03-10T10:02:00Z"),
                answer("2026-03-10T13:02:00Z", "B"), answer("2026-03-10T10:06:00Z", "B"),
            ]
            try await database.append(
                [answer("2026-03-10T10:01:00Z", "A")] + between + [answer("2026-03-10T10:03:00Z", "A")]
            )
            try await database.apply()
            // From now on who parses any of these fails.
            try await database.connection.query(
                "UPDATE log.event SET data = NULL, data_text = 'no JSON' WHERE device_id = 'B'"
            )
            let part = try await database.run(
                "push_results",
                ["from": "2026-03-10T10:00:00Z", "to": "2026-03-10T10:05:00Z"]
            )
            #expect(part.records.map { $0.counts("status", "results") } == [[200, 2]])
        }
    }

    @Test("a type of an older name is that type, in whole quarter hours and in parts of them")
    func olderNameOfAType() async throws {
        try await ReportsDatabase.with { database in
            try await database.append(
                ["live_activity", "activity_update"].map { type -> [String: Any] in
                    [
                        "kind": "push_result", "at": "2026-03-10T10:01:00Z", "device": "A",
                        "data": ["provider": "apns", "status": 200, "type": type],
                    ]
                }
            )
            try await database.apply()
            for to in ["2026-03-10T10:15:00Z", "2026-03-10T10:05:00Z"] {
                for type in ["activity_update", "live_activity"] {
                    let result = try await database.run(
                        "push_results",
                        ["from": "2026-03-10T10:00:00Z", "to": to, "type": type]
                    )
                    #expect(result.records.map { $0.counts("results") } == [[2]], "\(to) \(type)")
                }
            }
        }
    }
}
