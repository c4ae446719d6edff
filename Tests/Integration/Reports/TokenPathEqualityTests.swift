import Postgres
import Reports
import Testing

/// The log and `device_token` answer alike, whatever the events of tokens.
@Suite struct TokenPathEqualityTests {
    /// What the log says of tokens as they were at the end is what the projection holds.
    @Test func tokensAtTheEndAreThoseOfTheProjection() async throws {
        var random = LawRandom(seed: 7)
        try await ReportsDatabase.with { database in
            func pick<T>(_ values: [T]) -> T { values[Int(random.next() % UInt64(values.count))] }
            var events: [[String: Any]] = []
            for app in 1...150 {
                if app > 1 {
                    try await database.connection.query("INSERT INTO notilog.app (name) VALUES ('app\(app)')")
                }
                for _ in 0..<Int(3 + random.next() % 12) {
                    let token = pick(["aa", "bb", "cc"])
                    let at = "2026-03-\(10 + random.next() % 6)T0\(random.next() % 10):00:00Z"
                    var event: [String: Any] = ["at": at, "app": app, "token": token, "device": pick(["A", "B"])]
                    if pick([true, true, false]) {
                        event["kind"] = "token"
                        event["data"] = [
                            "state": pick(["registered", "registered", "registered", "unregistered"]),
                            "provider": "apns",
                            "type": "alert", "environment": pick(["production", "sandbox"]),
                        ]
                    } else {
                        event["kind"] = "push_result"
                        event["device"] = pick(["A", ""])
                        event["data"] = ["provider": "apns"].merging(
                            pick(
                                [
                                    ["status": 200], ["status": 410, "reason": "Unregistered"],
                                    ["status": 400, "reason": "BadDeviceToken"],
                                ] as [[String: Any]]
                            )
                            .mapValues { "\($0)" }
                        ) { $1 }
                    }
                    events.append(event)
                }
            }
            try await database.append(events)
            try await database.apply()
            let row = try await database.connection.query(
                """
                WITH reported AS (
                  SELECT a.app_id, t.environment, t.state, t.tokens, t.devices FROM notilog.app a
                  CROSS JOIN report.tokens(a.name, stale_after => '3650 days', as_of => '2026-04-01') t
                ), held AS (
                  SELECT app_id, environment, state, count(*) AS tokens, count(DISTINCT device_id) AS devices
                  FROM projection.device_token GROUP BY 1, 2, 3
                )
                SELECT (SELECT count(*) FROM held), (SELECT count(*) FROM (TABLE held EXCEPT TABLE reported) d),
                  (SELECT count(*) FROM (TABLE reported EXCEPT TABLE held) d), (SELECT count(DISTINCT state) FROM held)
                """
            ).only()
            #expect(try row.get(0, as: Int64.self) > 300)
            #expect(try row.get(1, as: Int64.self) == 0 && row.get(2, as: Int64.self) == 0)
            #expect(try row.get(3, as: Int64.self) == 5)
        }
    }
}
