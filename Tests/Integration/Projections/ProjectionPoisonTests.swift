import Logging
import Postgres
import Projections
import Testing

/// Promise 8: a poison event stops nothing.
@Suite("Projections: poison")
struct ProjectionPoisonTests {
    /// Refuses the rows of the device `bad`, as a constraint of tomorrow might.
    private static let refusal = """
        CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF NEW.device_id = 'bad' THEN RAISE 'refused' USING ERRCODE = '22023'; END IF;
          RETURN NEW;
        END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON projection.notification FOR EACH ROW EXECUTE FUNCTION public.refuse();
        """

    @Test(
        "one event that fails is set aside once, with its error; everything else is applied; retried after a fix it counts"
    )
    func setAside() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.connection.execute(script: Self.refusal)
            let last = try await fixture.fill(3_000, badEvery: 1_031)
            let bad = try await fixture.connection.query(
                "SELECT position FROM log.event WHERE device_id = 'bad' AND notification_id IS NOT NULL ORDER BY 1"
            ).map { try $0.get(0, as: Int64.self) }
            #expect(bad.count >= 1)
            let running = Task { [runner = fixture.runner()] in await runner.run() }
            defer { running.cancel() }
            try await eventually("the projection goes on past the event") {
                try await fixture.status().position >= last
            }
            let events = try await fixture.checkpoints.setAside()
            #expect(events.map(\.position) == bad)
            #expect(events.allSatisfy { $0.sqlState == "22023" && $0.error.contains("22023") && $0.attempts == 1 })
            let status = try await fixture.status()
            #expect(status.failure == nil)
            #expect(status.setAside == Int64(bad.count))
            #expect(try await fixture.status("device_token").setAside == 0)
            #expect(try await fixture.count("projection.notification WHERE device_id = 'bad'") == 0)

            let early = try await fixture.checkpoints.retry(projection: "engagement")
            #expect(early.applied == 0)
            #expect(early.failed.map(\.attempts) == bad.map { _ in 2 })
            #expect(try await fixture.verify().isEqual == false, "a rebuild has no such trigger")

