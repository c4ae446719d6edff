internal import EventLog
internal import Pacing
internal import Synchronization

/// Limits concurrent work of one kind, including answers being sent: per key, per app and in total.
///
/// Requests beyond the limits wait, where ``Slots`` refuses them. A free slot goes to the waiting app with the fewest slots,
/// and there to the first waiter whose key is below its limit. So no key delays another, and no app waits for another app's
/// waiters. A request that waits too long, or behind too many of its own key, is refused.
final class WaitingSlots: Sendable {
    private struct Waiter {
        let id: UInt64
        let owner: Owner
        let continuation: CheckedContinuation<Bool, Never>
        /// Ends the wait when it has taken too long.
        let timer: Task<Void, Never>

        /// Ends the wait.
        func resume(returning isAdmitted: Bool) {
            timer.cancel()
            continuation.resume(returning: isAdmitted)
        }
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
    private let total: Int
    private let queue: Int
    private let timeout: Duration
    private let owner: String
    private let work: String

    /// - Parameters:
    ///   - work: what is limited, in the plural: `reports` or `requests`.
    ///   - owner: what a key stands for, in words: `key` or `app`.
    ///   - perKey: the most slots of one key.
    ///   - perApp: the most slots of one app.
    ///   - total: the most slots in all.
    ///   - queue: the most waiters of one key.
    ///   - timeout: the longest wait.
    init(
        _ work: String,
        of owner: String = "key",
        perKey: Int,
        perApp: Int = 16,
        total: Int = 32,
        queue: Int = 32,
        timeout: Duration = .seconds(10)
    ) {
        self.work = work
        self.owner = owner
        self.perKey = perKey
        self.perApp = perApp
        self.total = total
        self.queue = queue
        self.timeout = timeout
    }

    /// The shares of apps in some connections: half of them for one app at most.
    ///
    /// - Parameter connections: of all apps.
    static func ofApps(connections: Int) -> WaitingSlots {
        let share = max(1, connections / 2)
        return WaitingSlots("requests", of: "app", perKey: share, perApp: share, total: connections)
    }

    /// A slot for a key, released with its last reference.
    ///
    /// - Parameters:
    ///   - key: whose work.
    ///   - app: whose key; nil where keys are apps.
    ///   - isUnderWay: whether the answer has begun: then it waits behind any number, and six times as long.
    /// - Throws: ``Problem`` 429 if none became free in time.
    func take(_ key: String, of app: String? = nil, isUnderWay: Bool = false) async throws -> Slot {
        try Task.checkCancellation()
        let owner = Owner(key: key, app: app ?? key)
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let isAdmitted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAdmitted: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if mayEnter(owner, state) {
                        enter(owner, &state)
                        return true
                    }
                    guard isUnderWay || state.waiting.count(where: { $0.owner.key == key }) < queue else {
                        return false
                    }
                    let longest = isUnderWay ? timeout * 6 : timeout
                    let timer = Task {
                        guard (try? await ContinuousClock().sleep(for: longest)) != nil else { return }
                        reject(id)
                    }
                    state.waiting.append(Waiter(id: id, owner: owner, continuation: continuation, timer: timer))
                    return nil
                }
                if let isAdmitted { continuation.resume(returning: isAdmitted) }
            }
        } onCancel: {
            reject(id)
        }
        guard isAdmitted else {
            try Task.checkCancellation()
            throw refusal(owner)
        }
        return Slot { self.release(owner) }
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
        state.total < total && state.ofKeys[owner.key, default: 0] < perKey
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

    private func reject(_ id: UInt64) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
        }
        waiter?.resume(returning: false)
    }

    private func refusal(_ owner: Owner) -> Problem {
        state.withLock { state in
            // Those before it come first, at the rate at which slots become free.
            let wait = state.given.seconds(for: state.waiting.count { $0.owner.key == owner.key } + 1)
            return state.ofKeys[owner.key, default: 0] < perKey && state.ofApps[owner.app, default: 0] >= perApp
                ? Problem.tooMany(work, perApp, of: "app", wait: wait)
                : Problem.tooMany(work, perKey, of: self.owner, wait: wait)
        }
    }

    private func release(_ owner: Owner) {
        let waiter: Waiter? = state.withLock { state in
            state.total -= 1
            state.given.done(1)
            state.ofKeys.decrement(owner.key)
            state.ofApps.decrement(owner.app)
            guard let index = next(state) else { return nil }
            enter(state.waiting[index].owner, &state)
            return state.waiting.remove(at: index)
        }
        waiter?.resume(returning: true)
    }
}

extension [String: Int] {
    /// Decrements the count of a key, and removes it at 0.
    fileprivate mutating func decrement(_ key: String) {
        let left = self[key, default: 1] - 1
        self[key] = left == 0 ? nil : left
    }
}
