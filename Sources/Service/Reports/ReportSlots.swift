internal import EventLog
internal import Pacing
internal import Synchronization

/// Limits concurrent reports, including those being sent: of one key, and together.
///
/// Further reports wait, first come, first served among keys below their limit; so one key does not delay another. A report that
/// waits too long, or behind too many of its own key, is refused.
final class ReportSlots: Sendable {
    private struct Waiter {
        let id: UInt64
        let key: String
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var taken: [String: Int] = [:]
        var total = 0
        var waiting: [Waiter] = []
        var lastID: UInt64 = 0
        var given = DrainRate()
    }

    private let state = Mutex(State())
    private let perKey: Int
    private let together: Int
    private let queue: Int
    private let patience: Duration
    private let owner: String

    /// - Parameters:
    ///   - owner: what a key is one of, in words.
    ///   - perKey: reports of one key at a time.
    ///   - together: reports of all keys at a time.
    ///   - queue: reports of one key that may wait.
    ///   - patience: how long one waits.
    init(
        _ owner: String = "key",
        perKey: Int,
        together: Int = 32,
        queue: Int = 32,
        patience: Duration = .seconds(10)
    ) {
        self.owner = owner
        self.perKey = perKey
        self.together = together
        self.queue = queue
        self.patience = patience
    }

    /// A slot for a report of a key, released with its last reference.
    ///
    /// - Throws: ``Problem`` 429 if none became free in time.
    func take(_ key: String) async throws -> Slot {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let isIn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isIn: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if enter(key, &state) { return true }
                    guard state.waiting.count(where: { $0.key == key }) < queue else { return false }
                    state.waiting.append(Waiter(id: id, key: key, continuation: continuation))
                    return nil
                }
                if let isIn { return continuation.resume(returning: isIn) }
                Task {
                    try? await ContinuousClock().sleep(for: patience)
                    turnAway(id)
                }
            }
        } onCancel: {
            turnAway(id)
        }
        guard isIn else {
            try Task.checkCancellation()
            let wait = state.withLock { state in
                // Those before it, at the rate at which all are made.
                state.given.seconds(for: state.waiting.count { $0.key == key } + 1)
            }
            throw Problem.tooManyReports(perKey, of: owner, wait: wait)
        }
        return Slot { self.giveBack(key) }
    }

    /// Reports of a key that wait.
    func waiting(_ key: String) -> Int {
        state.withLock { state in state.waiting.count { $0.key == key } }
    }

    private func enter(_ key: String, _ state: inout State) -> Bool {
        guard state.total < together, state.taken[key, default: 0] < perKey else { return false }
        state.total += 1
        state.taken[key, default: 0] += 1
        return true
    }

    private func turnAway(_ id: UInt64) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: false)
    }

    private func giveBack(_ key: String) {
        let next = state.withLock { state in
            state.total -= 1
            state.given.done(1)
            state.taken[key, default: 1] -= 1
            if state.taken[key] == 0 { state.taken[key] = nil }
            let index = state.waiting.firstIndex { enter($0.key, &state) }
            return index.map { state.waiting.remove(at: $0) }
        }
        next?.continuation.resume(returning: true)
    }
}