            try await fixture.connection.query("DROP TRIGGER refuse ON projection.notification")
            let late = try await fixture.checkpoints.retry(projection: "notification")
            #expect(late.applied == bad.count)
            #expect(try await fixture.status().setAside == 0)
            try await fixture.expectVerified()
        }
    }

    @Test("a device that is read again from the log is read without what was set aside, and as far as it is applied")
    func readAgain() async throws {
        try await ProjectionFixture.with { fixture in
            let log = fixture.connection
            func settings(_ status: String, _ hour: Int) async throws {
                try await log.query(
                    """
                    INSERT INTO log.event
                    SELECT nextval('log.position'), '2026-01-10', t, t, NULL, NULL, gen_random_uuid(), 1, 0, 1, false, 'settings',
                      'd', NULL, NULL, jsonb_build_object('authorization_status', $1)
                    FROM (SELECT timestamptz '2026-01-09' + $2 * interval '1 hour' AS t) t
                    """,
                    [.text(status), .int4(Int32(hour))]
                )
            }
            let runner = fixture.runner(batch: 1)
            try await settings("authorized", 1)
            try await settings("authorized", 9)
            try await runner.catchUp()
            // Refused for a while: a change in the midst of the period.
            try await log.execute(
                script: """
                    ALTER TABLE projection.device_period ADD CONSTRAINT only_one CHECK (value->>'authorization_status' <> 'denied')
                    """
            )
            try await settings("denied", 4)
            try await settings("authorized", 20)
            try await settings("provisional", 15)
            try await runner.catchUp()
            #expect(try await fixture.checkpoints.setAside().map(\.position) == [3])
            #expect(try await fixture.count("projection.device_period") == 3)
            try await log.query("ALTER TABLE projection.device_period DROP CONSTRAINT only_one")
            #expect(try await fixture.checkpoints.retry(projection: "device_period").applied == 1)
            #expect(try await fixture.count("projection.device_period") == 5)
            try await fixture.expectVerified()
        }
    }

    @Test("what fails without any event is no event's fault: held, and nothing set aside; mended, it goes on")
    func outage() async throws {
        try await ProjectionFixture.with { fixture in
            let last = try await fixture.fill(300)
            try await fixture.connection.query("ALTER TABLE projection.notification RENAME TO gone")
            let running = Task { [runner = fixture.runner()] in await runner.run() }
            defer { running.cancel() }
            try await eventually("the failure is recorded") { try await fixture.status().failure != nil }
            #expect(try await fixture.status().state == "failing")
            try await eventually("others go on") { try await fixture.status("device_token").position >= last }
            #expect(try await fixture.checkpoints.setAside().isEmpty)
            #expect(try await fixture.status().position == 0)
            try await fixture.connection.query("ALTER TABLE projection.gone RENAME TO notification")
            try await eventually("it goes on") { try await fixture.status().position >= last }
            #expect(try await fixture.status().failure == nil)
            try await fixture.expectVerified()
        }
    }

    @Test("what fails once, and not when it is tried again, is no event's fault: nothing is set aside")
    func failsOnce() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.connection.execute(
                script: """
                    CREATE SEQUENCE public.tries;
                    CREATE FUNCTION public.refuse_once() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                      IF nextval('public.tries') = 1 THEN RAISE 'refused once' USING ERRCODE = '22023'; END IF;
                      RETURN NEW;
                    END $$;
                    CREATE TRIGGER refuse_once BEFORE INSERT ON projection.notification
                      FOR EACH ROW EXECUTE FUNCTION public.refuse_once();
                    """
            )
            let last = try await fixture.fill(5)
            try await fixture.runner(batch: 1).catchUp()
            #expect(try await fixture.connection.value("SELECT last_value > 1 FROM public.tries", as: Bool.self))
            #expect(try await fixture.checkpoints.setAside().isEmpty)
            #expect(try await fixture.status().position >= last)
            try await fixture.expectVerified()
        }
    }

    @Test("where one event after another fails alike it is held, and not all of them set aside")
    func tooMany() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.connection.execute(script: Self.refusal)
            let last = try await fixture.fill(200, badEvery: 1)
            await #expect(throws: PostgresError.self) { try await fixture.runner().catchUp() }
            let events = try await fixture.checkpoints.setAside()
            #expect(events.count == 20)
            let position = try await fixture.status().position
            #expect(position < last)
            // Nor is it tried for ever: it stays where it was held.
            await #expect(throws: PostgresError.self) { try await fixture.runner().catchUp() }
            #expect(try await fixture.status().position == position)
            try await fixture.connection.query("DROP TRIGGER refuse ON projection.notification")
            try await fixture.runner().catchUp()
            #expect(try await fixture.status().position == last)
            #expect(try await fixture.checkpoints.retry(projection: "notification").applied == 20)
            try await fixture.expectVerified()
        }
    }

    @Test("a rebuild that meets the event goes on, and reports it")
    func rebuildReports() async throws {
        try await ProjectionFolder.with { folder in
            try folder.append(
                """

                ALTER TABLE notification ADD CONSTRAINT refused CHECK (requested_at <> '2026-01-05T00:01:19Z');
                """,
                to: "projections/notification/table.sql"
            )
            try await ProjectionFixture.with(folder: folder.sql) { fixture in
                try await fixture.fill(500)
                try await fixture.runner().catchUp()
                #expect(try await fixture.checkpoints.setAside().isEmpty)
                let report = try await fixture.rebuild("engagement", batch: 100).run { _ in }
                #expect(
                    Set(report.projections).isSuperset(of: ["category", "device_period", "notification", "engagement"])
                )
                #expect(report.setAside.map(\.position) == [79])
                #expect(try await fixture.checkpoints.setAside().map(\.position) == [79])
                #expect(try await fixture.status().position == 500)
            }
        }
    }

    @Test("an event is applied again in a session that gives way as a batch does, where its process is frozen")
    func retriesAsABatch() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.connection.execute(script: Self.refusal)
            try await fixture.fill(3_000, badEvery: 1_031)
            try await fixture.runner().catchUp()
            let setAside = Int(try await fixture.status().setAside)
            try #require(setAside >= 1)
            let holder = try await fixture.database.connect()
            try await holder.execute(script: "BEGIN; LOCK TABLE projection.notification IN SHARE MODE")
            let retrying = Task { try await fixture.checkpoints.retry(projection: "notification") }
            // What `lock.end_stalled` looks for.
            try await eventually("it waits, under the name of batches") {
                try await fixture.count(
                    """
                    pg_stat_activity WHERE datname = current_database() AND application_name = 'notilog projections'
                      AND wait_event_type = 'Lock'
                    """
                ) == 1
            }
            try await holder.query("ROLLBACK")
            #expect(try await retrying.value.failed.count == setAside)
            await holder.close()
        }
    }
}
