import Administration
import Foundation
import NotificationEvents
import PlainHTTP
import Postgres
import Testing

/// Guarantees 9 and 18: those who hardly take their answers cost the service little memory, and others nothing.
@Suite("Faults: slow readers", .serialized)
struct SlowReaderTests {
    private static func request(_ path: String, key: String) -> String {
        "GET \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n\r\n"
    }

    private static func dearest(limit: Int = 3_000) -> String {
        "/v1/reports/engagement?by=category&limit=\(limit)&from=2026-03-10&to=2026-03-11&format=json"
    }

    /// Made-up categories of a notification each, straight in the rollup.
    private func makeUpCategories(_ count: Int, _ fixture: ServiceFixture) async throws {
        let columns = try await fixture.text(
            """
            SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum)
            FROM pg_attribute WHERE attrelid = 'projection.engagement'::regclass AND attnum > 6 AND NOT attisdropped
            """
        )
        let names = try #require(columns)
        let ones = names.split(separator: ",").map { _ in "1" }.joined(separator: ", ")
        _ = try await fixture.number(
            """
            WITH made AS (
              INSERT INTO projection.engagement (app_id, dimension, grain, bucket, category, value, \(names))
              SELECT \(fixture.app.id), '', 'day', '2026-03-10', 'made up ' || n, '', \(ones)
              FROM generate_series(1, \(count)) n
              RETURNING 1
            ) SELECT count(*) FROM made
            """
        )
    }

