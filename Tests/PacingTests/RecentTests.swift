import Synchronization
import Testing

@testable import Pacing

@Suite("Recent", .timeLimit(.minutes(1)))
struct RecentTests {
    /// Finds 1, 2 and so on, each once it is let go.
    private final class Search: Sendable {
        private let state = Mutex<(found: Int, isOpen: Bool)>((0, false))

        func open() { state.withLock { $0.isOpen = true } }

        func find() async -> Int {
            while !state.withLock({ $0.isOpen }) { await Task.yield() }
            return state.withLock { state in
                state.found += 1
                return state.found
            }
        }
    }

    /// Returns once so many callers wait.
    private func wait(for count: Int, in recent: Recent<Int>) async {
        while !Task.isCancelled, await recent.waiting < count { await Task.yield() }
    }

    @Test("callers at one time share one search, whose result is kept")
    func oneSearch() async throws {
        let search = Search()
        let recent = Recent(for: .seconds(60)) { await search.find() }
        let found = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await recent.value() } }
            await wait(for: 50, in: recent)
            search.open()
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(found == [1])
        #expect(try await recent.value() == 1)
    }

    @Test("a result whose time is over is looked for again")
    func anotherSearch() async throws {
        let search = Search()
        search.open()
        let recent = Recent(for: .zero) { await search.find() }
        #expect(try await recent.value() == 1)
        #expect(try await recent.value() == 2)
    }

    @Test("a caller waits as long as it likes, and the search goes on for the others")
    func limited() async throws {
        let search = Search()
        let recent = Recent(for: .seconds(60)) { await search.find() }
        #expect(try await recent.value(within: .milliseconds(20)) == nil)
        let second = Task { try await recent.value() }
        await wait(for: 2, in: recent)
        search.open()
        #expect(try await second.value == 1)
        #expect(try await recent.value(within: .zero) == 1)
    }

    @Test("a caller that is cancelled leaves at once, and the others get the result")
    func cancelled() async throws {
        let search = Search()
        let recent = Recent(for: .seconds(60)) { await search.find() }
        // The search was begun for the one that leaves.
        let first = Task { try await recent.value() }
        await wait(for: 1, in: recent)
        let second = Task { try await recent.value() }
        await wait(for: 2, in: recent)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        search.open()
        #expect(try await second.value == 1)
    }
}
