internal import Synchronization

/// Signals within this process that the log has grown or settled, so that readers need not wait for the next poll.
///
/// A hint only: what happens in other processes is found by polling.
public final class LogSignal: Sendable {
    private struct State {
        var settled: Position = .start
        var appendWaiter = WaiterList()
        var hasAppended = false
        var settledWaiters = WaiterList()
    }

    private let state = Mutex(State())

    /// A signal that nothing has happened on yet.
    public init() {}

    /// The highest position known here to be settled; 0 until one is known.
    public var settledPosition: Position {
        state.withLock { $0.settled }
    }

    /// Something was stored.
    func appended() {
        let waiters = state.withLock { state in
            state.hasAppended = true
            return state.appendWaiter.takeAll()
        }
        waiters.forEach { $0.resume() }
    }

    /// Every position up to this one is settled. Called by the ``Settler``, also as it stands by while another process settles.
    public func settled(upTo position: Position) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard position > state.settled else { return [] }
            state.settled = position
            return state.settledWaiters.takeAll()
        }
        waiters.forEach { $0.resume() }
    }

    /// The log went back in time, as by a restore: events beyond this position are gone.
    func setBack(to position: Position) {
        state.withLock { $0.settled = position }
    }

    /// Waits until something was stored since the last call, but no longer than `timeout` or than the task lives.
    func waitForAppend(timeout: Duration) async {
        await waitOrTimeOut(timeout) { id, continuation, state in
            if state.hasAppended {
                state.hasAppended = false
                return true
            }
            state.appendWaiter.add(id, continuation)
            return false
        }
        state.withLock { $0.hasAppended = false }
    }

    /// Waits until a position beyond this one is settled, but no longer than `timeout` or than the task lives.
    public func waitForSettled(beyond position: Position, timeout: Duration) async {
        await waitOrTimeOut(timeout) { id, continuation, state in
            if state.settled > position { return true }
            state.settledWaiters.add(id, continuation)
            return false
        }
    }

    private func waitOrTimeOut(
        _ timeout: Duration,
        _ register: @escaping @Sendable (WaiterList.ID, CheckedContinuation<Void, Never>, inout State) -> Bool
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await ContinuousClock().sleep(for: timeout) }
            group.addTask { await self.wait(register) }
            await group.next()
            group.cancelAll()
        }
    }

    private func wait(
        _ register: @Sendable (WaiterList.ID, CheckedContinuation<Void, Never>, inout State) -> Bool
    ) async {
        let id = WaiterList.ID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Either this sees the cancellation, or the handler sees what is registered here.
                let isDone = state.withLock { Task.isCancelled || register(id, continuation, &$0) }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            wake(id)
        }
    }

    private func wake(_ id: WaiterList.ID) {
        let waiter = state.withLock { $0.appendWaiter.take(id) ?? $0.settledWaiters.take(id) }
        waiter?.resume()
    }
}

/// Tasks that wait for one thing to happen.
struct WaiterList {
    /// Who waits.
    final class ID: Sendable {}

    private var waiters: [(id: ID, continuation: CheckedContinuation<Void, Never>)] = []

    mutating func add(_ id: ID, _ continuation: CheckedContinuation<Void, Never>) {
        waiters.append((id, continuation))
    }

    mutating func take(_ id: ID) -> CheckedContinuation<Void, Never>? {
        guard let index = waiters.firstIndex(where: { $0.id === id }) else { return nil }
        return waiters.remove(at: index).continuation
    }

    mutating func takeAll() -> [CheckedContinuation<Void, Never>] {
        defer { waiters = [] }
        return waiters.map(\.continuation)
    }
}
