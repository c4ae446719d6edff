import Foundation
import PlainHTTP
import Testing

private let environment = ProcessInfo.processInfo.environment
private let fuzzSeconds = environment["NOTILOG_FUZZ_SECONDS"].flatMap { Int($0) }

/// Bytes that are nearly requests, and bytes that are none: the service answers or hangs up, never fails, and serves the
/// next one. `NOTILOG_FUZZ_SECONDS` makes it run that long, from a new seed unless `NOTILOG_FUZZ_SEED` gives one.
@Suite("Faults: HTTP fuzzing", .serialized)
struct HTTPFuzzTests {
    private static let workers = 6

    @Test("hostile requests", .timeLimit(.minutes((fuzzSeconds ?? 0) / 60 + 3)))
    func hostileRequests() async throws {
        let given = environment["NOTILOG_FUZZ_SEED"].flatMap { UInt64($0) }
        let seed = given ?? (fuzzSeconds == nil ? 1 : UInt64.random(in: 1...999_999))
        try await ServiceFixture.run(["http.body_seconds": "2", "log.level": "info"]) { fixture in
            let samples = HTTPFuzzer.samples(fixture.app)
            let end = fuzzSeconds.map { ContinuousClock.now + .seconds($0) }
            let statuses = Shared<[Int: Int]>([:])
            let failures = Shared<[String]>([])
            let url = fixture.service.url
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<Self.workers {
                    group.addTask {
                        var fuzzer = HTTPFuzzer(seed: seed &+ UInt64(worker), samples: samples)
                        var count = 0
                        while end.map({ ContinuousClock.now < $0 }) ?? (count < 60) {
                            count += 1
                            let bytes = fuzzer.next()
                            guard let client = try? RawClient(url) else {
                                failures.withLock { $0.append("nobody answers, seed \(seed)") }
                                return
                            }
                            await client.send(bytes, within: .seconds(1))
                            client.finish()
                            let status = await client.status(within: .milliseconds(400))
                            statuses.withLock { $0[status ?? 0, default: 0] += 1 }
                            if status == 500 || status == 502 {
                                let text = String(decoding: bytes.prefix(600), as: UTF8.self)
                                failures.withLock {
                                    $0.append("seed \(seed): \(status ?? 0) for \(text.debugDescription)")
                                }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let found = failures.withLock { $0 }
            if fuzzSeconds != nil { print("fuzzed from seed \(seed): \(statuses.withLock { $0 })") }
            #expect(found.isEmpty, "\(found.prefix(5).joined(separator: "\n"))\n\(fixture.service.log.suffix(3000))")
            #expect(
                statuses.withLock { $0.count } > 3,
                "requests must get beyond the parser, or this test shows nothing"
            )
            // A connection of before would have been idle for as long as this went on, and hung up on.
            let client = try await ServiceClient.connect(url)
            #expect(try await client.get("/healthz").status == 200)
            let answer = try await client.post(Sample.action(device: "after"), key: fixture.app.write)
            #expect(answer.status == 200)
            await client.connection.close()
            #expect(!fixture.service.log.contains(fixture.app.write), "no key in the log")
        }
    }
}

/// Makes bytes out of requests that are in order.
struct HTTPFuzzer: Sendable {
    private var random: LawRandom
    private let samples: [[UInt8]]

    init(seed: UInt64, samples: [[UInt8]]) {
        random = LawRandom(seed: seed)
        self.samples = samples
    }

    /// One request in order for each thing that the service does.
    static func samples(_ app: TestApp) -> [[UInt8]] {
        func request(_ line: String, _ key: String, _ fields: [String] = [], _ body: String? = nil) -> [UInt8] {
            var lines = ["\(line) HTTP/1.1", "Host: localhost", "Authorization: Bearer \(key)"] + fields
            if let body { lines.append("Content-Length: \(body.utf8.count)") }
            return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")).utf8)
        }
        let json = "Content-Type: application/json"
        let event = Sample.action(
            device: "fuzz",
            more: #","context":{"platform":"ios"},"attributes":{"a":[1,2.5e3,"ü"]}"#
        )
        let gets = [
            "/v1/reports", "/v1/reports/engagement?by=category&interval=day&tz=Europe/Berlin&window=P1D",
            "/v1/reports/actions?from=2026-01-01&to=2026-02-01&category=a&format=csv",
            "/v1/reports/settings?interval=week", "/v1/reports/tokens?min_position=0", "/v1/devices/fuzz",
            "/v1/devices/fuzz/events?limit=3&cursor=0", "/v1/notifications/fuzz/n1", "/healthz", "/readyz", "/metrics",
        ]
        let posts: [[UInt8]] = [
            request("POST /v1/events", app.write, [json], event),
            request("POST /v1/events?results=all", app.write, [json], "[\(event),\(event),{}]"),
            request("POST /v1/events", app.provider, ["Content-Type: application/x-ndjson"], "\(event)\n\(event)\n"),
            request("POST /v1/events", app.write, [json, "Notilog-Sent-At: 2026-03-01T08:30:00.250Z"], event),
            request("POST /v1/events", app.write, [json, "Content-Encoding: gzip"], "\u{1F}\u{8B}\u{08}"),
            request("POST /v1/events", app.write, [json, "Expect: 100-continue"], event),
            Array(
                ("POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(app.write)\r\n\(json)\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n0\r\n\r\n")
                    .utf8
            ),
            request("DELETE /v1/devices/nobody", app.read), request("OPTIONS *", app.read),
        ]
        return gets.map { request("GET \($0)", app.read) } + posts
    }

    private static let pieces = [
        "%00", "%", "%ZZ", "%C3", "..", "/", "//", "?", "&", "=", ";", "\r\n", "\n", "\r", "\0", " ", "\t", "\u{7F}",
        "\u{FFFD}",
        "-1", "0", "9223372036854775807", "9223372036854775808", "1e309", "null", "true", "{", "}", "[", "]", "\"",
        "\\",
        "\\u0000", "\\ud800", "P1D", "P-1D", "9999-12-31T23:59:59Z", "0000-00-00", "Europe/Berlin", "''", "$1", "--",
        "ü", "🎉",
        "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Host: y\r\n", "HTTP/1.0", "HTTP/2.0", "CONNECT",
    ]

    mutating func next() -> [UInt8] {
        if random.chance(4) {
            return (0..<Int.random(in: 0..<300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        var bytes = random.one(of: samples)
        if random.chance(10) { bytes += random.one(of: samples) }
        for _ in 0..<Int.random(in: 0...5, using: &random) { mutate(&bytes) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let length = min(Int.random(in: 1...24, using: &random), bytes.count - place)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(place..<place + length)
        case 2: bytes.insert(contentsOf: Array(random.one(of: Self.pieces).utf8), at: place)
        case 3: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
        case 4: bytes.removeSubrange(place...)
        case 5:
            let other = random.one(of: samples)
            bytes.replaceSubrange(place..<place + length, with: other.prefix(length * 2))
        case 6:
            let piece = Array(random.one(of: Self.pieces).utf8)
            for _ in 0..<Int.random(in: 1...200, using: &random) { bytes.insert(contentsOf: piece, at: place) }
        default:
            // Somewhere in the target of the request, where most meaning lies.
            let end = bytes.firstIndex(of: 13) ?? bytes.count
            bytes.insert(
                contentsOf: Array(random.one(of: Self.pieces).utf8),
                at: Int.random(in: 0...end, using: &random)
            )
        }
    }
}