    @Test(
        "an app whose reports hang, by however many keys, leaves half of the connections to others",
        .timeLimit(.minutes(2))
    )
    func hangingReports() async throws {
        try await ServiceFixture.run { fixture in
            let other = try await TestApp.make("second", in: fixture.database)
            let blocker = try await fixture.database.connect()
            try await blocker.query("BEGIN")
            try await blocker.query("LOCK TABLE projection.engagement IN ACCESS EXCLUSIVE MODE", cached: false)
            var hanging: [RawClient] = []
            for key in [fixture.app.read, fixture.app.admin, fixture.app.read, fixture.app.admin] {
                let client = try RawClient(fixture.service.url)
                await client.send(Self.request("/v1/reports/engagement", key: key))
                hanging.append(client)
            }
            let waiting = """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'FETCH %'
                """
            try await eventually("reports that hang", within: .seconds(60)) { try await fixture.number(waiting) >= 2 }
            for _ in 0..<8 {
                let answer = try await within(.seconds(4), "another app's report") {
                    try await fixture.client.get("/v1/reports/tokens", key: other.read)
                }
                #expect(answer.status == 200)
            }
            #expect(try await fixture.number(waiting) == 2)
            try await blocker.query("ROLLBACK")
            await blocker.close()
            for client in hanging { #expect(await client.begins(within: .seconds(30)) == "HTTP/1.1 200 OK") }
        }
    }

    @Test(
        "an app with two slow readers on each of sixteen keys leaves half of the reports to others",
        .timeLimit(.minutes(3))
    )
    func keysOfOneApp() async throws {
        try await ServiceFixture.run { fixture in
            try await makeUpCategories(10_000, fixture)
            let other = try await TestApp.make("second", in: fixture.database)
            let pool = Pool(fixture.database.configuration, limit: 1)
            var keys: [String] = []
            for _ in 0..<16 {
                keys.append(try await Administration(pool).createKey(app: fixture.app.name, scope: .read).text)
            }
            await pool.shutDown()
            var slow: [RawClient] = []
            for key in keys + keys {
                let client = try RawClient(fixture.service.url)
                await client.send(Self.request(Self.dearest(limit: 10_000), key: key))
                slow.append(client)
            }
            let quick = try await within(.seconds(30), "another app's report") {
                try await fixture.client.get("/v1/reports/tokens", key: other.read)
            }
            #expect(quick.status == 200)
            var begun: [String: Int] = [:]
            for client in slow { begun[await client.begins(within: .seconds(60)), default: 0] += 1 }
            // No more than half of the 32 were begun; those that waited ten seconds were refused.
            #expect((1...16).contains(begun["HTTP/1.1 200 OK", default: 0]), "\(begun)")
            #expect(Set(begun.keys) == ["HTTP/1.1 200 OK", "HTTP/1.1 429 Too Many Requests"])
        }
    }

    /// A table that an app's requests hang at, who they are, and what another app gets meanwhile.
    enum Hanging: CaseIterable {
        case pages, annotations

        var table: String {
            switch self {
            case .pages: "projection.device_token"
            case .annotations: "notilog.annotation"
            }
        }

        var paths: [String] {
            switch self {
            case .pages:
                ["/v1/devices/d", "/v1/devices/d", "/v1/devices/d", "/v1/devices/d"]
            case .annotations: ["/v1/annotations", "/v1/annotations", "/v1/annotations", "/v1/annotations"]
            }
        }

        var waiting: Int64 { self == .pages ? 2 : 1 }
    }

    @Test(
        "an app whose pages or annotations hang leaves connections to others",
        .timeLimit(.minutes(2)),
        arguments: Hanging.allCases
    )
    func hanging(_ what: Hanging) async throws {
        try await ServiceFixture.run { fixture in
            let other = try await TestApp.make("second", in: fixture.database)
            let known = try await fixture.client.post(Sample.action(device: "d"), key: fixture.app.write)
            #expect(try known.events.accepted == 1)
            try #require(try await fixture.caughtUp())
            let blocker = try await fixture.database.connect()
            try await blocker.query("BEGIN")
            try await blocker.query("LOCK TABLE \(what.table) IN ACCESS EXCLUSIVE MODE", cached: false)
            var clients: [RawClient] = []
            for path in what.paths {
                let client = try RawClient(fixture.service.url)
                await client.send(Self.request(path, key: fixture.app.admin))
                clients.append(client)
            }
            let waiting = """
                SELECT count(DISTINCT l.pid) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                WHERE NOT l.granted AND a.application_name = 'notilog serve' AND a.datname = current_database()
                """
            try await eventually("requests that hang", within: .seconds(5)) {
                try await fixture.number(waiting) >= what.waiting
            }
            for _ in 0..<4 {
                for path in ["/v1/reports/engagement", "/v1/views"] {
                    let answer = try await within(.seconds(4), "another app's answer") {
                        try await fixture.client.get(path, key: other.read)
                    }
                    #expect(answer.status == 200)
                }
                if what == .annotations {
                    // Quarantine has connections of its own.
                    let refused = try await fixture.client.post(Sample.action(at: "yesterday"), key: other.write)
                    #expect(refused.status == 422)
                }
            }
            #expect(try await fixture.number(waiting) == what.waiting)
            try await blocker.query("ROLLBACK")
            await blocker.close()
            withExtendedLifetime(clients) {}
        }
    }

    @Test(
        "sixteen who stop reading the dearest report keep nobody's waiting, in bounded memory",
        .timeLimit(.minutes(5))
    )
    func reports() async throws {
        try await ServiceFixture.run(["reports.per_key": "16"]) { fixture in
            try await makeUpCategories(10_000, fixture)
            let other = try await TestApp.make("second", in: fixture.database)
            var slow: [RawClient] = []
            for _ in 0..<16 {
                let client = try RawClient(fixture.service.url)
                await client.send(Self.request(Self.dearest(), key: fixture.app.read))
                #expect(await client.begins(within: .seconds(60)) == "HTTP/1.1 200 OK")
                slow.append(client)
            }
            let quick = try await within(.seconds(20), "another app's report") {
                try await fixture.client.get("/v1/reports/engagement", key: other.read)
            }
            #expect(quick.status == 200)
            // Nobody's connection to the database is held by an answer.
            #expect(
                try await fixture.eventually(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND state = 'idle in transaction' AND query LIKE 'FETCH %'
                    """,
                    is: 0
                )
            )
            print("sixteen slow readers of a report: peak \(fixture.service.peakMegabytes) MiB")
            #expect(fixture.service.peakMegabytes < OverloadTests.memoryBound)
            // Behind them, who takes the answer has all of it.
            let (reader, deadline) = (try RawClient(fixture.service.url), ContinuousClock.now + .seconds(60))
            await reader.send(Self.request(Self.dearest(), key: fixture.app.admin))
            var end = ""
            while !end.hasSuffix("\r\n0\r\n\r\n"), ContinuousClock.now < deadline {
                let (bytes, _) = await reader.receive(within: .seconds(5))
                end = String((end + String(decoding: bytes, as: UTF8.self)).suffix(64))
            }
            #expect(end.hasSuffix("\r\n0\r\n\r\n"), "\(end)")
            withExtendedLifetime(slow) {}
        }
    }
}
