/// Makes callers wait while somebody is inside.
final class Gate: Sendable {
    private struct State {
        var inside = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    /// Runs something while the gate is closed.
    func closed<Result>(_ body: () throws -> Result) rethrows -> Result {
        state.withLock { $0.inside += 1 }
        defer {
            let freed = state.withLock { state in
                state.inside -= 1
                guard state.inside == 0 else { return [CheckedContinuation<Void, Never>]() }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in freed { continuation.resume() }
        }
        return try body()
    }

    /// Returns once nobody is inside.
    func passed() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isFree = state.withLock { state in
                guard state.inside > 0 else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }
}
