import Foundation
import PlainHTTP
import Postgres
import PrivatePostgres
import Testing

/// Guarantee 9: overload sheds load instead of memory, slow and hostile clients keep nobody out, and all is well again by
/// itself when their cause is gone.
@Suite("Faults: overload", .serialized)
struct OverloadTests {
    /// The most resident memory that a service with its standard settings takes, whatever is sent to it, in MiB.
    static let memoryBound = 320

    private static func head(_ key: String, _ fields: String) -> String {
        "POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\nContent-Type: application/json\r\n\(fields)\r\n"
    }

    @Test("a service that is ready gives back the code that its start needed", .timeLimit(.minutes(15)))
    func codeOfTheStart() async throws {
        try await ServiceFixture.run { fixture in
            try await eventually("less memory than the start took", within: .seconds(10)) {
                fixture.service.residentMegabytes + 6 < fixture.service.peakMegabytes
            }
        }
    }

    @Test("load above capacity is turned away with 503, in bounded memory, and passes", .timeLimit(.minutes(15)))
    func aboveCapacity() async throws {
        try await ServiceFixture.run { fixture in
            let blocker = try await fixture.database.connect()
            try await blocker.query("BEGIN")
            // Nothing can be stored: the whole load has to be held or turned away.
            try await blocker.query("LOCK TABLE log.identity IN ACCESS EXCLUSIVE MODE")
            let url = fixture.service.url
            let key = fixture.app.write
            let padding = String(repeating: "x", count: 900)
            let events = (0..<2000).map {
                Sample.action(device: "d\($0)", notification: "n", more: #","attributes":{"padding":"\#(padding)"}"#)
            }
            let body = Array("[\(events.joined(separator: ","))]".utf8)
            let load = Task {
                await withTaskGroup(of: [Int].self) { group in
                    for _ in 0..<80 {
                        group.addTask {
                            var statuses: [Int] = []
                            guard let client = try? await ServiceClient.connect(url) else { return [0] }
                            let answer = try? await client.post(bytes: body, key: key)
                            await client.connection.close()
                            if answer?.status == 503, answer?.headers["retry-after"] == nil { statuses.append(-1) }
                            return statuses + [answer?.status ?? 0]
                        }
                    }
                    return await group.reduce(into: [Int]()) { $0 += $1 }
                }
            }
            let statuses = try await within(.seconds(90), "every answer under overload") { await load.value }
            #expect(statuses.allSatisfy { $0 == 503 }, "\(Set(statuses))")
            let peak = fixture.service.peakMegabytes
            print("overload: \(statuses.count) requests of \(body.count) bytes, peak \(peak) MiB")
            #expect(peak > 0 && peak < Self.memoryBound)
            try await blocker.query("ROLLBACK")
            await blocker.close()
            // By itself, and at once.
            let client = fixture.client
            try await eventually("an acknowledgement after the overload", within: .seconds(60)) {
                try await client.post(Sample.action(notification: "after"), key: key).status == 200
            }
        }
    }

    @Test("a thousand idle connections, and slow bodies beside them, keep nobody out", .timeLimit(.minutes(15)))
    func idleAndSlow() async throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, 16_384)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let settings = ["http.body_seconds": "4", "http.idle_seconds": "6", "http.connections_per_address": "0"]
        try await ServiceFixture.run(settings) { fixture in
            let url = fixture.service.url
            let key = fixture.app.write
            let idle = try (0..<1000).map { _ in try RawClient(url) }
            // More of them than requests are worked on at a time; each announces a large body and sends little of it.
            let slow = try (0..<600).map { _ in try RawClient(url) }
            for client in slow {
                await client.send(Self.head(key, "Content-Length: 4000000\r\n") + "[")
            }
            for number in 0..<20 {
                let client = fixture.client
                let answer = try await within(.seconds(3), "an answer beside slow clients") {
                    try await client.post(Sample.action(notification: "n\(number)"), key: key)
                }
                #expect(answer.status == 200)
            }
            print("1,600 connections: \(fixture.service.residentMegabytes) MiB")
            #expect(fixture.service.residentMegabytes < Self.memoryBound)
            for client in slow.prefix(20) { #expect(await client.status(within: .seconds(8)) == 408) }
            let (_, isClosed) = await idle[0].receive(within: .seconds(12), untilClosed: true)
            #expect(isClosed, "an idle connection ends by itself")
            withExtendedLifetime(idle) {}
        }
    }

