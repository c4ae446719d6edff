import EventLog
import HTTPTypes
import Synchronization
import Testing

@testable import Service

@Suite(.timeLimit(.minutes(1)))
struct WaitingSlotsTests {
    /// Until a task has got as far as it gets by itself.
    private func until(_ isSo: () -> Bool) async { while !Task.isCancelled, !isSo() { await Task.yield() } }

    @Test func aKeyWaitsForItselfAndForNobodyElse() async throws {
        let slots = WaitingSlots("reports", perKey: 1, timeout: .seconds(600))
        var first: Slot? = try await slots.take("a")
        let second = Task { try await slots.take("a") }
        await until { slots.waiting("a") == 1 }
        // Another's turn is not behind those that wait.
        _ = try await slots.take("b")
        #expect(slots.waiting("a") == 1)
        withExtendedLifetime(first) {}
        first = nil
        _ = try await second.value
        #expect(slots.waiting("a") == 0)
    }

    @Test func whoWaitsTooLongOrBehindTooManyIsTurnedAway() async throws {
        let slots = WaitingSlots("reports", perKey: 1, queue: 1, timeout: .seconds(600))
        let held = try await slots.take("a")
        let waiting = Task { try await slots.take("a") }
        await until { slots.waiting("a") == 1 }
        let refused = await #expect(throws: Problem.self) { try await slots.take("a") }
        #expect(refused?.status == .tooManyRequests)
        #expect(["1", "2"].contains(refused?.headers[.retryAfter]))
        // A caller that leaves is removed from the queue.
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(slots.waiting("a") == 0)
        withExtendedLifetime(held) {}

        let hasty = WaitingSlots("reports", perKey: 1, timeout: .zero)
        let only = try await hasty.take("a")
        await #expect(throws: Problem.self) { try await hasty.take("a") }
        withExtendedLifetime(only) {}
    }

    @Test(arguments: ["reports", "requests"])
    func theRefusalSpeaksOfTheWorkThatWasAskedFor(work: String) async throws {
        let slots = WaitingSlots(work, perKey: 1, queue: 0, timeout: .seconds(600))
        let held = try await slots.take("a")
        let refused = await #expect(throws: Problem.self) { try await slots.take("a") }
        #expect(refused?.code == "too_many_\(work)")
        #expect(refused?.detail.hasPrefix("the key has 1 \(work) of this kind under way") == true)
        withExtendedLifetime(held) {}
    }

    @Test func allKeysTogetherAreBounded() async throws {
        let slots = WaitingSlots("reports", perKey: 2, total: 2, timeout: .seconds(600))
        var held: [Slot] = [try await slots.take("a"), try await slots.take("b")]
        let third = Task { try await slots.take("c") }
        await until { slots.waiting("c") == 1 }
        held.removeFirst()
        _ = try await third.value
    }

    @Test func anAppHasItsShareByHoweverManyKeys() async throws {
        let slots = WaitingSlots("reports", perKey: 2, perApp: 3, total: 4, timeout: .seconds(600))
        var held: [Slot] = []
        for key in ["a1", "a1", "a2"] { held.append(try await slots.take(key, of: "a")) }
        let waiting = Task { try await slots.take("a3", of: "a") }
        await until { slots.waiting("a3") == 1 }
        let other = try await slots.take("b1", of: "b")
        #expect(slots.waiting("a3") == 1)
        held.removeFirst()
        _ = try await waiting.value
        withExtendedLifetime((held, other)) {}
    }

    @Test func whoseAppHasTheFewestIsNext() async throws {
        let slots = WaitingSlots("reports", perKey: 2, total: 4, timeout: .seconds(600))
        var held: [String: [Slot]] = [:]
        for key in ["a", "a", "b", "b"] { held[key, default: []].append(try await slots.take(key)) }
        // Two loop, and each of them was there before the third.
        let looping = ["a", "b"].map { key in Task { try await slots.take(key) } }
        await until { slots.waiting("a") == 1 && slots.waiting("b") == 1 }
        let third = Task { try await slots.take("c") }
        await until { slots.waiting("c") == 1 }
        held["a"]?.removeFirst()
        #expect(slots.waiting("c") == 0)
        #expect(slots.waiting("a") == 1 && slots.waiting("b") == 1)
        held = [:]
        for task in looping + [third] { _ = try await task.value }
    }

    @Test func anAnswerThatHasBegunWaitsBehindAnyNumber() async throws {
        let slots = WaitingSlots("reports", perKey: 1, queue: 0, timeout: .seconds(600))
        var held: Slot? = try await slots.take("a")
        await #expect(throws: Problem.self) { try await slots.take("a") }
        let part = Task { try await slots.take("a", isUnderWay: true) }
        await until { slots.waiting("a") == 1 }
        withExtendedLifetime(held) {}
        held = nil
        _ = try await part.value
    }

