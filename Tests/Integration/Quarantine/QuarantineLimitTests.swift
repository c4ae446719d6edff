import EventLog
import Foundation
import NotificationEvents
import PlainHTTP
import Postgres
import Testing

/// A write key fills neither disk nor anybody else's quarantine.
@Suite("Quarantine: limits")
struct QuarantineLimitTests {
    private static let usageIsExact = """
        SELECT count(*) FROM (
          SELECT app_id, code, count(*) AS items, sum(bytes)::bigint AS bytes FROM log.quarantine GROUP BY 1, 2
        ) q FULL JOIN log.quarantine_usage u USING (app_id, code, items, bytes)
        WHERE q.app_id IS NULL OR u.app_id IS NULL
        """

    private func bad(_ count: Int, code: String = "invalid_value") -> String {
        let item = code == "invalid_value" ? Sample.action(at: "yesterday") : #"{"kind":"no-such-kind"}"#
        return "[" + Array(repeating: item, count: count).joined(separator: ",") + "]"
    }

    @Test("a full quarantine refuses what is new, counts it, and leaves the other apps their room")
    func full() async throws {
        try await ServiceFixture.run(["quarantine.items_per_app": "5"]) { service in
            let other = try await TestApp.make("second", in: service.database)
            for _ in 0..<4 { #expect(try await service.client.post(bad(3), key: service.app.write).status == 422) }
            #expect(
                try await service.number("SELECT count(*) FROM log.quarantine WHERE app_id = \(service.app.id)") == 5
            )
            let answer = try await service.client.post(bad(2, code: "unknown_kind"), key: other.write)
            #expect(answer.status == 422)
            #expect(try await service.number("SELECT count(*) FROM log.quarantine WHERE app_id = \(other.id)") == 2)

            let metrics = String(decoding: try await service.client.get("/metrics").body, as: UTF8.self)
            #expect(
                metrics.contains("notilog_quarantine_full_total 7") || metrics.contains("notilog_quarantine_full 7")
            )
            #expect(metrics.contains(#"notilog_quarantine_items{code="invalid_value"} 5"#))
            #expect(metrics.contains(#"notilog_quarantine_items{code="unknown_kind"} 2"#))
            // Refused or kept, each counts as a rejection.
            #expect(
                try await service.eventually(
                    "SELECT coalesce(sum(events), 0)::bigint FROM log.tally WHERE outcome = 'invalid_value'",
                    is: 12
                )
            )
            #expect(try await service.number(Self.usageIsExact) == 0)
        }
    }

    @Test("bytes are bounded as well as items")
    func bytes() async throws {
        try await ServiceFixture.run(["quarantine.bytes_per_app": "20000"]) { service in
            let filler = String(repeating: "x", count: 3_000)
            let item = Sample.action(at: "yesterday", more: #","attributes":{"of":"\#(filler)"}"#)
            for _ in 0..<10 { _ = try await service.client.post(item, key: service.app.write) }
            let bytes = try await service.number("SELECT sum(bytes)::bigint FROM log.quarantine")
            #expect(bytes <= 20_000 && bytes > 15_000)
        }
    }

    @Test("an item counts as long as PostgreSQL writes it, though the service measures it")
    func measured() async throws {
        try await ServiceFixture.run { service in
            for numbers in ["1e300,-2.5e-300,1e17,9007199254740994.0,0.1,7", "true,\"é\\n\",null"] {
                let item = Sample.action(at: "yesterday", more: #","attributes":{"of":[\#(numbers)],"b":{}}"#)
                _ = try await service.client.post(item, key: service.app.write)
            }
            // PostgreSQL puts a blank behind each comma and colon between values.
            let measured = """
                SELECT count(*) FROM log.quarantine
                WHERE bytes - 256 - octet_length(message) - octet_length(pointer)
                  = octet_length(replace(replace(item::text, ', ', ','), ': ', ':'))
                """
            #expect(try await service.number(measured) == 2)
            let many = Array(repeating: "1e308", count: 100_000).joined(separator: ",")
            let item = Sample.action(at: "yesterday", more: #","attributes":{"of":[\#(many)]}"#)
            #expect(try await service.client.post(item, key: service.app.write).status == 422)
            let bare = "SELECT bytes::int8 FROM log.quarantine WHERE item IS NULL AND length > 600000"
            #expect(try await service.number(bare) < 1000)
        }
    }

    @Test("what is too old leaves by itself, and the count is exact, also while items come from everywhere")
    func pruneAndCount() async throws {
        try await ServiceFixture.run(["quarantine.days": "10", "quarantine.items_per_app": "60"]) { service in
            try await withThrowingTaskGroup { group in
                for _ in 0..<6 {
                    group.addTask {
                        let client = try await ServiceClient.connect(service.service.url)
                        for number in 0..<8 {
                            let code = number % 2 == 0 ? "invalid_value" : "unknown_kind"
                            _ = try await client.post(bad(2, code: code), key: service.app.write)
                        }
                        await client.connection.close()
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await service.number("SELECT count(*) FROM log.quarantine") == 60)
            #expect(try await service.number(Self.usageIsExact) == 0)

            let connection = try await service.database.connect()
            try await connection.query(
                "UPDATE log.quarantine SET received_at = received_at - interval '11 days' WHERE quarantine_id % 2 = 0"
            )
            await connection.close()
            await service.service.stop()
            let again = try await ServiceProcess.start(
                database: service.database.url,
                settings: ["quarantine.days": "10"]
            )
            let removed = try await service.eventually(
                "SELECT count(*) FROM log.quarantine WHERE received_at < now() - interval '10 days'",
                is: 0
            )
            await again.stop()
            #expect(removed)
            #expect(try await service.number("SELECT count(*) FROM log.quarantine") > 0)
            #expect(try await service.number(Self.usageIsExact) == 0)
        }
    }

    @Test("an app whose quarantine is locked keeps the old items of no other app, though its own are older")
    func pruneBesideALock() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            // Each app has more than a call deletes, and something that stays.
            for (app, days) in [(1, 100), (2, 200), (3, 150)] {
                try await connection.query(
                    """
                    INSERT INTO log.quarantine (app_id, key_id, received_at, code, pointer, message, length, digest)
                    SELECT $1, 'k', now() - CASE WHEN n > 1 THEN $2 ELSE 1 END * interval '1 day', 'scope', '', '', 1, gen_random_uuid()
                    FROM generate_series(1, 10002) AS n
                    """,
                    [.int4(Int32(app)), .int4(Int32(days))]
                )
            }
            let pool = Pool(database.configuration.with(settings: ["statement_timeout": "5s"]), limit: 1)
            let quarantine = Quarantine(pool: pool)
            let holding = try await database.connect()
            try await holding.query("BEGIN")
            try await holding.query("SELECT lock.named('quarantine 2')")
            #expect(try await quarantine.prune() == 20_002)
            let left = "SELECT count(*) FROM log.quarantine WHERE app_id <> 2"
            #expect(try await connection.value(left, as: Int64.self) == 2)
            try await holding.query("COMMIT")
            #expect(try await quarantine.prune() == 10_001)
            #expect(try await connection.value("SELECT count(*) FROM log.quarantine", as: Int64.self) == 3)
            #expect(try await connection.value(Self.usageIsExact, as: Int64.self) == 0)
            await pool.shutDown()
            for connection in [connection, holding] { await connection.close() }
        }
    }

    @Test("bodies that wait for their app's quarantine keep those of no other app waiting, and are told to come again")
    func lockedForLong() async throws {
        try await ServiceFixture.run { service in
            let other = try await TestApp.make("second", in: service.database)
            let holding = try await service.database.connect()
            try await holding.query("BEGIN")
            try await holding.query("SELECT lock.named($1)", [.text("quarantine \(service.app.id)")])
            let waiting = """
                SELECT least(count(*), 1) FROM pg_stat_activity
                WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%quarantine_add%'
                """
            try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let client = try await ServiceClient.connect(service.service.url)
                        let answer = try await client.post(bad(1), key: service.app.write)
                        await client.connection.close()
                        return answer
                    }
                }
                #expect(try await service.eventually(waiting, is: 1))
                let began = ContinuousClock.now
                #expect(try await service.client.post(bad(1), key: other.write).status == 422)
                // Those give up after 2 s.
                #expect(ContinuousClock.now - began < .milliseconds(1500), "it waits for no body of the first app")
                for try await answer in group {
                    #expect(answer.status == 503)
                    #expect(try answer.problem.detail.contains("busy"))
                }
            }
            try await holding.query("ROLLBACK")
            await holding.close()
            #expect(try await service.client.post(bad(1), key: service.app.write).status == 422)
            #expect(try await service.number("SELECT count(*) FROM log.quarantine") == 2)
        }
    }

    @Test("two who fill the last room at once do not both get it")
    func lastRoom() async throws {
        try await TestDatabase.withDatabase { database in
            func add(_ count: Int, on connection: Connection) async throws -> Int32 {
                try await connection.query(
                    """
                    SELECT kept FROM log.quarantine_add(1, array_fill('k'::text, ARRAY[$1]), array_fill(now(), ARRAY[$1]),
                      array_fill(now(), ARRAY[$1]), array_fill('scope'::text, ARRAY[$1]), array_fill(''::text, ARRAY[$1]),
                      array_fill(''::text, ARRAY[$1]), array_fill(1, ARRAY[$1]), array_fill(gen_random_uuid(), ARRAY[$1]),
                      array_fill('{}'::jsonb, ARRAY[$1]), 60, 1000000)
                    """,
                    [.int4(Int32(count))]
                ).only().get(0)
            }
            let (first, second, looking) = (
                try await database.connect(), try await database.connect(), try await database.connect()
            )
            try await first.query("BEGIN")
            #expect(try await add(58, on: first) == 58)
            async let kept = add(5, on: second)
            // Until it waits for the other.
            let deadline = ContinuousClock.now + .seconds(10)
            let waiting = """
                SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
                WHERE NOT granted AND datname = current_database()
                """
            while try await looking.query(waiting).only().get(0, as: Int64.self) == 0 {
                try #require(ContinuousClock.now < deadline, "the second does not wait for the first")
                try await ContinuousClock().sleep(for: .milliseconds(10))
            }
            try await first.query("COMMIT")
            #expect(try await kept == 2)
            for connection in [first, second, looking] { await connection.close() }
        }
    }
}
