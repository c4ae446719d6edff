import Synchronization

/// A wait that a signal can end, for good.
final class Pause: Sendable {
    private struct State {
        var isEnded = false
        var sleeper: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Whether it was ended: every later wait returns at once.
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Waits so long, unless it is ended before.
    func wait(_ duration: Duration) async {
        let sleeper = state.withLock { state -> Task<Void, Never>? in
            guard !state.isEnded else { return nil }
            let sleeper = Task<Void, Never> { _ = try? await ContinuousClock().sleep(for: duration) }
            state.sleeper = sleeper
            return sleeper
        }
        await sleeper?.value
    }

    /// Ends the wait under way, and all to come.
    func end() {
        let sleeper = state.withLock { state in
            state.isEnded = true
            return state.sleeper
        }
        sleeper?.cancel()
    }
}