    /// The timer would keep it alive for ten minutes.
    @Test func noTimerOutlivesItsWaiter() async throws {
        weak var released: WaitingSlots?
        do {
            let slots = WaitingSlots("reports", perKey: 1, timeout: .seconds(600))
            released = slots
            var first: Slot? = try await slots.take("a")
            let second = Task { try await slots.take("a") }
            await until { slots.waiting("a") == 1 }
            withExtendedLifetime(first) {}
            first = nil
            _ = try await second.value
        }
        await until { released == nil }
    }

    @Test func anAppHasHalfOfTheDisk() {
        let room = SpillRoom(ofAnswer: 60, total: 100)
        let (one, other) = (room.share(of: AppID(rawValue: 1)), room.share(of: AppID(rawValue: 2)))
        #expect(one.take(50))
        #expect(!one.take(1))
        #expect(other.take(50))
        one.give(50)
        #expect(!other.take(1))
        #expect(one.take(1))
    }

    @Test func aMakerGoesNoFurtherThanThereIsRoom() async throws {
        let pieces = SpillingPipe(room: 10)
        let made = Counter()
        let making = Task {
            for number in 0..<100 {
                try await pieces.put([UInt8(number), 0, 0, 0, 0])
                made.increment()
            }
            pieces.finish(.success(()))
        }
        await until { made.value == 2 }
        for _ in 0..<1000 { await Task.yield() }
        #expect(made.value == 2)
        for number in 0..<100 { #expect(try await pieces.take()?.first == UInt8(number)) }
        #expect(try await pieces.take() == nil)
        try await making.value
    }

    @Test func whatDoesNotFitIntoMemoryLiesInAFile() async throws {
        let spill = SpillRoom(ofAnswer: 300_000, total: 1_000_000).share(of: AppID(rawValue: 1))
        func piece(_ number: Int) -> [UInt8] { Array(repeating: UInt8(number % 251), count: 1000) }
        do {
            let pieces = SpillingPipe(room: 2000, spill: spill)
            // Memory, then the file: the maker waits for nobody.
            for number in 0..<302 { try await pieces.put(piece(number)) }
            let other = SpillingPipe(room: 2000, spill: spill)
            for number in 0..<202 { try await other.put(piece(number)) }
            let refused = CancellationError()
            await #expect(throws: CancellationError.self) {
                try await pieces.put([1]) { throw refused }
            }
            await #expect(throws: CancellationError.self, "together there is no more room") {
                try await other.put([1]) { throw refused }
            }
            pieces.finish(.success(()))
            var taken: [UInt8] = []
            while let piece = try await pieces.take() { taken += piece }
            let expected: [UInt8] = (0..<302).flatMap(piece)
            #expect(taken == expected)
        }
        #expect(spill.take(500_000), "given back with the answer")
    }

    @Test func makerAndTakerKeepTheOrder() async throws {
        let pieces = SpillingPipe(
            room: 500,
            spill: SpillRoom(ofAnswer: 20_000, total: 40_000).share(of: AppID(rawValue: 1))
        )
        func piece(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(number % 251), count: number % 37) }
        let making = Task {
            for number in 0..<5000 { try await pieces.put(piece(number)) }
            pieces.finish(.success(()))
        }
        var taken: [UInt8] = []
        while let piece = try await pieces.take() {
            taken += piece
            if taken.count % 7 == 0 { await Task.yield() }
        }
        try await making.value
        let expected: [UInt8] = (0..<5000).flatMap(piece)
        #expect(taken == expected)
    }

    @Test("an empty piece is not taken: it would pass for the end where it comes as the taker waits")
    func emptyPieces() async throws {
        let pieces = SpillingPipe(room: 10)
        for piece in [[], [1], [], [2]] as [[UInt8]] { try await pieces.put(piece) }
        pieces.finish(.success(()))
        #expect(try await pieces.take() == [1])
        #expect(try await pieces.take() == [2])
        #expect(try await pieces.take() == nil)
    }

    @Test func whatTheMakerEndedWithComesAfterWhatItMade() async throws {
        let pieces = SpillingPipe(room: 10)
        try await pieces.put([1])
        pieces.finish(.failure(CancellationError()))
        #expect(try await pieces.take() == [1])
        await #expect(throws: CancellationError.self) { try await pieces.take() }

        let left = SpillingPipe(room: 1)
        try await left.put([1])
        let making = Task { try await left.put([2]) }
        left.leave()
        await #expect(throws: CancellationError.self) { try await making.value }

        let closed = SpillingPipe(room: 1)
        try await closed.put([1])
        let waiting = Task { try await closed.put([2]) }
        closed.close()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(try await closed.take() == [1])
    }
}

private final class Counter: Sendable {
    private let state = Mutex(0)
    var value: Int { state.withLock { $0 } }
    func increment() { state.withLock { $0 += 1 } }
}
