import Synchronization

/// A wait that a signal can end for good.
final class Pause: Sendable {
    private struct State {
        var isEnded = false
        var sleeper: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Whether it was ended: then every wait returns at once.
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Waits for a time, unless it was ended.
    func wait(_ duration: Duration) async {
        let sleeper = state.withLock { state -> Task<Void, Never>? in
            guard !state.isEnded else { return nil }
            let sleeper = Task<Void, Never> { _ = try? await ContinuousClock().sleep(for: duration) }
            state.sleeper = sleeper
            return sleeper
        }
        await sleeper?.value
    }

    /// Ends the current wait and all later ones.
    func end() {
        let sleeper = state.withLock { state in
            state.isEnded = true
            return state.sleeper
        }
        sleeper?.cancel()
    }
}
