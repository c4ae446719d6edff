internal import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Breaks a connection off from outside its thread, so that a cancelled task need not wait for the server's answer.
///
/// It holds a duplicate of the socket's descriptor: libpq may close its own at any moment, after which the number
/// could belong to another connection. Nothing is asked of the server (`PQcancel` may hit the next query); it
/// notices the closed socket through `client_connection_check_interval`.
final class Interrupter: Sendable {
    private struct State {
        var descriptor: Int32?
        var interrupted = false
        /// When the statement under way is interrupted, if it is watched.
        var deadline: ContinuousClock.Instant?
        /// The task that looks for an expired deadline, and when it does so next. It outlives the watch that started it, so that most
        /// statements need no task of their own.
        var watcher: (task: Task<Void, Never>, wakes: ContinuousClock.Instant)?

        mutating func interrupt() {
            interrupted = true
            if let descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private let state = Mutex(State())

    deinit {
        state.withLock { $0.watcher?.task.cancel() }
        detach()
    }

    /// Whether ``interrupt()`` was called: such a connection must not be used again.
    var isInterrupted: Bool {
        state.withLock { $0.interrupted }
    }

    /// - Returns: whether there is a copy of the descriptor, which an interruption needs.
    func attach(socket: Int32) -> Bool {
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        return state.withLock { state in
            if let old = state.descriptor { close(old) }
            state.descriptor = copy >= 0 ? copy : nil
            return copy >= 0
        }
    }

    func detach() {
        state.withLock { state in
            if let old = state.descriptor { close(old) }
            state.descriptor = nil
        }
    }

    func interrupt() {
        state.withLock { $0.interrupt() }
    }

    /// Interrupts after a while, whether or not the current task is cancelled, unless the watch has ended before: not even one
    /// that has just expired affects the next statement. There is one at a time.
    func watch(for limit: Duration) {
        let deadline = ContinuousClock.now + limit
        state.withLock { state in
            state.deadline = deadline
            if let watcher = state.watcher {
                // It finds a later deadline by itself.
                guard deadline < watcher.wakes else { return }
                watcher.task.cancel()
            }
            state.watcher = (watcher(from: deadline), deadline)
        }
    }

    func endWatch() {
        state.withLock { $0.deadline = nil }
    }

    private func watcher(from time: ContinuousClock.Instant) -> Task<Void, Never> {
        Task { [weak self] in
            var next: ContinuousClock.Instant? = time
            while let time = next, (try? await ContinuousClock().sleep(until: time)) != nil {
                next = self?.checkDeadline()
            }
        }
    }

    /// Interrupts a statement whose time is over.
    ///
    /// - Returns: when to look again; nil to end the watcher.
    @discardableResult
    func checkDeadline(now: ContinuousClock.Instant = .now) -> ContinuousClock.Instant? {
        state.withLock { state in
            // Cancelled for an earlier deadline, which has a watcher of its own.
            guard !Task.isCancelled else { return nil }
            if let deadline = state.deadline, deadline <= now { state.interrupt() }
            guard let deadline = state.deadline, deadline > now else {
                state.watcher = nil
                return nil
            }
            state.watcher?.wakes = deadline
            return deadline
        }
    }
}
