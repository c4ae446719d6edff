import PlainHTTP
import Postgres
import Testing

/// Whoever leaves before the answer costs those who stay nothing.
@Suite("Faults: clients that hang up", .serialized)
struct HangUpTests {
    @Test("a report ends when its client hangs up, and the key's next report is made at once", .timeLimit(.minutes(2)))
    func report() async throws {
        try await ServiceFixture.run { fixture in
            let blocker = try await fixture.database.connect()
            try await blocker.query("BEGIN")
            try await blocker.query("LOCK TABLE projection.engagement IN ACCESS EXCLUSIVE MODE", cached: false)
            let waiting = """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'FETCH %'
                """
            let head = "Host: x\r\nAuthorization: Bearer \(fixture.app.read)"
            var leaving: [RawClient] = []
            for _ in 0..<2 {
                let client = try RawClient(fixture.service.url)
                await client.send("GET /v1/reports/engagement HTTP/1.1\r\n\(head)\r\n\r\n")
                leaving.append(client)
            }
            try await eventually("reports that hang", within: .seconds(60)) { try await fixture.number(waiting) == 2 }
            // These are all that the key may have made: another waits ten seconds, then is refused.
            leaving = []
            // After 30 s the lock that they wait for would end them.
            try await eventually("their end", within: .seconds(20)) { try await fixture.number(waiting) == 0 }
            let next = try await within(.seconds(9), "the next report") {
                try await fixture.client.get("/v1/reports/tokens", key: fixture.app.read)
            }
            #expect(next.status == 200)
            try await blocker.query("ROLLBACK")
            await blocker.close()
        }
    }
}
