internal import EventLog
internal import Pacing
internal import Synchronization

/// Limits concurrent work of one kind, including answers being sent: of one key, of one app with all of its keys, and together.
///
/// What comes beyond waits, where ``Slots`` refuses it. A slot goes to an app with the fewest, and among its waiters to the first
/// below its key's limit: so no key delays another, and however many wait for one app, another waits for none of them. What
/// waits too long, or behind too many of its own key, is refused.
final class WaitingSlots: Sendable {
    private struct Waiter {
        let id: UInt64
        let owner: Owner
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Owner {
        let key: String
        let app: String
    }

    private struct State {
        var ofKeys: [String: Int] = [:]
        var ofApps: [String: Int] = [:]
        var total = 0
        var waiting: [Waiter] = []
        var lastID: UInt64 = 0
        var given = DrainRate()
    }

    private let state = Mutex(State())
    private let perKey: Int
    private let perApp: Int
    private let together: Int
    private let queue: Int
    private let patience: Duration
    private let owner: String
    private let work: String

    /// - Parameters:
    ///   - work: what is limited, in the plural: `reports` or `requests`.
    ///   - owner: what a key is one of, in words.
    ///   - perKey: how many of one key at a time.
    ///   - perApp: how many of one app at a time.
    ///   - together: how many of all keys at a time.
    ///   - queue: how many of one key may wait.
    ///   - patience: how long one waits.
    init(
        _ work: String,
        of owner: String = "key",
        perKey: Int,
        perApp: Int = 16,
        together: Int = 32,
        queue: Int = 32,
        patience: Duration = .seconds(10)
    ) {
        self.work = work
        self.owner = owner
        self.perKey = perKey
        self.perApp = perApp
        self.together = together
        self.queue = queue
        self.patience = patience
    }

    /// The shares of apps in some connections: half of them for one app at most.
    ///
    /// - Parameter connections: of all apps together.
    static func ofApps(connections: Int) -> WaitingSlots {
        let share = max(1, connections / 2)
        return WaitingSlots("requests", of: "app", perKey: share, perApp: share, together: connections)
    }

    /// A slot for a key, released with its last reference.
    ///
    /// - Parameters:
    ///   - key: whose work.
    ///   - app: whose key; nil where keys are apps.
    ///   - isUnderWay: part of an answer that has begun: it waits behind any number, and six times as long.
    /// - Throws: ``Problem`` 429 if none became free in time.
    func take(_ key: String, of app: String? = nil, isUnderWay: Bool = false) async throws -> Slot {
        try Task.checkCancellation()
        let owner = Owner(key: key, app: app ?? key)
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let isIn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isIn: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if mayEnter(owner, state) {
                        enter(owner, &state)
                        return true
                    }
                    guard isUnderWay || state.waiting.count(where: { $0.owner.key == key }) < queue else {
                        return false
                    }
                    state.waiting.append(Waiter(id: id, owner: owner, continuation: continuation))
                    return nil
                }
                if let isIn { return continuation.resume(returning: isIn) }
                Task {
                    try? await ContinuousClock().sleep(for: isUnderWay ? patience * 6 : patience)
                    turnAway(id)
                }
            }
        } onCancel: {
            turnAway(id)
        }
        guard isIn else {
            try Task.checkCancellation()
            throw refusal(owner)
        }
        return Slot { self.giveBack(owner) }
    }

    /// Works within an app's share.
    ///
    /// - Throws: as ``take(_:of:isUnderWay:)``, and what the work throws.
    func share<Value>(of app: AppID, isUnderWay: Bool = false, _ work: () async throws -> Value) async throws -> Value {
        let slot = try await take(app.description, isUnderWay: isUnderWay)
        defer { withExtendedLifetime(slot) {} }
        return try await work()
    }

    /// How many of a key wait.
    func waiting(_ key: String) -> Int {
        state.withLock { state in state.waiting.count { $0.owner.key == key } }
    }

    private func mayEnter(_ owner: Owner, _ state: State) -> Bool {
        state.total < together && state.ofKeys[owner.key, default: 0] < perKey
            && state.ofApps[owner.app, default: 0] < perApp
    }

    private func enter(_ owner: Owner, _ state: inout State) {
        state.total += 1
        state.ofKeys[owner.key, default: 0] += 1
        state.ofApps[owner.app, default: 0] += 1
    }

    /// The first waiter of those whose app has the fewest slots.
    private func next(_ state: State) -> Int? {
        func taken(_ index: Int) -> Int { state.ofApps[state.waiting[index].owner.app, default: 0] }
        return state.waiting.indices.filter { mayEnter(state.waiting[$0].owner, state) }.min { taken($0) < taken($1) }
    }

    private func turnAway(_ id: UInt64) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: false)
    }

    private func refusal(_ owner: Owner) -> Problem {
        state.withLock { state in
            // Those before it, at the rate at which all are made.
            let wait = state.given.seconds(for: state.waiting.count { $0.owner.key == owner.key } + 1)
            return state.ofKeys[owner.key, default: 0] < perKey && state.ofApps[owner.app, default: 0] >= perApp
                ? Problem.tooMany(work, perApp, of: "app", wait: wait)
                : Problem.tooMany(work, perKey, of: self.owner, wait: wait)
        }
    }

    private func giveBack(_ owner: Owner) {
        let waiter: Waiter? = state.withLock { state in
            state.total -= 1
            state.given.done(1)
            state.ofKeys.giveOne(owner.key)
            state.ofApps.giveOne(owner.app)
            guard let index = next(state) else { return nil }
            enter(state.waiting[index].owner, &state)
            return state.waiting.remove(at: index)
        }
        waiter?.continuation.resume(returning: true)
    }
}

extension [String: Int] {
    /// One less of a key; those of which nothing is left go.
    fileprivate mutating func giveOne(_ key: String) {
        let left = self[key, default: 1] - 1
        self[key] = left == 0 ? nil : left
    }
}
