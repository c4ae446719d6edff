import Foundation
import PlainHTTP
import Testing

/// Guarantee 18: those who only hold connections keep nobody out, and whoever watches the service is answered whatever it
/// has to do.
@Suite("Faults: connections", .serialized)
struct ConnectionTests {
    private static func request(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n" }

    private static func post(_ key: String, length: Int) -> String {
        "POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(length)\r\n\r\n"
    }

    private static func allowDescriptors() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, 16_384)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// The status of the first answer on a connection of its own.
    ///
    /// Where thousands connect at once, the kernel drops the end of a handshake and the client sends again after 1, 3, 7 and
    /// 15 s: the limit is beyond these.
    private func status(_ url: String, _ request: String, within limit: Duration = .seconds(30)) async throws -> Int? {
        let client = try RawClient(url)
        await client.send(request)
        return await client.status(within: limit)
    }

    @Test("4,200 idle connections keep out neither another app nor those who watch", .timeLimit(.minutes(5)))
    func idleConnections() async throws {
        Self.allowDescriptors()
        try await ServiceFixture.run { fixture in
            let url = fixture.service.url
            let other = try await TestApp.make("second", in: fixture.database)
            let idle = try (0..<4200).map { _ in try RawClient(url) }
            let body = Sample.action()
            #expect(try await status(url, Self.post(other.write, length: body.utf8.count) + body) == 200)
            for path in ["/readyz", "/healthz", "/metrics"] {
                #expect(try await status(url, Self.request(path)) == 200, "\(path)")
            }
            // Of one address no more than a quarter of the places; those that had waited longest made room.
            let (_, isClosed) = await idle[0].receive(within: .seconds(5), untilClosed: true)
            #expect(isClosed)
            let (_, isLastClosed) = await idle[4199].receive(within: .milliseconds(200), untilClosed: true)
            #expect(!isLastClosed)
            withExtendedLifetime(idle) {}
        }
    }

    @Test("where every place is at work, more is refused, and those who watch are answered", .timeLimit(.minutes(5)))
    func allAtWork() async throws {
        let settings = [
            "http.connections": "16", "http.connections_per_address": "0", "ingest.concurrent_requests": "8",
            // On a busy machine the test takes longer than a body may.
            "http.body_seconds": "300",
        ]
        try await ServiceFixture.run(settings) { fixture in
            let (url, key) = (fixture.service.url, fixture.app.write)
            // Among them the fixture's own, which is idle.
            var working: [RawClient] = []
            let end = ContinuousClock.now + .seconds(120)
            // One that is not yet at work when the next one comes gives way to it: so there are more until one is refused.
            while try await status(url, Self.request("/v1/reports")) != 503 {
                try #require(ContinuousClock.now < end, "a refusal")
                let client = try RawClient(url)
                await client.send(Self.post(key, length: 100) + "[")
                working.append(client)
            }
            let idle = try (0..<200).map { _ in try RawClient(url) }
            for path in ["/readyz", "/healthz", "/metrics"] {
                #expect(try await status(url, Self.request(path)) == 200, "\(path)")
            }
            let refused = try RawClient(url)
            await refused.send(Self.post(key, length: 2) + "[]")
            let (bytes, isClosed) = await refused.receive(within: .seconds(5), untilClosed: true)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(isClosed && text.hasPrefix("HTTP/1.1 503 "), "\(text)")
            #expect(text.contains("\"overloaded\"") && text.lowercased().contains("retry-after: "))
            withExtendedLifetime((idle, working)) {}
        }
    }
}
