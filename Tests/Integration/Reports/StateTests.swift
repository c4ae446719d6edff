import Postgres
import Reports
import Testing

/// `settings`, `tokens` and `activity` on events worked out by hand.
@Suite struct StateTests {
    private func settings(_ device: String, _ at: String, _ data: [String: Any]) -> [String: Any] {
        ["kind": "settings", "device": device, "at": at, "data": data]
    }

    @Test func settingsAtTheEndOfEachDay() async throws {
        try await ReportsDatabase.with { database in
            try await database.append([
                settings("A", "2026-03-01T00:00:00Z", ["authorization_status": "authorized", "sound": "enabled"]),
                settings("A", "2026-03-10T12:00:00Z", ["authorization_status": "denied"]),
                settings(
                    "B",
                    "2026-03-10T10:00:00Z",
                    ["authorization_status": "provisional", "context": ["platform": "ipados"]]
                ),
                settings("C", "2026-03-05T00:00:00Z", ["authorization_status": "authorized"]),
                // There and back within a day is no flow of that day.
                settings("C", "2026-03-10T01:00:00Z", ["authorization_status": "denied"]),
                settings("C", "2026-03-10T02:00:00Z", ["authorization_status": "authorized"]),
                settings("D", "2026-03-11T00:00:00Z", ["authorization_status": "authorized"]),
            ])
            try await database.apply()
            let day = try await database.run("settings", ["from": "2026-03-10", "to": "2026-03-11"])
            #expect(day.rows.count == 3)
            let authorized = try day.row(["state": "authorized"])
            #expect(authorized.counts("devices", "appeared", "entered", "left") == [1, 0, 0, 1])
            #expect(authorized.number("share").map { $0 * 3 } == 1)
            let denied = try day.row(["state": "denied"])
            #expect(denied.counts("devices", "appeared", "entered", "left") == [1, 0, 1, 0])
            #expect(denied["entered_from"] == .json("{\"authorized\": 1}"))
            #expect(try day.row(["state": "provisional"]).counts("devices", "appeared", "entered") == [1, 1, 0])

            let days = try await database.run(
                "settings",
                ["from": "2026-03-09", "to": "2026-03-12", "interval": "day"]
            )
            #expect(
                days.records.filter { $0["state"] == .text("authorized") }.map {
                    $0.counts("devices", "appeared", "left")
                } == [
                    [2, 0, 0], [1, 0, 1], [2, 1, 0],
                ]
            )
            // What a snapshot does not say is unknown, not disabled.
            let sound = try await database.run(
                "settings",
                ["setting": "sound", "from": "2026-03-10", "to": "2026-03-11"]
            )
            #expect(try sound.row(["state": nil]).counts("devices", "entered") == [3, 1])
            #expect(try sound.row(["state": "enabled"]).counts("devices", "left") == [0, 1])
            let tablets = try await database.run(
                "settings",
                ["platform": "ipados", "from": "2026-03-10", "to": "2026-03-11"]
            )
            #expect(tablets.records.map { $0["state"] } == [.text("provisional")])
        }
    }

    private func token(_ device: String, _ token: String, _ at: String, _ topic: String = "app") -> [String: Any] {
        [
            "kind": "token", "device": device, "token": token, "at": at,
            "data": [
                "state": "registered", "provider": "apns", "type": "alert", "topic": topic, "environment": "production",
            ],
        ]
    }

    private func answer(_ token: String, _ at: String, _ status: Int, _ reason: String? = nil) -> [String: Any] {
        [
            "kind": "push_result", "token": token, "at": at,
            "data": ["provider": "apns", "status": status, "reason": reason as Any?].compactMapValues { $0 },
        ]
    }

    @Test func tokensAndWhatBecameOfThem() async throws {
        try await ReportsDatabase.with { database in
            try await database.append([
                // A: another token after a week, and one more for another topic.
                token("A", "a1", "2026-03-01T00:00:00Z"), token("A", "a2", "2026-03-08T00:00:00Z"),
                token("A", "a3", "2026-03-09T00:00:00Z", "other"),
                // B's token moves to C; D's dies and is registered again; E's is misdirected; F's is old.
                token("B", "b1", "2026-03-02T00:00:00Z"), token("C", "b1", "2026-03-05T00:00:00Z"),
                token("D", "d1", "2026-03-03T00:00:00Z"), answer("d1", "2026-03-06T00:00:00Z", 410, "Unregistered"),
                token("D", "d1", "2026-03-12T00:00:00Z"),
                token("E", "e1", "2026-03-03T00:00:00Z"), answer("e1", "2026-03-04T00:00:00Z", 400, "BadDeviceToken"),
                token("F", "f1", "2025-05-01T00:00:00Z"),
                // Two requests to tokens that were dead, and two to tokens that were not.
                [
                    "kind": "request", "device": "A", "nid": "1", "token": "a1", "at": "2026-03-09T00:00:00Z",
                    "data": ["origin": "provider"],
                ],
                [
                    "kind": "request", "device": "D", "nid": "2", "token": "d1", "at": "2026-03-07T00:00:00Z",
                    "data": ["origin": "provider"],
                ],
                [
                    "kind": "request", "device": "D", "nid": "3", "token": "d1", "at": "2026-03-13T00:00:00Z",
                    "data": ["origin": "provider"],
                ],
                [
                    "kind": "request", "device": "A", "nid": "4", "token": "a1", "at": "2026-03-07T00:00:00Z",
                    "data": ["origin": "provider"],
                ],
            ])
            try await database.apply()
            let now = try await database.run("tokens")
            #expect(
                now.records.compactMap { $0["state"] }
                    == ["active", "stale", "misdirected", "superseded", "moved", "invalidated"].map { .text($0) }
            )
            let active = try now.row(["state": "active"])
            #expect(active.counts("tokens", "devices", "ghost_devices", "dead_requests") == [4, 3, 1, nil])
            #expect(active["lifetime_p50"] == .null)
            #expect(
                try now.row(["state": "superseded"]).counts("tokens", "dead_requests", "ghost_devices") == [1, 1, nil]
            )
            #expect(try now.row(["state": "superseded"]).number("lifetime_p50") == 604_800)
            #expect(try now.row(["state": "moved"]).number("lifetime_p50") == 259_200)
            // It is alive again, but a request went to it while it was dead.
            #expect(try now.row(["state": "invalidated"]).counts("tokens", "dead_requests") == [0, 1])

            let then = try await database.run(
                "tokens",
                ["from": "2026-03-05", "to": "2026-03-08", "interval": "day", "stale_after": "P400D"]
            )
            let invalidated = then.records.filter { $0["state"] == .text("invalidated") }
            #expect(invalidated.map { $0.counts("tokens", "dead_requests") } == [[1, 0], [1, 1]])
            #expect(
                then.records.filter { $0["state"] == .text("active") }.map { $0.counts("tokens") } == [[4], [3], [3]]
            )
            #expect(try await database.run("tokens", ["topic": "other"]).records.map { $0.counts("tokens") } == [[1]])
        }
    }

    @Test("a token registered without a topic and then with one is a single one: no ghost")
    func aTokenUnderTwoTopics() async throws {
        func untold(_ device: String, _ token: String, _ at: String) -> [String: Any] {
            var event = self.token(device, token, at)
            event["data"] = ["state": "registered", "provider": "apns", "type": "alert", "environment": "production"]
            return event
        }
        try await ReportsDatabase.with { database in
            try await database.append([
                untold("A", "a1", "2026-03-01T00:00:00Z"), token("A", "a1", "2026-03-02T00:00:00Z"),
                untold("B", "b1", "2026-03-01T00:00:00Z"), token("B", "b2", "2026-03-02T00:00:00Z"),
            ])
            try await database.apply()
            let active = try await database.run("tokens").row(["state": "active"])
            #expect(active.counts("devices", "ghost_devices") == [2, 1])
        }
    }

    @Test("each Live Activity of a device has a token of its own, which only another of that activity supersedes")
    func activities() async throws {
        func activity(_ id: String?, _ token: String, _ at: String, type: String = "live_activity") -> [String: Any] {
            var event = self.token("A", token, at)
            let data = ["state": "registered", "provider": "apns", "type": type, "environment": "production"]
            event["data"] = data.merging(["activity_id": id].compactMapValues { $0 }) { $1 }
            return event
        }
        try await ReportsDatabase.with { database in
            try await database.append([
                activity("goal", "01", "2026-03-01T00:00:00Z"), activity("ride", "02", "2026-03-02T00:00:00Z"),
                activity("goal", "03", "2026-03-03T00:00:00Z"), activity(nil, "04", "2026-03-04T00:00:00Z"),
                // An activity means nothing where the token is not of one.
                activity("goal", "05", "2026-03-05T00:00:00Z", type: "alert"),
                activity("ride", "06", "2026-03-06T00:00:00Z", type: "alert"),
            ])
            try await database.apply()
            let found: [String] = try await database.connection.query(
                "SELECT type || ' ' || activity_id || ' ' || state FROM projection.device_token ORDER BY token"
            ).map { try $0.get(0) }
            #expect(
                found == [
                    "activity_update goal superseded", "activity_update ride active", "activity_update goal active",
                    "activity_update  active", "alert  superseded", "alert  active",
                ]
            )
            let active = try await database.run("tokens", ["type": "activity_update"]).row(["state": "active"])
            #expect(active.counts("tokens", "devices", "ghost_devices") == [3, 1, 0])
            let superseded = try await database.run("tokens", ["type": "live_activity"]).row(["state": "superseded"])
            #expect(superseded.counts("tokens") == [1])
        }
    }

    @Test("a misdirected token is active again by the next push that is accepted, in whatever batch that comes")
    func misdirectedUntilAccepted() async throws {
        try await ReportsDatabase.with { database in
            func states(after events: [[String: Any]]) async throws -> [String] {
                try await database.append(events)
                try await database.apply()
                return try await database.connection.query(
                    "SELECT device_id || ' ' || state FROM projection.device_token ORDER BY 1"
                ).map { try $0.get(0) }
            }
            let misdirected = try await states(after: [
                token("A", "a1", "2026-03-01T00:00:00Z"), answer("a1", "2026-03-04T00:00:00Z", 400, "BadDeviceToken"),
                token("B", "b1", "2026-03-01T00:00:00Z"), answer("b1", "2026-03-04T00:00:00Z", 400, "BadDeviceToken"),
            ])
            #expect(misdirected == ["A misdirected", "B misdirected"])
            let before = try await states(after: [answer("a1", "2026-03-03T00:00:00Z", 200)])
            #expect(before == ["A misdirected", "B misdirected"], "an answer of before says nothing of it")
            let after = try await states(after: [answer("a1", "2026-03-05T00:00:00Z", 200)])
            #expect(after == ["A active", "B misdirected"])

            try await database.append(
                ["a1", "b1"].map { token in
                    [
                        "kind": "request", "device": token.prefix(1).uppercased(), "nid": "push", "token": token,
                        "at": "2026-03-06T00:00:00Z",
                        "data": ["origin": "provider", "alerting": true, "trigger": ["type": "push"]],
                    ]
                }
            )
            try await database.apply()
            #expect(try await tokenVerdict("A", "push", database) == "yes token_registered")
            #expect(try await tokenVerdict("B", "push", database) == "unknown token_misdirected")
        }
    }

    @Test("A push of which one request names an ended token and another none may have gone to another")
    func unnamedToken() async throws {
        try await ReportsDatabase.with { database in
            func request(_ id: String, _ token: String?, day: Int) -> [String: Any] {
                var event: [String: Any] = [
                    "kind": "request", "device": "A", "nid": id, "at": "2026-03-0\(day)T00:00:00Z",
                    "data": ["origin": "provider", "alerting": true, "trigger": ["type": "push"]],
                ]
                if let token { event["token"] = token }
                return event
            }
            try await database.append([
                token("A", "a1", "2026-03-01T00:00:00Z"), answer("a1", "2026-03-02T00:00:00Z", 410, "Unregistered"),
                request("dead", "a1", day: 3), request("unsaid", "a1", day: 3), request("unsaid", nil, day: 4),
                // A schedule of the same identifier is no request of the push, whichever column says that it repeats.
                [
                    "kind": "request", "device": "A", "nid": "dead", "at": "2026-03-04T00:00:00Z",
                    "data": ["origin": "app", "alerting": true, "trigger": ["type": "calendar", "repeats": true]],
                ],
            ])
            try await database.apply()
            try await database.connection.execute(
                script:
                    "UPDATE log.event SET data = NULL, data_text = data::text WHERE kind = 'request' AND data IS NOT NULL"
            )
            #expect(try await tokenVerdict("A", "dead", database) == "no token_ended")
            #expect(try await tokenVerdict("A", "unsaid", database) == "unknown token_not_named")
        }
    }

    /// What the verdict on a notification says of its token, and why.
    private func tokenVerdict(_ device: String, _ notification: String, _ database: ReportsDatabase) async throws
        -> String
    {
        try await database.connection.query(
            "SELECT v.verdict || ' ' || v.reason FROM notilog.verdict(1, $1, $2) v WHERE v.link = 'token'",
            [.text(device), .text(notification)]
        ).only().get(0)
    }

    @Test func activityByTheServersClock() async throws {
        try await ReportsDatabase.with { database in
            func event(
                _ kind: String,
                _ nid: String,
                _ at: String,
                _ data: [String: Any] = [:],
                received: String = "2026-03-10T12:00:00Z"
            ) -> [String: Any] {
                ["kind": kind, "device": "A", "nid": nid, "at": at, "received": received, "data": data]
            }
            var clamped = event("delivery", "1", "2026-03-10T12:00:00Z", ["source": "will_present"])
            clamped["clamped"] = true
            try await database.append([
                event("request", "1", "2026-03-09T00:00:00Z"), event("request", "1", "2026-03-09T01:00:00Z"),
                event("request", "2", "2026-03-09T00:00:00Z", received: "2026-03-11T00:00:00Z"), clamped,
                event(
                    "delivery",
                    "2",
                    "2026-03-09T00:00:00Z",
                    ["source": "will_present"],
                    received: "2026-03-10T12:05:00Z"
                ),
                event("action_response", "1", "2026-03-09T02:00:00Z", ["action_id": "like"]),
                event("action_response", "1", "2026-03-09T02:00:01Z", ["action_id": "like"]),
                event(
                    "action_response",
                    "1",
                    "2026-03-09T02:00:02Z",
                    ["action_id": "like", "delegate": "content_extension"]
                ),
                event("action_response", "1", "2026-03-09T02:00:03Z", ["action_id": "default"]),
            ])
            try await database.apply()
            try await database.connection.execute(
                script: """
                    INSERT INTO log.tally (app_id, received_at, kind, outcome, events) VALUES
                      (1, '2026-03-10 12:00Z', 'request', 'duplicate', 3), (1, '2026-03-10 12:15Z', 'request', 'duplicate', 1),
                      (1, '2026-03-10 12:00Z', 'request', 'invalid_value', 2), (1, '2026-03-10 12:15Z', '', 'invalid_json', 5);
                    INSERT INTO log.quarantine (app_id, key_id, received_at, code, pointer, message, length, digest, item)
                    VALUES (1, 'k', '2026-03-10 12:00Z', 'invalid_value', '/0', 'm', 1, gen_random_uuid(), '{"kind": "request"}'),
                      (1, 'k', '2026-03-10 12:00Z', 'unknown_kind', '/0', 'm', 1, gen_random_uuid(), '{"kind": "x"}');
                    """
            )
            let day = try await database.run("activity", ["from": "2026-03-10", "to": "2026-03-11"])
            let requests = try day.row(["kind": "request"])
            #expect(
                requests.counts("events", "duplicates", "rejected", "quarantined", "reused_identifiers") == [
                    2, 4, 2, 1, 1,
                ]
            )
            #expect(requests["rejected_by_code"] == .json("{\"invalid_value\": 2}"))
            #expect(requests["duplicate_callbacks"] == .null)
            #expect(
                try day.row(["kind": "action_response"]).counts("events", "duplicate_callbacks", "reused_identifiers")
                    == [4, 2, nil]
            )
            #expect(try day.row(["kind": "delivery"]).counts("events", "clamped", "duplicates") == [2, 1, 0])
            let unknown = try day.row(["kind": nil])
            #expect(unknown.counts("events", "rejected", "quarantined") == [0, 5, 1])
            #expect(unknown["quarantined_by_code"] == .json("{\"unknown_kind\": 1}"))
            #expect(try await database.run("activity", ["kind": "delivery", "from": "2026-03-10"]).rows.count == 1)
            let hours = try await database.run(
                "activity",
                ["from": "2026-03-10", "to": "2026-03-12", "interval": "day", "kind": "request"]
            )
            #expect(hours.records.map { $0.counts("events", "reused_identifiers") } == [[2, 1], [1, 0]])
            // All that was ever received, up to now; what the range begins and ends in the midst of is not taken for it.
            let all = try await database.run("activity", ["from": "2026-03-10"])
            #expect(try all.row(["kind": "request"]).counts("events", "reused_identifiers") == [3, 1])
            #expect(try all.row(["kind": "action_response"]).counts("events", "duplicate_callbacks") == [4, 2])
            #expect(try all.row(["kind": "delivery"]).counts("events", "clamped") == [2, 1])
            let late = try await database.run("activity", ["from": "2026-03-10T12:01:00Z"])
            #expect(try late.row(["kind": "request"]).counts("events", "reused_identifiers") == [1, 0])
            #expect(try late.row(["kind": "delivery"]).counts("events", "clamped") == [1, 0])
            let early = try await database.run("activity", ["from": "2026-03-10", "to": "2026-03-10T12:05:00Z"])
            #expect(try early.row(["kind": "delivery"]).counts("events", "clamped") == [1, 1])
        }
    }
}