    @Test("bodies held back by one app keep no other app out", .timeLimit(.minutes(15)))
    func slowBodiesOfOneApp() async throws {
        try await ServiceFixture.run(["ingest.bytes_in_flight": "10485760"]) { fixture in
            let other = try await TestApp.make("second", in: fixture.database)
            // Two take all but a few bytes of what is held for all requests together; the last byte of each is kept back.
            let body = [UInt8](repeating: UInt8(ascii: " "), count: 5 << 20)
            let slow = try (0..<3).map { _ in try RawClient(fixture.service.url) }
            for client in slow {
                await client.send(Self.head(fixture.app.write, "Content-Length: \(body.count)\r\n"))
                await client.send(Array(body.dropLast()), within: .seconds(20))
            }
            let events = (0..<2000).map { Sample.action(notification: "n\($0)") }.joined(separator: ",")
            for number in 0..<40 {
                let answer = try await fixture.client.post(
                    number % 2 == 0 ? Sample.action() : "[\(events)]",
                    key: other.write
                )
                #expect(answer.status == 200, "\(number)")
            }
            // Who made room was told, and may send the same again.
            var statuses: [Int?] = []
            for client in slow { statuses.append(await client.status(within: .milliseconds(100))) }
            #expect(statuses.contains(503) && !statuses.contains(200))
            withExtendedLifetime(slow) {}
        }
    }

    @Test("bodies that trickle, stop half-way or go on after the answer are cut off", .timeLimit(.minutes(15)))
    func hostileBodies() async throws {
        try await ServiceFixture.run(["http.body_seconds": "2"]) { fixture in
            let url = fixture.service.url
            let key = fixture.app.write
            // One byte now and then: never idle, and never done.
            let trickle = try RawClient(url)
            await trickle.send(Self.head(key, "Content-Length: 400\r\n"))
            let trickling = Task {
                for _ in 0..<40 {
                    guard await trickle.send(" ") else { return }
                    try? await ContinuousClock().sleep(for: .milliseconds(100))
                }
            }
            #expect(await trickle.status(within: .seconds(5)) == 408)
            trickling.cancel()
            // A body that ends with its connection: nothing of it is stored.
            let half = try RawClient(url)
            await half.send(Self.head(key, "Content-Length: 400\r\n") + "[" + Sample.action(device: "half") + ",")
            // One that is refused by its head, and comes all the same.
            let large = try RawClient(url)
            await large.send(Self.head(key, "Content-Length: 900000000\r\n"))
            #expect(await large.status(within: .seconds(5)) == 413)
            let end = ContinuousClock.now + .seconds(15)
            let block = [UInt8](repeating: 32, count: 1 << 16)
            while await large.send(block), ContinuousClock.now < end {}
            #expect(ContinuousClock.now < end, "it was cut off")
            // Chunks without end.
            let chunks = try RawClient(url)
            await chunks.send(Self.head(key, "Transfer-Encoding: chunked\r\n"))
            let chunk = Array("10000\r\n".utf8) + block + Array("\r\n".utf8)
            for _ in 0..<120 { guard await chunks.send(chunk) else { break } }
            #expect(await chunks.status(within: .seconds(5)) == 413)
            #expect(try await fixture.number("SELECT count(*) FROM log.event") == 0)
            #expect(try await fixture.client.post(Sample.action(), key: key).status == 200)
        }
    }

