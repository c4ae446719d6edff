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
            try await eventually(within: .seconds(60), "a look that waits") {
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
            try await eventually(within: .seconds(60), "a service that is ready again") {
                try await client.get("/readyz").status == 200
            }
            await owner.close()
        }
    }

    /// Finds 1, 2 and so on, each after a while.
    private func counting(keptFor lifetime: Duration) -> Recent<Int> {
        let looks = Shared(0)
        return Recent(for: lifetime) {
            try? await ContinuousClock().sleep(for: .milliseconds(200))
            return looks.withLock { looks in
                looks += 1
                return looks
            }
        }
    }

    @Test("those who ask at once share one look, whose finding is kept")
    func oneLook() async throws {
        let recent = counting(keptFor: .seconds(60))
        let found = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await recent.value() } }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(found == [1])
        #expect(try await recent.value() == 1)
    }

    @Test("what is kept no more is looked for again")
    func anotherLook() async throws {
        let recent = counting(keptFor: .zero)
        #expect(try await recent.value() == 1)
        #expect(try await recent.value() == 2)
    }

    @Test("a caller that leaves does so at once, and the others are answered")
    func cancelled() async throws {
        let gate = Shared(false)
        let recent = Recent<Int>(for: .seconds(60)) {
            while !gate.withLock({ $0 }) { try? await ContinuousClock().sleep(for: .milliseconds(5)) }
            return 1
        }
        // The first one, for whom the look was begun, is the one that leaves.
        let first = Task { try await recent.value() }
        try await eventually(within: .seconds(60), "the first one waits") { await recent.waiting == 1 }
        let second = Task { try await recent.value() }
        try await eventually(within: .seconds(60), "the second one waits") { await recent.waiting == 2 }
        first.cancel()
        await #expect(throws: CancellationError.self) {
            try await within(.seconds(10), "the end of the one who left") { try await first.value }
        }
        gate.withLock { $0 = true }
        #expect(try await within(.seconds(10), "an answer for the other") { try await second.value } == 1)
    }
}
