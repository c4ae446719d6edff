import Logging
import Postgres
import Projections
import Schema
import Testing

/// Requests to tokens that came to an end: `device_token` keeps them, and `tokens` and `reachability` read those instead of the log.
@Suite("Reports: requests to ended tokens")
struct TokenRequestTests {
    private static func token(_ digits: String) -> String { String(repeating: digits, count: 32) }

    private static func said(
        _ state: String,
        _ device: String,
        _ token: String,
        day: Int,
        environment: String = "production"
    ) -> [String: Any] {
        [
            "kind": "token", "device": device, "token": Self.token(token), "at": "2026-03-0\(day)T00:00:00Z",
            "data": ["state": state, "provider": "apns", "type": "alert", "environment": environment],
        ]
    }

    private static func request(
        _ device: String,
        _ token: String?,
        day: Int,
        at time: String = "06:00:00",
        push: [String: String] = [:],
        notification: String? = nil,
        scheduled: Bool = false
    ) -> [String: Any] {
        var data: [String: Any] = ["origin": "provider", "trigger": ["type": "push"], "push": push]
        let at = "2026-03-0\(day)T\(time)Z"
        var event: [String: Any] = [
            "kind": "request", "device": device, "nid": notification ?? "\(token ?? "")-\(day)", "at": at,
        ]
        if let token { event["token"] = Self.token(token) }
        if scheduled {
            data["scheduled_for"] = at
            event["received"] = "2026-02-20T06:00:00Z"
        }
        event["data"] = data
        return event
    }

    /// An answer of APNs, which knew on another day that the token was dead.
    private static func dead(_ token: String, day: Int, since: Int) -> [String: Any] {
        [
            "kind": "push_result", "token": Self.token(token), "at": "2026-03-0\(day)T12:00:00Z",
            "data": [
                "provider": "apns", "status": 410, "reason": "Unregistered",
                "timestamp": 1_772_323_200_000 + (since - 1) * 86_400_000,
            ] as [String: Any],
        ]
    }

    private static func answer(_ database: ReportsDatabase) async throws -> [String] {
        try await database.connection.query(
            """
            SELECT concat_ws(' ', environment, state, tokens, dead_requests) FROM report.tokens('demo', "from" => '2026-03-01',
              "to" => '2026-04-01', as_of => '2026-04-01') ORDER BY 1
            """,
            cached: false
        ).map { try $0.get(0) }
    }

    /// The dead pushes that `reachability` counts, and how many there are by the events of each notification.
    private static func deadPushes(_ database: ReportsDatabase) async throws -> (counted: Int64, each: Int64) {
        let row = try await database.connection.query(
            """
            SELECT (
                SELECT coalesce(sum(notifications), 0)::bigint FROM report.reachability('demo', "from" => '2026-03-01',
                  "to" => '2026-04-01', as_of => '2026-04-01') WHERE class = 'dead_token'),
              (SELECT count(*) FROM projection.notification n
                WHERE n.cohort_at >= '2026-03-01' AND (
                  SELECT bool_and(reporting.is_ended_token(n.app_id, n.device_id, e.token, n.cohort_at, true))
                  FROM log.event e
                  WHERE (e.device_id, e.notification_id, e.kind) = (n.device_id, n.notification_id, 'request')))
            """,
            cached: false
        ).only()
        return (try row.get(0), try row.get(1))
    }

    /// Expects an answer of the requests that are kept, which reads none of the log; and the same of the log's.
    private static func expect(_ expected: [String], _ database: ReportsDatabase, _ comment: Comment) async throws {
        let (kept, read): ([String], Int64) = try await database.connection.withTransaction { connection in
            let counted = """
                SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::bigint FROM pg_stat_xact_user_tables
                WHERE schemaname = 'log' AND relname LIKE 'event\\_%'
                """
            let before: Int64 = try await connection.query(counted, cached: false).only().get(0)
            let kept = try await answer(database)
            return (kept, try await connection.query(counted, cached: false).only().get(0) - before)
        }
        #expect(kept == expected, comment)
        #expect(read == 0, "\(comment): events of the log")
        let dead = try await deadPushes(database)
        #expect(dead.counted == dead.each, comment)
        try await database.connection.query("UPDATE projection.token_end SET is_whole = false")
        #expect(try await answer(database) == expected, "\(comment): of the log")
        #expect(try await deadPushes(database) == dead, "\(comment): of the log")
        try await database.connection.query("UPDATE projection.token_end SET is_whole = true")
    }

