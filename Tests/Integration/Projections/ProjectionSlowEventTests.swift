import Postgres
import Projections
import Testing

/// Promise 8, of an event that fails by never coming to an end: a batch that is not done in its time is narrowed until what is
/// at fault is known.
@Suite("Projections: events that take too long")
struct ProjectionSlowEventTests {
    /// Longer than any test would wait.
    private static func stall(_ condition: String) -> String {
        """
        CREATE FUNCTION public.stall() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF \(condition) THEN PERFORM pg_sleep(3600); END IF;
          RETURN NEW;
        END $$;
        CREATE TRIGGER stall BEFORE INSERT ON projection.notification FOR EACH ROW EXECUTE FUNCTION public.stall();
        """
    }

    @Test("events of one device that take for ever are set aside, and nothing else is; applied after all, they count")
    func setAside() async throws {
        try await ProjectionFixture.with { fixture in
            let last = try await fixture.fill(400, badEvery: 37)
            try await fixture.connection.execute(script: Self.stall("NEW.device_id = 'bad'"))
            let running = Task {
                [runner = fixture.runner(batch: 100, timeLimit: .seconds(3), eventTimeLimit: .seconds(2))] in
                await runner.run()
            }
            defer { running.cancel() }
            try await eventually("the projection goes on past the device", within: .seconds(180)) {
                try await fixture.status().position >= last
            }
            let events = try await fixture.checkpoints.setAside()
            #expect(events.count > 1)
            #expect(events.allSatisfy { $0.sqlState == "57014" && $0.attempts == 1 })
            let others = try await fixture.count(
                "projection.set_aside JOIN log.event USING (position) WHERE device_id <> 'bad'"
            )
            #expect(others == 0)
            #expect(try await fixture.status().failure == nil)
            #expect(try await fixture.count("projection.notification WHERE device_id = 'bad'") == 0)

            try await fixture.connection.query("DROP TRIGGER stall ON projection.notification")
            #expect(try await fixture.checkpoints.retry(projection: "notification").applied == events.count)
            try await fixture.expectVerified()
        }
    }

    @Test("where everything takes too long no event is at fault: held, and nothing set aside; mended, it goes on")
    func slowForAll() async throws {
        try await ProjectionFixture.with { fixture in
            let last = try await fixture.fill(40)
            try await fixture.connection.execute(script: Self.stall("true"))
            let running = Task { [runner = fixture.runner(timeLimit: .seconds(3), eventTimeLimit: .seconds(2))] in
                await runner.run()
            }
            defer { running.cancel() }
            try await eventually("the failure is recorded") { try await fixture.status().failure != nil }
            #expect(try await fixture.checkpoints.setAside().isEmpty)
            try await fixture.connection.query("DROP TRIGGER stall ON projection.notification")
            try await eventually("it goes on") { try await fixture.status().position >= last }
            #expect(try await fixture.checkpoints.setAside().isEmpty)
            try await fixture.expectVerified()
        }
    }

    @Test("a lock wait or a cancelled statement is no event's fault")
    func locksAndCancels() async throws {
        try await ProjectionFixture.with { fixture in
            let last = try await fixture.fill(40)
            let holder = try await fixture.database.connect()
            try await holder.query("BEGIN")
            try await holder.query("LOCK TABLE projection.notification IN ACCESS EXCLUSIVE MODE")
            let running = Task { [runner = fixture.runner(timeLimit: .seconds(3), eventTimeLimit: .seconds(2))] in
                await runner.run()
            }
            defer { running.cancel() }
            for _ in 1...3 {
                try await eventually("a batch waits for the lock") {
                    try await fixture.count(
                        "(SELECT pid FROM pg_stat_activity WHERE application_name = 'notilog projections'"
                            + " AND datname = current_database() AND wait_event_type = 'Lock' OFFSET 0) b"
                            + " WHERE pg_cancel_backend(pid)"
                    ) > 0
                }
            }
            try await eventually("a cancelled batch is recorded") {
                try await fixture.status().failure?.contains("57014") == true
            }
            #expect(try await fixture.checkpoints.setAside().isEmpty)
            try await holder.query("ROLLBACK")
            await holder.close()
            try await eventually("it goes on") { try await fixture.status().position >= last }
            #expect(try await fixture.checkpoints.setAside().isEmpty)
            try await fixture.expectVerified()
        }
    }
}
