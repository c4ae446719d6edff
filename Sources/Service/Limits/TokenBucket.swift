internal import Synchronization

/// The rate limit of one key: a token bucket with a steady rate of events and a capacity of one second.
///
/// A request is admitted while tokens are left and pays for its events afterwards, because their number is unknown before the
/// body is read; a debt is paid off by waiting.
final class TokenBucket: Sendable {
    private struct State {
        var tokens: Double
        var at: ContinuousClock.Instant
    }

    private let state: Mutex<State>
    private let perSecond: Double

    init(perSecond: Double, now: ContinuousClock.Instant = .now) {
        self.perSecond = perSecond
        state = Mutex(State(tokens: perSecond, at: now))
    }

    /// Seconds to wait before something may be sent again; `nil` when it may be sent now.
    func wait(now: ContinuousClock.Instant = .now) -> Double? {
        state.withLock { state in
            refill(&state, now)
            return state.tokens > 0 ? nil : max(-state.tokens, 1) / perSecond
        }
    }

    /// Pays for events.
    func spend(_ events: Int, now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            refill(&state, now)
            state.tokens -= Double(events)
        }
    }

    private func refill(_ state: inout State, _ now: ContinuousClock.Instant) {
        let passed = state.at.duration(to: now)
        guard passed > .zero else { return }
        state.tokens = min(perSecond, state.tokens + passed / .seconds(1) * perSecond)
        state.at = now
    }
}