    private static var cases: [(name: String, events: [[String: Any]], expected: [String])] {
        [
            (
                "superseded",
                [
                    said("registered", "A", "aa", day: 1), request("A", "aa", day: 2),
                    said("registered", "A", "ab", day: 3),
                    request("A", "aa", day: 4), request("A", "ab", day: 4), request("B", "aa", day: 5),
                ],
                ["production active 1", "production superseded 1 1"]
            ),
            (
                "dead since a time before the answer",
                [
                    said("registered", "A", "aa", day: 1), request("A", "aa", day: 2), request("A", "aa", day: 4),
                    request("A", "aa", day: 5), dead("aa", day: 6, since: 3), request("A", "aa", day: 7),
                ],
                ["production invalidated 1 3"]
            ),
            (
                "registered again",
                [
                    said("registered", "A", "aa", day: 1), said("unregistered", "A", "aa", day: 2),
                    request("A", "aa", day: 3),
                    said("registered", "A", "aa", day: 4), request("A", "aa", day: 5),
                    said("unregistered", "A", "aa", day: 6),
                    request("A", "aa", day: 7),
                ],
                ["production invalidated 1 2"]
            ),
            (
                "moved",
                [
                    said("registered", "A", "aa", day: 1), said("registered", "B", "aa", day: 3),
                    request("A", "aa", day: 2),
                    request("A", "aa", day: 4), request("B", "aa", day: 4),
                ],
                ["production active 1", "production moved 1 1"]
            ),
            (
                "of two environments",
                [
                    said("registered", "A", "aa", day: 1),
                    said("registered", "A", "aa", day: 1, environment: "sandbox"),
                    said("registered", "A", "ab", day: 3, environment: "sandbox"),
                    request("A", "aa", day: 4), request("A", "aa", day: 5, push: ["environment": "sandbox"]),
                ],
                ["production active 1", "sandbox active 1", "sandbox superseded 1 1"]
            ),
            (
                "as they end",
                [
                    said("registered", "A", "aa", day: 1), said("registered", "A", "ab", day: 3),
                    request("A", "aa", day: 3, at: "00:00:00"), request("A", "ab", day: 4),
                ],
                ["production active 1", "production superseded 1 0"]
            ),
            (
                "to two tokens of a device, of which one had ended",
                [
                    said("registered", "A", "aa", day: 1), said("registered", "A", "ab", day: 3),
                    request("A", "aa", day: 4, notification: "n"), request("A", "ab", day: 5, notification: "n"),
                    request("A", "aa", day: 4, notification: "m"), request("A", "aa", day: 5, notification: "m"),
                ],
                ["production active 1", "production superseded 1 3"]
            ),
            (
                "and another that names none",
                [
                    said("registered", "A", "aa", day: 1), said("registered", "A", "ab", day: 3),
                    request("A", "aa", day: 4, notification: "n"), request("A", nil, day: 5, notification: "n"),
                    request("A", "aa", day: 6),
                ],
                ["production active 1", "production superseded 1 2"]
            ),
            (
                "before the end, of a push that is scheduled for later",
                [
                    said("registered", "A", "aa", day: 1), request("A", "aa", day: 2, notification: "n"),
                    said("registered", "A", "ab", day: 3),
                    request("A", "aa", day: 5, notification: "n", scheduled: true),
                ],
                ["production active 1", "production superseded 1 1"]
            ),
            (
                "scheduled long before",
                [
                    said("registered", "A", "aa", day: 1), said("registered", "A", "ab", day: 3),
                    request("A", "aa", day: 2, scheduled: true), request("A", "aa", day: 5, scheduled: true),
                ],
                ["production active 1", "production superseded 1 1"]
            ),
        ]
    }

