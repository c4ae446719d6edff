import Synchronization
import Testing

@testable import Pacing

@Suite("Turns")
struct TurnsTests {
    /// Who works, told from outside when to end.
    private final class Work: Sendable {
        private let state = Mutex<(begun: [String], ends: [String: CheckedContinuation<Void, Never>])>(([], [:]))

        var begun: [String] { state.withLock { $0.begun } }

        func work(_ name: String) async {
            await withCheckedContinuation { end in
                state.withLock {
                    $0.begun.append(name)
                    $0.ends[name] = end
                }
            }
        }

        func end(_ name: String) {
            state.withLock { $0.ends.removeValue(forKey: name) }?.resume()
        }

        func begins(_ count: Int) async {
            while !Task.isCancelled, begun.count < count { await Task.yield() }
        }
    }

    @Test("one of a key at a time, so many in all, in the order in which they came", .timeLimit(.minutes(1)))
    func order() async throws {
        let turns = Turns<String>(limit: 2)
        let work = Work()
        try await withThrowingTaskGroup { group in
            // The second of `a` waits for the first; `b` does not wait for either; `c` for one of the two places.
            for (place, name) in ["a1", "a2", "b1", "c1"].enumerated() {
                group.addTask { try await turns.take(String(name.prefix(1))) { await work.work(name) } }
                if place == 0 { await work.begins(1) }
                if place == 1 { while !Task.isCancelled, await turns.waitingCount < 1 { await Task.yield() } }
                if place == 2 { await work.begins(2) }
                if place == 3 { while !Task.isCancelled, await turns.waitingCount < 2 { await Task.yield() } }
            }
            #expect(work.begun == ["a1", "b1"])
            work.end("b1")
            await work.begins(3)
            #expect(work.begun == ["a1", "b1", "c1"], "a2 still waits for a1")
            work.end("a1")
            await work.begins(4)
            for name in ["a2", "c1"] { work.end(name) }
            try await group.waitForAll()
        }
        #expect(work.begun == ["a1", "b1", "c1", "a2"])
    }

    @Test("two who loop keep a third waiting for a turn of each at most", .timeLimit(.minutes(1)))
    func leastRecentlyServed() async throws {
        let turns = Turns<String>(limit: 1)
        let work = Work()
        try await withThrowingTaskGroup { group in
            for (place, name) in ["a1", "b1", "a2", "b2", "c1"].enumerated() {
                group.addTask { try await turns.take(String(name.prefix(1))) { await work.work(name) } }
                if place == 0 { await work.begins(1) }
                while !Task.isCancelled, await turns.waitingCount < place { await Task.yield() }
            }
            for number in 1...5 {
                await work.begins(number)
                if let last = work.begun.last { work.end(last) }
            }
            try await group.waitForAll()
        }
        #expect(work.begun == ["a1", "b1", "c1", "a2", "b2"])
    }
}
