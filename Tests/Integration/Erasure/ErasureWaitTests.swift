import EventLog
import Postgres
import Projections
import Testing

/// Guarantee 18: an erasure, which no batch of a projection may meet, keeps batches waiting for a bounded share of the time.
@Suite("Erasure: batches that wait behind it")
struct ErasureWaitTests {
    /// A batch without events. With `upTo` beyond some thousand it may be long.
    private static func apply(_ version: String, upTo: Int64 = 0) -> String {
        "SELECT projection.begin_fold('\(version)', 'notification', \(upTo))"
    }

    /// A session that begins batches and waits for no lock.
    private static func live(_ database: TestDatabase) async throws -> Connection {
        try await database.connect(settings: ["lock_timeout": "1ms"])
    }

    /// How many of 200 batches of a version in use wait for a lock.
    private static func waiting(_ live: Connection) async throws -> Int {
        var waiting = 0
        for _ in 0..<200 {
            do {
                try await live.execute(script: apply("projection"))
            } catch let error as PostgresError where error.sqlState == "55P03" {
                waiting += 1
            }
        }
        return waiting
    }

    @Test("while an erasure waits for a batch of a rebuild, no batch of a version in use waits")
    func rebuild() async throws {
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            try await owner.query("INSERT INTO notilog.app (name) VALUES ('first')")
            let (batch, live) = (try await database.connect(), try await Self.live(database))
            try await batch.execute(script: "BEGIN; \(Self.apply("projection_next_none", upTo: 100_000))")
            let erasing = Task { try await Erasure(database.configuration).erase("leaving", app: 1) }
            try await eventually("the erasure waits") {
                try await owner.value(
                    """
                    SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                      WHERE NOT l.granted AND a.application_name = 'notilog erase' AND a.datname = current_database())
                    """
                )
            }
            #expect(try await Self.waiting(live) == 0)
            try await batch.query("ROLLBACK")
            #expect(try await erasing.value.events == 0)
            for connection in [batch, live, owner] { await connection.close() }
        }
    }

    @Test(
        "a rebuild or a retention whose process is frozen in the middle of a statement is ended",
        .timeLimit(.minutes(5)),
        arguments: ["notilog rebuild", "notilog retention"]
    )
    func frozenRebuild(application: String) async throws {
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            try await owner.query("INSERT INTO notilog.app (name) VALUES ('first')")
            let frozen = try await FrozenSession(
                .inStatement,
                as: "postgres",
                in: try await owner.value("SELECT current_database()::text"),
                application: application,
                after: "BEGIN; \(Self.apply("projection_next_none", upTo: 100_000))"
            )
            defer { frozen.close() }
            try await frozen.begin(application, on: owner)
            let erasure = Erasure(database.configuration)
            try await erasure.note("leaving", app: 1)
            // It gives up, as it does where batches are under way, and what keeps it waiting is ended.
            await #expect(throws: PostgresError.self) { try await erasure.finishPending() }
            #expect(try await erasure.finishPending() == 1)
            #expect(try await erasure.finishPending() == 0)
            await owner.close()
        }
    }

    @Test("the log is settled while an erasure looks for what the device has")
    func settlesMeanwhile() async throws {
        try await TestDatabase.withDatabase { database in
            let (owner, holder) = (try await database.connect(), try await database.connect())
            try await owner.query("INSERT INTO notilog.app (name) VALUES ('first')")
            try await TestLog.with(database) { test in
                // It has as many tokens as takes long to look for.
                try await holder.execute(script: "BEGIN; LOCK TABLE projection.token_end IN ACCESS EXCLUSIVE MODE")
                let beginning = Task {
                    try await Connection.with(database.configuration) {
                        _ = try await $0.query("SELECT log.erasure_begin(1, 'leaving')")
                    }
                }
                try await eventually("it looks for its tokens") {
                    try await !owner.waiting(for: "projection.token_end").isEmpty
                }
                guard case .stored(let position)? = try await test.log.append(SampleEvents.batch(5), app: 1).last else {
                    Issue.record("not stored")
                    return
                }
                try await owner.set(["lock_timeout": "5s"])
                #expect(try await Settler.settleNow(on: owner) >= position)
                try await holder.query("COMMIT")
                try await beginning.value
            }
            #expect(try await owner.value("SELECT count(*) FROM log.erasure_pending") == Int64(1))
            for connection in [owner, holder] { await connection.close() }
        }
    }

    @Test("waits for batches of versions in use end after two seconds, and after one there is none for forty")
    func share() async throws {
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            let (batch, live) = (try await database.connect(), try await Self.live(database))
            try await batch.execute(script: "BEGIN; \(Self.apply("projection"))")
            let asked: Double = try await owner.value("SELECT extract(epoch FROM clock_timestamp())::double precision")
            let stopping = Task { try await Self.stop(database) }
            try await eventually("it waits") { try await !owner.waiting(for: "lock.still").isEmpty }
            #expect(try await Self.waiting(live) > 0, "batches wait behind it")
            let stopped = try await stopping.value
            #expect(stopped == "55P03")
            let next: Double = try await owner.value("SELECT last_value / 1000.0::double precision FROM lock.next_wait")
            #expect(next - asked >= 42)

            async let others = {
                var states: Set<String?> = []
                for _ in 0..<50 { states.insert(try await Self.stop(database)) }
                return states
            }()
            #expect(try await Self.waiting(live) == 0)
            #expect(try await others == ["55P03"])

            // After that one waits again, and gets its turn.
            try await owner.query("SELECT setval('lock.next_wait', 1)")
            let last = Task { try await Self.stop(database) }
            try await eventually("it waits again") { try await !owner.waiting(for: "lock.still").isEmpty }
            try await batch.query("COMMIT")
            #expect(try await last.value == nil)
            let again: Int64 = try await owner.value("SELECT last_value FROM lock.next_wait")
            #expect(again > Int64(asked * 1000))
            for connection in [batch, live, owner] { await connection.close() }
        }
    }

    @Test(
        "a batch waits for an erasure longer than its own time limit, and keeps its place: where erasures follow one another it comes on"
    )
    func batchesWait() async throws {
        try await ProjectionFixture.with { fixture in
            let last = try await fixture.fill(40)
            let (owner, erasure) = (fixture.connection, try await fixture.database.connect())
            try await erasure.execute(script: "BEGIN; LOCK TABLE lock.still IN EXCLUSIVE MODE")
            let running = Task {
                [runner = fixture.runner(timeLimit: .seconds(1), eventTimeLimit: .milliseconds(200))] in
                await runner.run()
            }
            defer { running.cancel() }
            var first: [Int32] = []
            try await eventually("a batch waits") {
                first = try await owner.waiting(for: "lock.still")
                return !first.isEmpty
            }
            try await eventually("it has waited for three times its limit") {
                try await owner.value(
                    "SELECT now() - query_start > interval '3 s' FROM pg_stat_activity WHERE pid = \(first[0])"
                )
            }
            #expect(try await owner.waiting(for: "lock.still").contains(first[0]))
            #expect(try await fixture.status().failure == nil)
            try await erasure.query("COMMIT")
            try await eventually("it is applied") { try await fixture.status().position >= last }
            await erasure.close()
        }
    }

    /// A row of the device, in a table without tokens and in one with them.
    private static let rows = [
        "projection.notification WHERE device_id = 'device-7'",
        "projection.token_event WHERE device_id = 'device-7' AND token = sha256('own')",
    ]

    @Test("while a device of many events is changed, batches of other devices go on, and slices wait", arguments: rows)
    func manyEvents(row: String) async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.erasure_events", to: 20, on: fixture.connection)
            try await fixture.fill(3_000)
            // Its other tokens belong to other devices too.
            try await fixture.append(
                "token",
                #"{"provider": "apns", "type": "alert", "environment": "production", "state": "registered"}"#,
                device: "device-7",
                token: "own"
            )
            try await Settler.settleNow(on: fixture.connection)
            let last = try await fixture.runner().catchUp()
            let running = Task { [runner = fixture.runner()] in await runner.run() }
            defer { running.cancel() }
            // It comes to this row in the midst of its work.
            let holding = try await fixture.database.connect()
            try await holding.execute(script: "BEGIN; SELECT FROM \(row) FOR UPDATE")
            let erasing = Task { [database = fixture.database] in
                try await Erasure(database.configuration).erase("device-7", app: 1)
            }
            try await eventually("the erasure waits for the row") {
                try await fixture.count(
                    """
                    pg_stat_activity WHERE application_name = 'notilog erase' AND wait_event_type = 'Lock'
                      AND datname = current_database()
                    """
                ) == 1
            }
            try await fixture.append(
                "category_registration",
                #"{"categories": [{"id": "c1", "options": ["custom_dismiss_action"]}]}"#
            )
            try await fixture.append("open_settings", "{}")
            let next = try await Settler.settleNow(on: fixture.connection).rawValue
            try await eventually("other devices' events are applied") {
                try await fixture.count("projection.checkpoint WHERE position < \(next)") == 0
            }
            #expect(try await fixture.count("projection.category_walk") == 1)
            #expect(try await fixture.status().position <= last)
            try await holding.query("ROLLBACK")
            #expect(try await erasing.value.events == 61)
            try await eventually("slices go on") { try await fixture.count("projection.category_walk") == 0 }
            running.cancel()
            _ = await running.result
            await holding.close()
            for table in ["log.event", "projection.notification", "projection.device_period", "projection.token_event"]
            {
                #expect(try await fixture.count("\(table) WHERE device_id = 'device-7'") == 0, "\(table)")
            }
            #expect(try await fixture.count("projection.token_event WHERE token = sha256('own')") == 0)
            try await fixture.expectVerified()
        }
    }

    /// What compares each token of a device with each takes minutes here, at whatever speed.
    @Test("a device of 60,000 tokens is erased in time that grows with their number, and no faster")
    func manyTokens() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.connection.query(
                """
                INSERT INTO log.event
                SELECT nextval('log.position'), at, at, at, at, NULL, gen_random_uuid(), 1, 0, 1, false, 'token', 'hoarder', NULL,
                  sha256(n::text::bytea), '{"provider": "apns", "type": "alert", "environment": "production", "state": "registered"}'
                FROM (SELECT n, timestamptz '2026-01-10' AS at FROM generate_series(1, 60000) AS n) e
                """
            )
            let settled = try await Settler.settleNow(on: fixture.connection).rawValue
            // As if they were applied: a device of more than 10,000 has no states of its tokens.
            try await fixture.connection.query(
                """
                INSERT INTO projection.token_event
                SELECT app_id, device_id, token, effective_at, id, 'registered', 'apns', 'alert', '', 'production', ''
                FROM log.event WHERE kind = 'token'
                """
            )
            try await fixture.connection.query("UPDATE projection.checkpoint SET position = $1", [.int8(settled)])
            let begun = ContinuousClock.now
            #expect(try await Erasure(fixture.database.configuration).erase("hoarder", app: 1).events == 60_000)
            let took = ContinuousClock.now - begun
            #expect(took < .seconds(200))
            #expect(try await fixture.count("log.event WHERE token = sha256('1')") == 0)
            #expect(try await fixture.count("projection.token_event WHERE token = sha256('1')") == 0)
        }
    }

    /// Stops batches as an erasure does; gives the SQLSTATE if it could not.
    private static func stop(_ database: TestDatabase) async throws -> String? {
        let session = try await database.connect()
        var state: String?
        do {
            try await session.query("SELECT lock.stop_batches()")
        } catch let error as PostgresError {
            state = error.sqlState
        }
        await session.close()
        return state
    }
}

extension ProjectionFixture {
    /// An event of another device, or of the one given.
    fileprivate func append(
        _ kind: String,
        _ data: String,
        device: String = "other",
        token: String? = nil
    ) async throws {
        try await connection.query(
            """
            INSERT INTO log.event
            SELECT nextval('log.position'), at, at, at, at, NULL, gen_random_uuid(), 1, 0, 1, false, $1, $3, NULL,
              sha256($4::bytea), $2::jsonb
            FROM (SELECT timestamptz '2026-01-10' AS at) e
            """,
            [.text(kind), .text(data), .text(device), .text(token)]
        )
    }
}
