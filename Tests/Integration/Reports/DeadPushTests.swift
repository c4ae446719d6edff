import Foundation
import Postgres
import Testing

/// Pushes to ended tokens, which `reachability` finds among the requests that `device_token` keeps, or in the log.
@Suite("Pushes to ended tokens")
struct DeadPushTests {
    private static func token(_ digits: String) -> String { String(repeating: digits, count: 32) }

    private static let dead = """
        SELECT coalesce(sum(notifications), 0)::bigint FROM report.reachability('demo', "from" => '2026-03-01', "to" => '2026-04-01')
        WHERE class = 'dead_token'
        """

    private static let deadRequests = """
        SELECT sum(dead_requests)::bigint FROM report.tokens('demo', "from" => '2026-03-01', "to" => '2026-04-01')
        """

    private static func registered(_ device: String, _ token: String, type: String, day: Int) -> [String: Any] {
        [
            "kind": "token", "device": device, "token": Self.token(token), "at": "2026-03-0\(day)T00:00:00Z",
            "data": ["state": "registered", "provider": "apns", "type": type, "environment": "production"],
        ]
    }

    private static func pushes(_ device: String, _ token: String, _ count: Int, day: Int) -> [[String: Any]] {
        (0..<count).map { number in
            let at = Date(timeIntervalSince1970: 1_772_323_200 + Double(day - 1) * 86_400 + 3_600 + Double(number))
            return [
                "kind": "request", "device": device, "nid": "\(day)-\(number)", "token": Self.token(token),
                "at": at.ISO8601Format(), "data": ["origin": "provider", "trigger": ["type": "push"]] as [String: Any],
            ]
        }
    }

    @Test("are found by the token, not among all that a device sent; tokens of other kinds supersede none")
    func work() async throws {
        try await ReportsDatabase.with { database in
            var events: [[String: Any]] = []
            for (device, alert, start) in [("A", "aa", "ab"), ("B", "cc", "cd")] {
                events.append(Self.registered(device, alert, type: "alert", day: 1))
                events.append(Self.registered(device, start, type: "push_to_start", day: 2))
                events.append(Self.registered(device, alert, type: "alert", day: 3))
                events += Self.pushes(device, alert, 300, day: 4)
            }
            events.append(Self.registered("B", "ce", type: "alert", day: 5))
            events += Self.pushes("B", "cc", 10, day: 6)
            try await database.append(events)
            try await database.apply()
            let (dead, read): (Int64, Int64) = try await database.connection.withTransaction { connection in
                let before = try await Self.read(on: connection)
                let dead: Int64 = try await connection.query(Self.dead).only().get(0)
                return (dead, try await Self.read(on: connection) - before)
            }
            #expect(dead == 10)
            #expect(read == 0, "\(read) events read, of which the projection has all")
            // Each is of one class, whether the report reads its day from a rollup or not.
            for window in ["72 hours", "71 hours"] {
                let classes =
                    try await database.connection.query(
                        """
                        SELECT string_agg(class || ' ' || notifications, ', ' ORDER BY class)
                        FROM report.reachability('demo', "from" => '2026-03-01', "to" => '2026-04-01', "window" => $1::text::interval)
                        """,
                        [.text(window)]
                    ).only().get(0) as String
                #expect(classes == "dead_token 10, unknown 600", "\(window)")
            }
        }
    }

    /// Expects a count of the requests that are kept, which reads none of the log, and the same of the log's requests.
    private static func expect(
        _ sql: String,
        _ expected: Int64,
        reading bound: PartialRangeUpTo<Int64>,
        _ database: ReportsDatabase
    ) async throws {
        for isKept in [true, false] {
            try await database.connection.query("UPDATE projection.token_end SET is_whole = $1", [.bool(isKept)])
            let (found, read): (Int64, Int64) = try await database.connection.withTransaction { connection in
                let before = try await Self.read(on: connection)
                let found: Int64 = try await connection.query(sql).only().get(0)
                return (found, try await Self.read(on: connection) - before)
            }
            #expect(found == expected)
            #expect(isKept ? read == 0 : bound.contains(read), "\(read) events read for \(expected) pushes")
        }
    }

