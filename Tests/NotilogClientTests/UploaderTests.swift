import Foundation
import Testing

@testable import NotilogClient

@Suite("Sending")
struct UploaderTests {
    private func run(
        batch: Int = 10,
        automatically: Bool = false,
        requiresConsent: Bool = false,
        _ answer: @escaping @Sendable (Int, Notilog.OutgoingRequest) async throws -> Notilog.IncomingAnswer,
        _ body: (Notilog, TestTransport, TestClock, Guarded<[Notilog.Report]>) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let (clock, transport) = (TestClock(), TestTransport(answer))
            let reports = Guarded<[Notilog.Report]>([])
            var options = Notilog.Options()
            options.folder = folder
            options.limits.durability = .processEnd
            options.transport = transport
            options.clock = clock
            options.batchEvents = batch
            options.sendsAutomatically = automatically
            options.requiresConsent = requiresConsent
            options.random = { 0.5 }
            options.context = { .sample }
            options.onReport = { report in reports.withLock { $0.append(report) } }
            let url = try #require(URL(string: "http://127.0.0.1:1/base"))
            let notilog = Notilog(url: url, writeKey: "key", deviceID: "d", options: options)
            try await body(notilog, transport, clock, reports)
        }
    }

    @Test("takes batches, oldest first, with key, clock and ids")
    func batches() async throws {
        try await run({ _, request in .taken(request.events.count) }) { notilog, transport, _, reports in
            let ids = (0..<3).map { _ in notilog.track(.sample).id?.uuidString.lowercased() }
            #expect(await notilog.flush() == .sent)
            let request = transport.requests.withLock { $0[0] }
            #expect(request.url.absoluteString == "http://127.0.0.1:1/base/v1/events")
            #expect(request.headers["Authorization"] == "Bearer key")
            #expect(request.headers["Notilog-Sent-At"] == "2026-01-01T00:00:00.000000Z")
            #expect(request.headers["Content-Encoding"] == "gzip")
            #expect(request.events.map { $0["id"] as? String } == ids)
            #expect(transport.count == 1)
            #expect(notilog.status().events == 0)
            #expect(reports.withLock { $0.isEmpty })
        }
    }

    @Test("keeps what a 5xx, a 429 or a dead network refused, in order, and waits longer each time")
    func kept() async throws {
        try await run({ number, request in
            switch number {
            case 0: throw TestTransport.Away()
            case 1: return Notilog.IncomingAnswer(status: 503)
            case 2: return Notilog.IncomingAnswer(status: 500)
            case 3: return Notilog.IncomingAnswer(status: 200, body: Data("<html>log in</html>".utf8))
            case 4: return Notilog.IncomingAnswer(status: 200, body: Data(#"{"accepted":1,"duplicate":0,"rej"#.utf8))
            // An answer to another batch than this.
            case 5: return .taken(7)
            default: return .taken(1)
            }
        }) { notilog, _, _, reports in
            notilog.track(.sample)
            for expected in [0.5, 1, 2, 4, 8, 16] {
                #expect(await notilog.flush() == .waiting(seconds: expected))
                #expect(notilog.status().events == 1)
            }
            #expect(await notilog.flush() == .sent)
            #expect(notilog.status().events == 0)
            #expect(reports.withLock { $0.count } == 6)
        }
    }

    @Test("obeys Retry-After, also when asked to flush, and comes back by itself")
    func retryAfter() async throws {
        try await run({ number, _ in
            number == 0 ? Notilog.IncomingAnswer(status: 429, headers: ["Retry-After": "30"]) : .taken(1)
        }) { notilog, transport, clock, _ in
            notilog.track(.sample)
            #expect(await notilog.flush() == .waiting(seconds: 31.5))
            try await eventually("no wait was begun") { clock.current == [31.5] }
            clock.advance(29)
            guard case .waiting = await notilog.flush() else {
                Issue.record("it did not wait")
                return
            }
            #expect(transport.count == 1)
            let storage = notilog.storage
            clock.advance(3)
            try await eventually("it did not come back") { try storage.status().events == 0 }
            #expect(transport.count == 2)
        }
    }

    /// A first answer that comes once somebody else waits for the pass that it belongs to.
    private func withOthersWaiting(
        _ first: Notilog.IncomingAnswer,
        _ other: @escaping @Sendable (Notilog) async -> Notilog.FlushResult,
        _ body: (_ results: [Notilog.FlushResult], Notilog, TestTransport) async throws -> Void
    ) async throws {
        let (answers, answer) = AsyncStream<Void>.makeStream()
        try await run({ number, request in
            guard number == 0 else { return .taken(request.events.count) }
            for await _ in answers { break }
            return first
        }) { notilog, transport, _, _ in
            notilog.track(.sample)
            let flush = Task { await notilog.flush() }
            try await eventually("nothing was asked") { transport.count == 1 }
            let next = Task { await other(notilog) }
            let uploader = notilog.uploader
            try await eventually("the second does not wait") { await uploader.waitingPasses == 1 }
            answer.yield()
            try await body([await flush.value, await next.value], notilog, transport)
        }
    }

    @Test("obeys Retry-After also for those that waited for the pass that was told")
    func retryAfterWithOthersWaiting() async throws {
        let refusal = Notilog.IncomingAnswer(status: 429, headers: ["Retry-After": "30"])
        try await withOthersWaiting(refusal, { await $0.flush() }) { results, notilog, transport in
            #expect(results == [.waiting(seconds: 31.5), .waiting(seconds: 31.5)])
            #expect(transport.count == 1 && notilog.status().events == 1)
        }
    }

    @Test("does not send at once what waited for a pass that failed, unless it is to be flushed")
    func backoffWithOthersWaiting() async throws {
        let failure = Notilog.IncomingAnswer(status: 503)
        try await withOthersWaiting(failure, { await $0.flush(within: 60) }) { results, notilog, transport in
            #expect(results == [.waiting(seconds: 0.5), .waiting(seconds: 0.5)])
            #expect(transport.count == 1 && notilog.status().events == 1)
        }
        try await withOthersWaiting(failure, { await $0.flush() }) { results, _, transport in
            #expect(results == [.waiting(seconds: 0.5), .sent])
            #expect(transport.count == 2)
        }
    }

    @Test("does not send at once what its timer sent behind a pass that failed")
    func backoffWithTheTimerWaiting() async throws {
        let (answers, answer) = AsyncStream<Void>.makeStream()
        try await run(
            automatically: true,
            { number, request in
                guard number == 0 else { return .taken(request.events.count) }
                for await _ in answers { break }
                return Notilog.IncomingAnswer(status: 503)
            }
        ) { notilog, transport, clock, _ in
            notilog.track(.sample)
            let first = Task { await notilog.flush() }
            try await eventually("nothing was asked") { transport.count == 1 }
            notilog.track(.sample)
            let uploader = notilog.uploader
            try await eventually("the timer's pass does not wait") {
                clock.advance(60)
                return await uploader.waitingPasses == 1
            }
            answer.yield()
            guard case .waiting = await first.value else {
                Issue.record("the first pass did not fail")
                return
            }
            // It comes after the timer's, and sends all: without that one having sent any.
            #expect(await notilog.flush() == .sent)
            #expect(transport.requests.withLock { $0.map(\.events.count) } == [1, 2])
        }
    }

    @Test("does not wait longer than it was asked to because the clock is set back")
    func clockSetBack() async throws {
        try await run({ number, _ in
            number == 0 ? Notilog.IncomingAnswer(status: 429, headers: ["Retry-After": "30"]) : .taken(1)
        }) { notilog, transport, clock, _ in
            notilog.track(.sample)
            #expect(await notilog.flush() == .waiting(seconds: 31.5))
            #expect(await notilog.flush(within: 5) == .waiting(seconds: 31.5))
            clock.advance(-86_400)
            #expect(await notilog.uploader.opensAt == nil)
            #expect(await notilog.flush(within: 5) == .sent)
            #expect(transport.count == 2)
        }
    }

    @Test("has no wait left once the service has taken events")
    func waitEndsWithSuccess() async throws {
        try await run({ number, _ in
            number == 0 ? Notilog.IncomingAnswer(status: 429, headers: ["Retry-After": "30"]) : .taken(1)
        }) { notilog, transport, clock, _ in
            notilog.track(.sample)
            #expect(await notilog.flush() == .waiting(seconds: 31.5))
            clock.advance(-86_400)
            #expect(await notilog.flush() == .sent)
            // The clock is set right again.
            clock.advance(86_400)
            notilog.track(.sample)
            #expect(await notilog.flush() == .sent)
            #expect(transport.count == 3)
        }
    }

    @Test(
        "keeps everything that what stands before the service refuses, and says so",
        arguments: [400, 409, 413, 422, 451]
    )
    func refusedOnTheWay(status: Int) async throws {
        try await run({ _, _ in
            Notilog.IncomingAnswer(
                status: status,
                body: Data("<html>The plain HTTP request was sent to HTTPS port</html>".utf8)
            )
        }) { notilog, _, _, reports in
            notilog.track([.sample, .sample, .sample])
            guard case .waiting = await notilog.flush() else {
                Issue.record("it did not keep the events")
                return
            }
            #expect(notilog.status().events == 3)
            #expect(reports.withLock { $0.first } == .barred(status: status, code: nil))
        }
    }

    @Test(
        "drops and reports the one event that a 4xx of the service is about, and no other",
        arguments: [400, 413, 422],
        [0, 5, 9]
    )
    func refused(status: Int, wrong: Int) async throws {
        let taken = Guarded<Set<Int>>([])
        try await run(
            batch: 16,
            { _, request in
                guard let events = try JSONSerialization.jsonObject(with: request.plainBody) as? [[String: Any]] else {
                    return Notilog.IncomingAnswer(status: 500)
                }
                let numbers = events.compactMap { ($0["attributes"] as? [String: Any])?["n"] as? Int }
                if numbers.contains(wrong) {
                    return Notilog.IncomingAnswer(status: status, body: Data(#"{"code":"invalid_json"}"#.utf8))
                }
                taken.withLock { $0.formUnion(numbers) }
                return .taken(numbers.count)
            }
        ) { notilog, _, _, reports in
            var receipts: [Notilog.Receipt] = []
            for number in 0..<10 {
                var event = Notilog.Event.sample
                event.fields["attributes"] = ["n": .integer(Int64(number))]
                receipts.append(notilog.track(event))
            }
            #expect(await notilog.flush() == .sent)
            #expect(taken.withLock { $0 } == Set(0..<10).subtracting([wrong]))
            let expected = receipts[wrong].id
            let rejections = reports.withLock { reports in
                reports.compactMap { if case .rejected(let id, let found, _, _) = $0 { (id, found) } else { nil } }
            }
            #expect(rejections.count == 1)
            #expect(rejections.first?.0 == expected)
            #expect(rejections.first?.1 == status)
        }
    }

    @Test(
        "keeps everything if every request is refused: something on the way may damage them",
        arguments: [400, 413, 422],
        [1, 6, 40]
    )
    func damagedOnTheWay(status: Int, count: Int) async throws {
        let isOpen = Guarded(false)
        try await run({ _, request in
            isOpen.withLock { $0 }
                ? .taken(request.events.count)
                : Notilog.IncomingAnswer(status: status, body: Data(#"{"code":"invalid_json"}"#.utf8))
        }) { notilog, transport, clock, reports in
            notilog.track(Array(repeating: Notilog.Event.sample, count: count))
            guard case .waiting(let seconds) = await notilog.flush() else {
                Issue.record("it did not keep the events")
                return
            }
            #expect(seconds >= 60)
            #expect(notilog.status().events == count)
            #expect(
                reports.withLock { $0 } == [
                    .barred(status: status, code: "invalid_json"), .delayed(status: status, seconds: seconds),
                ]
            )
            #expect(notilog.diagnosis() == [.barred(status: status, code: "invalid_json")])
            // Ten, five, two, and eight one by one.
            #expect(transport.count <= 11)
            isOpen.withLock { $0 = true }
            clock.advance(3600)
            #expect(await notilog.flush() == .sent)
            #expect(notilog.status().events == 0 && notilog.diagnosis() == [])
        }
    }

    @Test("keeps an event that is refused alone until another is taken")
    func refusedAlone() async throws {
        try await run({ _, request in
            let isWrong = request.events.contains { ($0["attributes"] as? [String: Any])?["is_wrong"] as? Bool == true }
            return isWrong
                ? Notilog.IncomingAnswer(status: 400, body: Data(#"{"code":"invalid_json"}"#.utf8))
                : .taken(request.events.count)
        }) { notilog, _, clock, reports in
            var wrong = Notilog.Event.sample
            wrong.fields["attributes"] = ["is_wrong": .bool(true)]
            let id = try #require(notilog.track(wrong).id)
            guard case .waiting = await notilog.flush() else {
                Issue.record("it did not keep the event")
                return
            }
            #expect(notilog.status().events == 1)
            notilog.track(.sample)
            clock.advance(3600)
            #expect(await notilog.flush() == .sent)
            #expect(notilog.status().events == 0)
            let message = "the service answered 400"
            let rejection = Notilog.Report.rejected(id: id, status: 400, code: "invalid_json", message: message)
            #expect(reports.withLock { $0.last } == rejection)
        }
    }

    @Test("drops and reports each event that the answer rejects")
    func rejected() async throws {
        try await run({ _, _ in
            let body = """
                {"accepted":1,"duplicate":1,"rejected":1,"position":7,"results":[
                {"index":0,"id":"x","status":"duplicate","position":3},
                {"index":2,"status":"rejected","error":{"code":"id_conflict","pointer":"/2/id","message":"no"}}]}
                """
            return Notilog.IncomingAnswer(status: 200, body: Data(body.utf8))
        }) { notilog, _, _, reports in
            let receipts = notilog.track([.sample, .sample, .sample])
            #expect(await notilog.flush() == .sent)
            let id = try #require(receipts[2].id)
            #expect(reports.withLock { $0 } == [.rejected(id: id, status: 422, code: "id_conflict", message: "no")])
            #expect(notilog.status().events == 0)
        }
    }

    @Test("keeps everything where the key or the URL is wrong, and says so", arguments: [401, 403, 404, 302])
    func barred(status: Int) async throws {
        try await run({ _, _ in
            Notilog.IncomingAnswer(status: status, body: Data(#"{"code":"unauthorized"}"#.utf8))
        }) { notilog, _, _, reports in
            notilog.track(.sample)
            guard case .waiting(let seconds) = await notilog.flush() else {
                Issue.record("it did not keep the event")
                return
            }
            #expect(seconds >= 60)
            #expect(notilog.status().events == 1)
            let code = status == 302 ? nil : "unauthorized"
            #expect(reports.withLock { $0.first } == .barred(status: status, code: code))
        }
    }

    @Test("happens by itself: after a while, or at once when a batch is full")
    func automatic() async throws {
        try await run(
            batch: 3,
            automatically: true,
            { _, request in
                .taken((try? JSONSerialization.jsonObject(with: request.plainBody) as? [Any])?.count ?? 0)
            }
        ) { notilog, transport, clock, _ in
            notilog.track(.sample)
            try await eventually("no wait was begun") { clock.waits.contains(2) }
            #expect(transport.count == 0)
            clock.advance(2)
            try await eventually("nothing was sent") { notilog.status().events == 0 }
            notilog.track([.sample, .sample, .sample])
            try await eventually("no wait was cut short") {
                clock.advance(0)
                return notilog.status().events == 0
            }
        }
    }

    /// A request that is under way until it is cancelled, or else too late.
    private static func unanswered(_ isAsked: Guarded<Bool>) async throws -> Notilog.IncomingAnswer {
        isAsked.withLock { $0 = true }
        try await Task<Never, Never>.sleep(nanoseconds: 300_000_000_000)
        throw TestTransport.Away()
    }

    @Test("stops when consent is taken back, in the middle of a request")
    func consent() async throws {
        let isAsked = Guarded(false)
        try await run({ _, _ in try await Self.unanswered(isAsked) }) { notilog, transport, _, _ in
            notilog.track(.sample)
            let flush = Task { await notilog.flush() }
            try await eventually("nothing was asked") { isAsked.withLock { $0 } }
            notilog.setConsent(false)
            #expect(await flush.value == .stopped)
            #expect(notilog.status().events == 0)
            let receipt = notilog.track(.sample)
            #expect(receipt.reason == .noConsent)
            #expect(!notilog.isRecording)
            #expect(await notilog.flush() == .stopped)
            #expect(await notilog.flush(within: 1) == .stopped)
            #expect(transport.count == 1)
            notilog.setConsent(true)
            #expect(notilog.track(.sample).isQueued)
        }
    }

    @Test("stops also what others wait for, when consent is taken back")
    func consentWithOthersWaiting() async throws {
        let isAsked = Guarded(false)
        try await run({ _, _ in try await Self.unanswered(isAsked) }) { notilog, transport, _, _ in
            notilog.track(.sample)
            let first = Task { await notilog.flush() }
            try await eventually("nothing was asked") { isAsked.withLock { $0 } }
            let second = Task { await notilog.flush() }
            let uploader = notilog.uploader
            try await eventually("the second does not wait") { await uploader.waitingPasses == 1 }
            notilog.setConsent(false)
            #expect(await first.value == .stopped)
            #expect(await second.value == .stopped)
            #expect(transport.count == 1)
        }
    }

    @Test("begins when consent is given, where it is required")
    func consentRequired() async throws {
        try await run(requiresConsent: true, { _, _ in .taken(1) }) { notilog, transport, _, _ in
            #expect(!notilog.isRecording)
            #expect(notilog.track(.sample).reason == .noConsent)
            #expect(await notilog.flush() == .stopped)
            #expect(transport.count == 0)
            notilog.setConsent(true)
            #expect(notilog.isRecording)
            #expect(notilog.track(.sample).isQueued)
            #expect(await notilog.flush() == .sent)
            #expect(transport.count == 1)
        }
    }

    @Test("says what was dropped since it last looked")
    func dropped() async throws {
        try await run({ _, _ in throw TestTransport.Away() }) { notilog, _, clock, reports in
            notilog.track(.sample)
            _ = await notilog.flush()
            clock.advance(31 * 86_400)
            _ = await notilog.flush()
            #expect(reports.withLock { $0.last } == .dropped(1))
        }
    }

    @Test("waits with full jitter, up to a limit, and never less than it was asked to")
    func backoff() {
        let backoff = Notilog.Backoff(base: 1, limit: 60)
        #expect(
            (1...9).map { backoff.delay(failures: $0, retryAfter: nil, random: 1) } == [1, 2, 4, 8, 16, 32, 60, 60, 60]
        )
        #expect(backoff.delay(failures: 5, retryAfter: nil, random: 0) == 0)
        #expect(backoff.delay(failures: .max, retryAfter: nil, random: 1) == 60)
        #expect(backoff.delay(failures: 1, retryAfter: 20, random: 0) == 20)
        #expect(backoff.delay(failures: 9, retryAfter: 20, random: 0.9) == 54)
    }

    @Test("reads Retry-After as seconds or a date")
    func retryAfterHeader() {
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        #expect(RetryAfter.seconds("7", now: now) == 7)
        #expect(RetryAfter.seconds("Thu, 01 Jan 2026 00:01:00 GMT", now: now) == 60)
        #expect(RetryAfter.seconds("Wed, 31 Dec 2025 00:01:00 GMT", now: now) == 0)
        #expect(RetryAfter.seconds("1e300", now: now) == 86_400)
        #expect(RetryAfter.seconds("soon", now: now) == nil)
        #expect(RetryAfter.seconds(nil, now: now) == nil)
    }
}

/// Looks again and again until something is so. It gives up after some minutes: a busy machine is no reason to.
func eventually(
    _ what: String,
    caller: isolated (any Actor)? = #isolation,
    _ isSo: () async throws -> Bool
) async throws {
    let deadline = Date().addingTimeInterval(300)
    while try await !isSo() {
        guard Date() < deadline else {
            Issue.record("\(what)")
            return
        }
        try await Task<Never, Never>.sleep(nanoseconds: 2_000_000)
    }
}
