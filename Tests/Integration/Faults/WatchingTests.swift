import EventLog
import PlainHTTP
import Postgres
import Testing

/// Anybody may ask for health and metrics, as often as they like: that costs the database one look at a time, and
/// ingest nothing.
@Suite("Faults: those who watch")
struct WatchingTests {
    /// Sessions that wait for the table which says what migrations were applied, as looks at readiness do.
    private static let waiting = """
        SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'migration.applied'::regclass
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """

    @Test("looks that wait for the database keep no rejected item out of quarantine", .timeLimit(.minutes(5)))
    func quarantine() async throws {
        try await ServiceFixture.run { fixture in
            let (client, key, url) = (fixture.client, fixture.app.write, fixture.service.url)
            let owner = try await fixture.database.connect()
            try await owner.query("BEGIN")
            try await owner.query("LOCK TABLE migration.applied IN ACCESS EXCLUSIVE MODE", cached: false)
            let looks = (0..<24).map { number in
                Task {
                    let client = try await ServiceClient.connect(url)
                    let status = try await client.get(number % 2 == 0 ? "/readyz" : "/metrics").status
                    await client.connection.close()
                    return status
                }
            }
            try await eventually("a look that waits", within: .seconds(60)) {
                try await fixture.number(Self.waiting) > 0
            }
            let mixed = "[\(Sample.action()),{\"kind\":\"no such kind\"}]"
            let answer = try await within(.seconds(3), "an answer") { try await client.post(mixed, key: key) }
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try answer.events.rejected == 1)
            #expect(try await fixture.number("SELECT count(*) FROM log.quarantine") == 1)
            #expect(try await fixture.number(Self.waiting) <= 1, "one looks for all")

            try await owner.query("ROLLBACK")
            for look in looks {
                // Where this machine took its time, the look was ended by its own timeout.
                let status = try await within(.seconds(30), "the end of a look") { try await look.value }
                #expect([200, 503].contains(status))
            }
            try await eventually("a service that is ready again", within: .seconds(60)) {
                try await client.get("/readyz").status == 200
            }
            await owner.close()
        }
    }

    /// A probe waits for some seconds, and Prometheus for ten: they would see no answer instead of a bad one.
    @Test("a database that does not answer is said in time", .timeLimit(.minutes(5)))
    func inTime() async throws {
        try await ServiceFixture.run { fixture in
            let (client, url) = (fixture.client, fixture.service.url)
            #expect(try await client.get("/metrics").text.contains("notilog_database_up 1"))
            let owner = try await fixture.database.connect()
            try await owner.query("BEGIN")
            try await owner.query("LOCK TABLE migration.applied IN ACCESS EXCLUSIVE MODE", cached: false)
            // What was found before counts for a second.
            try await ContinuousClock().sleep(for: .seconds(1.1))
            let started = ContinuousClock.now
            let look = Task {
                let client = try await ServiceClient.connect(url)
                let answer = try await client.get("/readyz")
                await client.connection.close()
                return answer
            }
            try await eventually("a look that waits", within: .seconds(60)) {
                try await fixture.number(Self.waiting) > 0
            }
            let metrics = try await client.get("/metrics")
            #expect(metrics.status == 200 && metrics.text.contains("notilog_database_up 0"))
            let ready = try await look.value
            #expect(ready.status == 503 && ready.text.contains("the database does not answer"), "\(ready.text)")
            // Both waited at the same time; the rest is for a busy machine.
            #expect(started.duration(to: .now) < .seconds(6))
            try await owner.query("ROLLBACK")
            try await eventually("a service that is ready again", within: .seconds(60)) {
                try await client.get("/readyz").status == 200
            }
            try await eventually("metrics of now", within: .seconds(60)) {
                try await client.get("/metrics").text.contains("notilog_database_up 1")
            }
            await owner.close()
        }
    }
}
