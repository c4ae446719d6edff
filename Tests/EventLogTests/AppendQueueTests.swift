import NotificationEvents
import Testing

@testable import EventLog

@Suite("Append queue")
struct AppendQueueTests {
    private static func events(_ count: Int) -> [NormalisedEvent] {
        let moment = Timestamp(seconds: 0)
        let event = NormalisedEvent(
            kind: EventKind.all[0],
            id: EventID(high: 0, low: 0),
            digest: ContentDigest(high: 0, low: 0),
            deviceID: "d",
            receivedAt: moment,
            occurredAt: moment,
            effectiveAt: moment,
            data: []
        )
        return Array(repeating: event, count: count)
    }

    /// Pushes a submission whose answer is how many events it had, or the error it got.
    private func submit(_ queue: AppendQueue, _ count: Int, app: AppID = 1, bytes: Int = 1) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            let submission = Submission(app: app, events: Self.events(count), bytes: bytes, continuation: continuation)
            if let error = queue.push(submission) { continuation.resume(throwing: error) }
        }.count
    }

    private func answer(_ batch: [Submission]) {
        for submission in batch {
            submission.continuation.resume(returning: submission.events.map { _ in .stored(position: 1) })
        }
    }

    private func settle(_ queue: AppendQueue, depth: Int) async {
        while queue.depth < depth { await Task.yield() }
    }

    @Test("a writer takes all that waits, whole submissions, up to the maximum")
    func batches() async throws {
        let queue = AppendQueue(.init(batchEvents: 10, queuedEvents: 1000, queuedBytes: 1000))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for count in [4, 4, 4, 25] {
                let depth = queue.depth
                group.addTask { try await self.submit(queue, count) }
                await settle(queue, depth: depth + count)
            }
            for expected in [[4, 4], [4], [25]] {
                let batch = try #require(await queue.next())
                #expect(batch.map(\.events.count) == expected, "one larger than the maximum goes alone")
                answer(batch)
            }
            #expect(queue.depth == 0)
            #expect(try await group.reduce(0, +) == 37)
        }
    }

    @Test("a writer that waits is given what comes at once")
    func idleWriter() async throws {
        let queue = AppendQueue(.init(batchEvents: 10, queuedEvents: 10, queuedBytes: 10))
        async let batch = queue.next()
        async let count = submit(queue, 3)
        answer(try #require(await batch))
        #expect(try await count == 3)
    }

    @Test(
        "too many events or bytes are refused; one submission always fits into an empty queue",
        arguments: [
            (6, 1), (1, 60),
        ]
    )
    func limits(events: Int, bytes: Int) async throws {
        let queue = AppendQueue(.init(batchEvents: 100, queuedEvents: 10, queuedBytes: 100))
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask { try await self.submit(queue, 500, bytes: 5000) }
            await settle(queue, depth: 500)
            await #expect(throws: AppendError.self) { try await submit(queue, 1) }
            answer(try #require(await queue.next()))
            group.addTask { try await self.submit(queue, events, bytes: bytes) }
            await settle(queue, depth: events)
            await #expect {
                try await submit(queue, events, bytes: bytes)
            } throws: {
                ($0 as? AppendError)?.isOverload == true
            }
            answer(try #require(await queue.next()))
            try await group.waitForAll()
        }
    }

    @Test("closed, it takes no more, and ends its writers when it is empty")
    func close() async throws {
        let queue = AppendQueue(.init(batchEvents: 10, queuedEvents: 10, queuedBytes: 10))
        async let count = submit(queue, 3)
        await settle(queue, depth: 3)
        queue.close()
        await #expect(throws: AppendError.self) { try await submit(queue, 1) }
        answer(try #require(await queue.next()))
        #expect(try await count == 3)
        let end = await queue.next()
        #expect(end == nil)
    }

    @Test("who has waited for too long is turned away, and nobody after them")
    func late() async throws {
        let queue = AppendQueue(.init(batchEvents: 10, queuedEvents: 10, queuedBytes: 10))
        let first = Task { try await submit(queue, 3) }
        await settle(queue, depth: 3)
        let between = ContinuousClock.now
        let second = Task { try await submit(queue, 4) }
        await settle(queue, depth: 7)
        queue.turnAwayLate(now: between)
        #expect(queue.depth == 7)
        queue.turnAwayLate(now: between + Submission.patience)
        #expect(queue.depth == 4)
        await #expect {
            _ = try await first.value
        } throws: {
            ($0 as? AppendError)?.isOverload == true
        }
        answer(try #require(await queue.next()))
        #expect(try await second.value == 4)
    }

    @Test("one that floods keeps nobody waiting beyond its turn: what others send is in the next batch")
    func turns() async throws {
        let queue = AppendQueue(.init(batchEvents: 100, queuedEvents: 1000, queuedBytes: 1 << 20, turnEvents: 20))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await self.submit(queue, 10, app: 1) } }
            await settle(queue, depth: 500)
            group.addTask { try await self.submit(queue, 1, app: 2) }
            await settle(queue, depth: 501)
            // Larger than a turn: it saves up for it.
            group.addTask { try await self.submit(queue, 50, app: 3) }
            await settle(queue, depth: 551)
            let first = try #require(await queue.next())
            answer(first)
            let place = try #require(first.firstIndex { $0.app == 2 })
            #expect(first[..<place].reduce(0) { $0 + $1.events.count } <= 20)
            var before = 0
            var batch = first
            while !batch.contains(where: { $0.app == 3 }) {
                before += batch.reduce(0) { $0 + $1.events.count }
                batch = try #require(await queue.next())
                answer(batch)
            }
            #expect(before <= 100, "three turns of the first app, and the single event")
            while queue.depth > 0 { answer(try #require(await queue.next())) }
            #expect(try await group.reduce(0, +) == 551)
        }
    }

    @Test("a full queue has room for an app below its share, from the app that has most; not for one above")
    func shares() async throws {
        let queue = AppendQueue(.init(batchEvents: 100, queuedEvents: 100, queuedBytes: 1000))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 {
                group.addTask { (try? await self.submit(queue, 10, app: 1)) ?? 0 }
            }
            await settle(queue, depth: 100)
            await #expect(throws: AppendError.self) { try await submit(queue, 1, app: 1) }
            await #expect(throws: AppendError.self) { try await submit(queue, 60, app: 2) }
            group.addTask { try await self.submit(queue, 25, app: 2) }
            // Three of the first app are turned away for it.
            while queue.depth == 100 { await Task.yield() }
            #expect(queue.depth == 95)
            group.addTask { try await self.submit(queue, 5, app: 2, bytes: 300) }
            await settle(queue, depth: 100)
            while queue.depth > 0 { answer(try #require(await queue.next())) }
            #expect(try await group.reduce(0, +) == 100)
        }
    }

    @Test("while no writer is connected, those who wait are turned away; while one is, they are left to it")
    func failing() async throws {
        let queue = AppendQueue(.init(batchEvents: 10, queuedEvents: 10, queuedBytes: 10))
        async let count = submit(queue, 3)
        await settle(queue, depth: 3)
        queue.writerConnected()
        queue.failAllWaiting(.unavailable("away"))
        #expect(queue.depth == 3)
        queue.writerDisconnected()
        queue.failAllWaiting(.unavailable("away"))
        #expect(queue.depth == 0)
        do {
            _ = try await count
            Issue.record("it was answered")
        } catch {
            #expect(error is AppendError)
        }
    }
}
