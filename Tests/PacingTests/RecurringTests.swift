import Logging
import Synchronization
import Testing

@testable import Pacing

@Suite("Recurring work", .timeLimit(.minutes(1)))
struct RecurringTests {
    private struct Failure: Error {}

    /// A time of day that a test sets.
    private final class Clock: Sendable {
        private let time = Mutex<Int64>(0)

        var now: Int64 { time.withLock { $0 } }
        func set(_ seconds: Int64) { time.withLock { $0 = seconds * 1_000_000 } }
    }

    /// Counts the times that a clock was read.
    private final class Reads: Sendable {
        private let count = Mutex(0)

        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("runs at the start, and again after each pause")
    func pause() async throws {
        let (runs, run) = AsyncStream<Void>.makeStream()
        let recurring = Recurring("done", every: .pause(.milliseconds(1)), logger: logger) {
            run.yield()
            return 0
        }
        let running = Task { await recurring.run() }
        var count = 0
        for await _ in runs {
            count += 1
            if count == 3 { break }
        }
        running.cancel()
        await running.value
    }

    @Test("an error is followed by its own pause, or a second; by no wait for the interval")
    func errors() async throws {
        let (runs, run) = AsyncStream<ContinuousClock.Instant>.makeStream()
        let asked = Mutex(0)
        let recurring = Recurring(
            "done",
            every: .pause(.seconds(3600)),
            retry: { error in
                #expect(error is Failure)
                return asked.withLock { asked in
                    asked += 1
                    return asked == 1 ? .milliseconds(1) : nil
                }
            },
            logger: logger
        ) {
            run.yield(.now)
            throw Failure()
        }
        let running = Task { await recurring.run() }
        var instants: [ContinuousClock.Instant] = []
        for await instant in runs {
            instants.append(instant)
            if instants.count == 3 { break }
        }
        #expect(instants[2] - instants[1] >= .milliseconds(500))
        running.cancel()
        await running.value
    }

    @Test(
        "by a clock it runs as soon as that has gone the interval ahead, or back, and not before",
        arguments: [1, -1]
    )
    func clock(direction: Int64) async throws {
        let clock = Clock()
        let reads = Reads()
        let (runs, run) = AsyncStream<Int64>.makeStream()
        let now: @Sendable () -> Int64 = {
            reads.add()
            return clock.now
        }
        let recurring = Recurring(
            "done",
            every: .clock(.seconds(60), now: now, check: .milliseconds(1)),
            logger: logger
        ) {
            run.yield(clock.now)
            return 0
        }
        let running = Task { await recurring.run() }
        var iterator = runs.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        clock.set(59 * direction)
        let before = reads.value
        while !Task.isCancelled, reads.value < before + 3 { await Task.yield() }
        clock.set(60 * direction)
        #expect(await iterator.next() == 60_000_000 * direction)
        running.cancel()
        await running.value
    }

    @Test("once means once, whatever comes of it")
    func once() async {
        let count = Mutex(0)
        let recurring = Recurring("done", every: .pause(.zero), logger: logger) {
            count.withLock { $0 += 1 }
            throw Failure()
        }
        await recurring.runOnce()
        #expect(count.withLock { $0 } == 1)
    }
}