    @Test("are counted alike whatever comes first, in one batch or in many")
    func order() async throws {
        var random = LawRandom(seed: 11)
        for (name, events, expected) in Self.cases {
            for attempt in 0..<3 {
                let ordered = attempt < 2 ? events : events.shuffled(using: &random)
                try await ReportsDatabase.with { database in
                    for event in ordered {
                        try await database.append([event])
                        if attempt > 0 { try await database.apply() }
                    }
                    try await database.apply()
                    try await Self.expect(expected, database, "\(name), \(attempt)")
                }
            }
        }
    }

    @Test("to a token with more of them than the bound are looked for in the log")
    func bound() async throws {
        try await ReportsDatabase.with { database in
            try await database.connection.query("SET notilog.token_requests = 3")
            var events = [Self.said("registered", "A", "aa", day: 1)]
            for day in 3...7 { events.append(Self.request("A", "aa", day: day)) }
            try await database.append(events)
            try await database.apply()
            try await database.append([Self.said("registered", "A", "ab", day: 2)])
            try await database.apply()
            try await database.append([Self.request("A", "aa", day: 8)])
            try await database.apply()
            let row = try await database.connection.query(
                """
                SELECT (SELECT count(*) FROM projection.token_end WHERE NOT is_whole),
                  (SELECT count(*) FROM projection.token_request)
                """
            ).only()
            #expect(try (row.get(0, as: Int64.self), row.get(1, as: Int64.self)) == (1, 0))
            #expect(try await Self.answer(database) == ["production active 1", "production superseded 1 6"])
        }
    }

    @Test("to tokens that end together are kept up to a bound; those to the others are looked for in the log")
    func boundOfBatch() async throws {
        try await ReportsDatabase.with { database in
            try await database.connection.query("SET notilog.token_requests = 20")
            try await database.connection.query("SET notilog.batch_token_requests = 200")
            let tokens = (0..<50).map { String($0 + 16, radix: 16) }
            var events = tokens.map { Self.said("registered", "device-\($0)", $0, day: 1) }
            for token in tokens {
                for hour in 0..<20 {
                    let time = (hour < 10 ? "0" : "") + "\(hour):00:00"
                    let notification = "\(token)-\(hour)"
                    events.append(
                        Self.request("device-\(token)", token, day: 3, at: time, notification: notification)
                    )
                }
            }
            try await database.append(events)
            try await database.apply()
            try await database.append(tokens.map { Self.said("unregistered", "device-\($0)", $0, day: 2) })
            try await database.apply()
            let row = try await database.connection.query(
                """
                SELECT (SELECT count(*) FROM projection.token_end), (SELECT count(*) FROM projection.token_end WHERE NOT is_whole),
                  (SELECT count(*) FROM projection.token_request)
                """
            ).only()
            let counts = try (0..<3).map { try row.get($0, as: Int64.self) }
            // Ten tokens of 20 requests each.
            #expect(counts == [50, 40, 200])
            #expect(try await Self.answer(database) == ["production invalidated 50 1000"])
            let dead = try await Self.deadPushes(database)
            #expect(dead.counted == dead.each)
            let folder = try ReleaseFolder.locate()
            let group = try ProjectionCatalogue(folder: folder).group(named: "device_token")
            let report = try await ProjectionVerification(
                database.connection.configuration,
                files: try ProjectionFiles(group, in: folder),
                logger: Logger(label: "test.verify")
            ).run { _ in }
            #expect(report.isEqual, "\(report.tables.filter { !$0.isEqual })")
        }
    }

    @Test("are looked for in the log by a version of an earlier release")
    func earlierVersion() async throws {
        let (_, events, expected) = Self.cases[0]
        try await ReportsDatabase.with { database in
            try await database.append(events)
            try await database.apply()
            try await database.connection.execute(
                script: "DROP TABLE projection.token_end, projection.token_request, projection.token_newest CASCADE"
            )
            #expect(try await Self.answer(database) == expected)
        }
    }
}