    @Test("requests that come before the last one is answered keep their bodies", .timeLimit(.minutes(15)))
    func pipelined() async throws {
        try await ServiceFixture.run { fixture in
            let client = try RawClient(fixture.service.url)
            var bytes: [UInt8] = []
            for number in 0..<12 {
                let body = Sample.action(notification: "n\(number)")
                bytes += Array((Self.head(fixture.app.write, "Content-Length: \(body.utf8.count)\r\n") + body).utf8)
            }
            // In two pieces, the cut in the middle of a body.
            #expect(await client.send(Array(bytes[..<(bytes.count - 20)])))
            try await ContinuousClock().sleep(for: .milliseconds(200))
            #expect(await client.send(Array(bytes[(bytes.count - 20)...])))
            var text = ""
            for _ in 0..<40 where text.components(separatedBy: "HTTP/1.1 ").count - 1 < 12 {
                text += String(decoding: await client.receive(within: .milliseconds(500)).bytes, as: UTF8.self)
            }
            #expect(text.components(separatedBy: "HTTP/1.1 200").count - 1 == 12, "\(text.suffix(400))")
            #expect(try await fixture.number("SELECT count(*) FROM log.event") == 12)
        }
    }

    @Test("bombs of headers and of gzip go off outside", .timeLimit(.minutes(15)))
    func bombs() async throws {
        try await ServiceFixture.run { fixture in
            let url = fixture.service.url
            let many = try RawClient(url)
            await many.send("GET /healthz HTTP/1.1\r\nHost: x\r\n")
            for number in 0..<5000 { guard await many.send("X-\(number): \(number)\r\n") else { break } }
            let status = await many.status(within: .seconds(5))
            #expect(status == 400 || status == 431 || status == nil)
            let long = try RawClient(url)
            await long.send(Array("GET /healthz HTTP/1.1\r\nX: ".utf8) + [UInt8](repeating: 65, count: 4 << 20))
            let second = await long.status(within: .seconds(5))
            #expect(second == 400 || second == 431 || second == nil)
            let bomb = try await Self.gzip(of: " ", bytes: 400 << 20)
            for _ in 0..<10 {
                let answer = try await fixture.client.post(
                    bytes: bomb,
                    key: fixture.app.write,
                    headers: [("Content-Encoding", "gzip")]
                )
                #expect(answer.status == 413)
            }
            // All that may be in a body, and none of it an event.
            let list = try await Self.gzip("[", of: "1,", bytes: 5 << 20 - 8, "1]")
            let calls = try await Self.gzip(#"{"batch":["#, of: "1,", bytes: 5 << 20 - 32, "1]}")
            try await withThrowingTaskGroup { group in
                for number in 0..<16 {
                    group.addTask {
                        let isList = number % 2 == 0
                        let answer = try await ServiceClient.connect(url).connection.send(
                            "POST",
                            isList ? "/v1/events" : "/v1/compat/segment",
                            headers: [
                                ("Authorization", "Bearer \(fixture.app.write)"),
                                ("Content-Type", "application/json"), ("Content-Encoding", "gzip"),
                            ],
                            body: isList ? list : calls
                        )
                        #expect(answer.status == 413)
                    }
                }
                try await group.waitForAll()
            }
            #expect(fixture.service.peakMegabytes < Self.memoryBound)
            #expect(try await fixture.client.post(Sample.action(), key: fixture.app.write).status == 200)
        }
    }

    @Test("bursts of large bodies, one after the other, stay within the bound of memory", .timeLimit(.minutes(15)))
    func memoryGoesBack() async throws {
        try await ServiceFixture.run { fixture in
            let padding = String(repeating: "x", count: 380)
            let event = Sample.action(more: #","attributes":{"padding":"\#(padding)"}"#) + ","
            let nested = String(repeating: "[", count: 230) + String(repeating: "]", count: 230) + ","
            var bodies: [[UInt8]] = []
            for (item, count) in [(#"{"a":1},"#, 9_990), (event, 9_000), (nested, 9_990)] {
                bodies.append(try await Self.gzip("[", of: item, bytes: item.utf8.count * count, "1]"))
            }
            var peaks: [Int] = []
            for _ in 0..<4 {
                try await withThrowingTaskGroup { [bodies] group in
                    for number in 0..<48 {
                        group.addTask {
                            let client = try await ServiceClient.connect(fixture.service.url)
                            let body = bodies[number % bodies.count]
                            let headers = [("Content-Encoding", "gzip")]
                            _ = try? await client.post(bytes: body, key: fixture.app.write, headers: headers)
                            await client.connection.close()
                        }
                    }
                    try await group.waitForAll()
                }
                peaks.append(fixture.service.peakMegabytes)
            }
            #expect(fixture.service.peakMegabytes < Self.memoryBound, "\(peaks)")
            print("bursts of large bodies: peaks of \(peaks) MiB")
        }
    }

    /// A body that is small on the way, and large when it has arrived.
    private static func gzip(
        _ first: String = "",
        of repeated: String,
        bytes: Int,
        _ last: String = ""
    ) async throws -> [UInt8] {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-bomb-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let line = #"{ printf %s "$1"; yes "$2" | tr -d '\n' | head -c "$3"; printf %s "$4"; } | gzip -1 > "$0""#
        try await Programs.shell(line, path, first, repeated, "\(bytes)", last)
        return Array(FileManager.default.contents(atPath: path) ?? Data())
    }

    @Test(
        "an answer that nobody takes does not stay for ever, nor do the requests after it become answers",
        .timeLimit(.minutes(15)),
        arguments: ["GET /v1/reports", "POST /v1/events"]
    )
    func unreadAnswer(line: String) async throws {
        try await ServiceFixture.run { fixture in
            let client = try RawClient(fixture.service.url)
            let request =
                "\(line) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(fixture.app.read)\r\nContent-Length: 0\r\n\r\n"
            let some = [UInt8](String(repeating: request, count: 50).utf8)
            // Many requests on one connection, whose answers are never read: after so many megabytes no more are taken.
            var isTaken = true
            for _ in 0..<4_000 where isTaken { isTaken = await client.send(some, within: .seconds(1)) }
            #expect(!isTaken)
            #expect(fixture.service.residentMegabytes < Self.memoryBound)
            #expect(try await fixture.client.get("/healthz").status == 200)
        }
    }

    @Test(
        "writers whose sessions were killed answer the next request as if nothing had happened",
        .timeLimit(.minutes(15))
    )
    func killedSessions() async throws {
        try await ServiceFixture.run { fixture in
            let killer = try await fixture.database.connect()
            for round in 0..<10 {
                let answer = try await fixture.client.post(
                    Sample.action(notification: "a\(round)"),
                    key: fixture.app.write
                )
                #expect(answer.status == 200)
                try await killer.query(
                    "SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity WHERE application_name LIKE 'notilog %' AND datname = current_database()"
                )
                let next = try await fixture.client.post(
                    Sample.action(notification: "b\(round)"),
                    key: fixture.app.write
                )
                #expect(next.status == 200, "no 503 for a session that can be replaced")
                let read = try await fixture.client.get("/v1/devices/d1/events", key: fixture.app.read)
                #expect(read.status == 200)
            }
            // In the middle of an append, too: the ids make it safe to send again.
            let blocker = try await fixture.database.connect()
            try await blocker.query("BEGIN")
            try await blocker.query("LOCK TABLE log.identity IN ACCESS EXCLUSIVE MODE")
            let client = fixture.client
            let key = fixture.app.write
            async let answer = client.post(Sample.action(notification: "c"), key: key)
            try await eventually("an append that waits", within: .seconds(60)) {
                try await fixture.number(
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'notilog append' AND wait_event_type = 'Lock' AND datname = current_database()"
                ) == 1
            }
            try await killer.query(
                "SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity WHERE application_name = 'notilog append' AND datname = current_database()"
            )
            try await blocker.query("ROLLBACK")
            let got = try await answer
            #expect(got.status == 200)
            #expect(try await fixture.number("SELECT count(*) FROM log.event") == 21)
            for connection in [killer, blocker] { await connection.close() }
        }
    }
}
