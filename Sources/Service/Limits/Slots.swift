internal import EventLog
internal import Pacing
internal import Synchronization

/// Limits concurrent work of one kind, in all and for one app.
final class Slots: Sendable {
    private struct State {
        var all = 0
        var apps: [AppID: Int] = [:]
        var given = DrainRate()
    }

    private let limit: Int
    private let appLimit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: the most at a time.
    ///   - appLimit: the most of it for one app.
    init(limit: Int, appLimit: Int) {
        self.limit = limit
        self.appLimit = appLimit
    }

    /// A slot, released with its last reference.
    ///
    /// - Throws: ``Problem`` 503 if all are taken, or the app has its maximum.
    func take(_ app: AppID) throws(Problem) -> Slot {
        let wait: Double? = state.withLock { state in
            let own = state.apps[app, default: 0]
            guard state.all < limit, own < appLimit else { return state.given.seconds(for: 1) }
            state.all += 1
            state.apps[app] = own + 1
            return nil
        }
        if let wait { throw Problem.overloaded(wait: wait) }
        return Slot { self.release(app) }
    }

    /// The number of slots that are taken now.
    var taken: Int { state.withLock { $0.all } }

    private func release(_ app: AppID) {
        state.withLock { state in
            state.all -= 1
            let own = state.apps[app, default: 0] - 1
            state.apps[app] = own == 0 ? nil : own
            state.given.done(1)
        }
    }
}