    /// Events that the session read from the log so far.
    private static func read(on connection: isolated Connection) async throws -> Int64 {
        try await connection.query(
            """
            SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::bigint FROM pg_stat_xact_user_tables
            WHERE schemaname = 'log' AND relname LIKE 'event\\_%'
            """
        ).only().get(0)
    }

    @Test("Requests that were due before the token ended are not read, however many they are")
    func earlier() async throws {
        try await ReportsDatabase.with { database in
            var events = [
                Self.registered("A", "aa", type: "alert", day: 1), Self.registered("A", "ab", type: "alert", day: 7),
            ]
            events += Self.pushes("A", "aa", 2_000, day: 4) + Self.pushes("A", "aa", 10, day: 8)
            // Of many tokens, so that an index is worth it.
            for number in 16..<56 { events += Self.pushes("B\(number)", String(number, radix: 16), 50, day: 4) }
            var scheduled = Self.pushes("A", "aa", 1, day: 3)
            scheduled[0]["data"] =
                [
                    "origin": "provider", "trigger": ["type": "push"], "scheduled_for": "2026-03-09T00:00:00Z",
                ] as [String: Any]
            events += scheduled
            try await database.append(events)
            try await database.apply()
            try await database.connection.execute(script: "ANALYZE log.event")
            try await Self.expect(Self.dead, 11, reading: ..<50, database)
            try await Self.expect(Self.deadRequests, 10, reading: ..<50, database)
        }
    }

    @Test("What a device was sent is read once for scheduled pushes with other requests, not for each of them")
    func otherRequests() async throws {
        try await ReportsDatabase.with { database in
            var events = [
                Self.registered("A", "aa", type: "alert", day: 1), Self.registered("A", "ab", type: "alert", day: 7),
            ]
            // Each was requested for at once, too: that was due before the token ended, and is not kept.
            for push in Self.pushes("A", "aa", 201, day: 3) {
                let scheduled: [String: Any] = [
                    "origin": "provider", "trigger": ["type": "push"], "scheduled_for": "2026-03-09T00:00:00Z",
                ]
                events += [push, push.merging(["data": scheduled]) { $1 }]
            }
            // Of the last one, without a token: it may have gone to another.
            events[events.count - 2]["token"] = nil
            for number in 16..<56 { events += Self.pushes("B\(number)", String(number, radix: 16), 50, day: 4) }
            try await database.append(events)
            try await database.apply()
            try await database.connection.execute(script: "ANALYZE log.event")
            let (dead, read): (Int64, Int64) = try await database.connection.withTransaction { connection in
                let before = try await Self.read(on: connection)
                let dead: Int64 = try await connection.query(Self.dead).only().get(0)
                return (dead, try await Self.read(on: connection) - before)
            }
            #expect(dead == 200)
            #expect(read < 1_000, "\(read) events read, of which the device has 404")
        }
    }

    @Test("The requests to a token that went from device to device are read once, not for each of them")
    func moved() async throws {
        try await ReportsDatabase.with { database in
            var events: [[String: Any]] = []
            for number in 0..<30 {
                var registered = Self.registered("A\(number)", "aa", type: "alert", day: 1)
                registered["at"] = "2026-03-01T00:\(10 + number):00Z"
                events.append(registered)
            }
            events += Self.pushes("A0", "aa", 100, day: 4)
            for number in 16..<56 { events += Self.pushes("B\(number)", String(number, radix: 16), 50, day: 4) }
            try await database.append(events)
            try await database.apply()
            try await database.connection.execute(script: "ANALYZE log.event")
            try await Self.expect(Self.dead, 100, reading: ..<300, database)
            try await Self.expect(Self.deadRequests, 100, reading: ..<300, database)
        }
    }
}
