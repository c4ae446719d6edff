import NotificationEvents
import Testing

@testable import EventLog

@Suite("Append queue", .timeLimit(.minutes(1)))
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

    /// Pushes a submission whose answer is how many events it had, or the error it got. A test that fails, or takes too long,
    /// does not wait for it.
    private func submit(_ queue: AppendQueue, _ count: Int, app: AppID = 1, bytes: Int = 1) async throws -> Int {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let submission = Submission(
                    app: app,
                    events: Self.events(count),
                    bytes: bytes,
                    continuation: continuation
                )
                if let error = queue.push(submission) { continuation.resume(throwing: error) }
            }.count
        } onCancel: {
            queue.failAllWaiting(.stopped)
        }
    }

    private func answer(_ batch: [Submission]) {
        for submission in batch {
            submission.continuation.resume(returning: submission.events.map { _ in .stored(position: 1) })
        }
    }

    private func settle(_ queue: AppendQueue, depth: Int) async {
        while !Task.isCancelled, queue.depth < depth { await Task.yield() }
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
                let batch = try #require(await queue.next(for: 1))
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
        async let batch = queue.next(for: 1)
        async let count = submit(queue, 3)
        answer(try #require(await batch))
        #expect(try await count == 3)
    }

    /// Writers that stand idle, by their numbers in the order in which they came, and what they were given.
    private struct Writers {
        let batches: [Task<[Int]?, Never>]

        init(_ queue: AppendQueue, _ numbers: [Int], test: AppendQueueTests) async {
            var batches: [Task<[Int]?, Never>] = []
            for number in numbers {
                batches.append(
                    Task {
                        let batch = await queue.next(for: number)
                        test.answer(batch ?? [])
                        return batch?.map(\.events.count)
                    }
                )
                while !Task.isCancelled, queue.idleWriters < batches.count { await Task.yield() }
            }
            self.batches = batches
        }
    }

    @Test("while a writer is busy, few events are left to it: another joins it once many wait")
    func joins() async throws {
        let queue = AppendQueue(
            .init(batchEvents: 100, queuedEvents: 100, queuedBytes: 100, joinEvents: 10, joinAfter: .seconds(3600))
        )
        try await withThrowingTaskGroup(of: Int.self) { group in
            let writers = await Writers(queue, [1, 2], test: self)
            group.addTask { try await self.submit(queue, 1) }
            #expect(await writers.batches[1].value == [1], "the one that came last")
            for count in [4, 5] {
                group.addTask { try await self.submit(queue, count) }
                await settle(queue, depth: count == 4 ? 4 : 9)
            }
            #expect(queue.idleWriters == 1, "nine are too few")
            group.addTask { try await self.submit(queue, 1) }
            #expect(await writers.batches[0].value == [4, 5, 1])
            // Both are busy, until one asks for more.
            group.addTask { try await self.submit(queue, 2) }
            await settle(queue, depth: 2)
            async let rest = queue.next(for: 1)
            while !Task.isCancelled, queue.idleWriters == 0 { await Task.yield() }
            #expect(queue.depth == 2, "left to the other")
            let last = try #require(await queue.next(for: 2))
            #expect(last.map(\.events.count) == [2])
            answer(last)
            queue.close()
            let stored = try await group.reduce(0, +)
            #expect(stored == 13)
            let end = await rest
            #expect(end == nil)
        }
    }

    @Test("events that have waited are given to a writer that is idle, though few; one that closes gives it what waits")
    func joinsLate() async throws {
        let delay = Duration.seconds(3600)
        let queue = AppendQueue(
            .init(batchEvents: 100, queuedEvents: 100, queuedBytes: 100, joinEvents: 10, joinAfter: delay)
        )
        try await withThrowingTaskGroup(of: Int.self) { group in
            let writers = await Writers(queue, [1, 2, 3], test: self)
            group.addTask { try await self.submit(queue, 1) }
            #expect(await writers.batches[2].value == [1])
            group.addTask { try await self.submit(queue, 2) }
            await settle(queue, depth: 2)
            let later = ContinuousClock.now + delay
            #expect(queue.startForLate(now: later - delay), "too early: to be looked at again")
            #expect(queue.depth == 2)
            #expect(!queue.startForLate(now: later), "nothing waits any more")
            #expect(await writers.batches[1].value == [2])
            group.addTask { try await self.submit(queue, 3) }
            await settle(queue, depth: 3)
            queue.close()
            #expect(await writers.batches[0].value == [3])
            let stored = try await group.reduce(0, +)
            #expect(stored == 6)
        }
    }

    @Test("the next event that comes finds those that have waited")
    func findsLate() async throws {
        let queue = AppendQueue(
            .init(
                batchEvents: 100,
                queuedEvents: 100,
                queuedBytes: 100,
                joinEvents: 10,
                joinAfter: .zero,
                lookEvery: .seconds(3600)
            )
        )
        try await withThrowingTaskGroup(of: Int.self) { group in
            let writers = await Writers(queue, [1, 2], test: self)
            group.addTask { try await self.submit(queue, 1) }
            #expect(await writers.batches[1].value == [1])
            group.addTask { try await self.submit(queue, 2) }
            let found = await writers.batches[0].value
            #expect(found == [2], "though few, and nobody looks within the hour")
            let stored = try await group.reduce(0, +)
            #expect(stored == 3)
            queue.close()
        }
    }

    @Test("where the queue is full, a writer that is idle makes room, and nobody is turned away")
    func idleWriterMakesRoom() async throws {
        let queue = AppendQueue(
            .init(batchEvents: 100, queuedEvents: 5, queuedBytes: 100, joinEvents: 10, joinAfter: .seconds(3600))
        )
        try await withThrowingTaskGroup(of: Int.self) { group in
            let writers = await Writers(queue, [1, 2], test: self)
            group.addTask { try await self.submit(queue, 1) }
            #expect(await writers.batches[1].value == [1])
            group.addTask { try await self.submit(queue, 4) }
            await settle(queue, depth: 4)
            group.addTask { try await self.submit(queue, 3) }
            #expect(await writers.batches[0].value == [4])
            await settle(queue, depth: 3)
            queue.close()
            answer(try #require(await queue.next(for: 1)))
            let stored = try await group.reduce(0, +)
            #expect(stored == 8)
        }
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
            answer(try #require(await queue.next(for: 1)))
            group.addTask { try await self.submit(queue, events, bytes: bytes) }
            await settle(queue, depth: events)
            await #expect {
                try await submit(queue, events, bytes: bytes)
            } throws: {
                ($0 as? AppendError)?.isOverload == true
            }
            answer(try #require(await queue.next(for: 1)))
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
        answer(try #require(await queue.next(for: 1)))
        #expect(try await count == 3)
        let end = await queue.next(for: 1)
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
        queue.failLate(now: between)
        #expect(queue.depth == 7)
        queue.failLate(now: between + Submission.writerTimeout)
        #expect(queue.depth == 4)
        await #expect {
            _ = try await first.value
        } throws: {
            ($0 as? AppendError)?.isOverload == true
        }
        answer(try #require(await queue.next(for: 1)))
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
            let first = try #require(await queue.next(for: 1))
            answer(first)
            let place = try #require(first.firstIndex { $0.app == 2 })
            #expect(first[..<place].reduce(0) { $0 + $1.events.count } <= 20)
            var before = 0
            var batch = first
            while !batch.contains(where: { $0.app == 3 }) {
                before += batch.reduce(0) { $0 + $1.events.count }
                batch = try #require(await queue.next(for: 1))
                answer(batch)
            }
            #expect(before <= 100, "three turns of the first app, and the single event")
            while queue.depth > 0 { answer(try #require(await queue.next(for: 1))) }
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
            while !Task.isCancelled, queue.depth == 100 { await Task.yield() }
            #expect(queue.depth == 95)
            group.addTask { try await self.submit(queue, 5, app: 2, bytes: 300) }
            await settle(queue, depth: 100)
            while queue.depth > 0 { answer(try #require(await queue.next(for: 1))) }
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

    @Test("once no writer has been connected for a while, those who come are turned away at once, until one is")
    func outage() async throws {
        var limits = AppendQueue.Limits(batchEvents: 10, queuedEvents: 10, queuedBytes: 10)
        limits.outage = .zero
        let queue = AppendQueue(limits)
        queue.writerConnected()
        queue.writerDisconnected()
        // Nothing says yet that it cannot connect again.
        let first = Task { try await submit(queue, 3) }
        await settle(queue, depth: 3)
        queue.failAllWaiting(.unavailable("away"))
        await #expect(throws: AppendError.self) { try await first.value }

        await #expect(throws: AppendError.self) { _ = try await submit(queue, 2) }
        #expect(queue.depth == 0)

        queue.writerConnected()
        let second = Task { try await submit(queue, 2) }
        await settle(queue, depth: 2)
        answer(try #require(await queue.next(for: 1)))
        #expect(try await second.value == 2)
    }
}
