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
        /// Counts up as each watch begins and as it ends.
        var watch: UInt64 = 0

        mutating func interrupt() {
            interrupted = true
            if let descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private let state = Mutex(State())

    deinit {
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
    func watch(for limit: Duration) -> Task<Void, Never> {
        let number = state.withLock { state in
            state.watch += 1
            return state.watch
        }
        return Task {
            guard (try? await ContinuousClock().sleep(for: limit)) != nil else { return }
            state.withLock { if $0.watch == number { $0.interrupt() } }
        }
    }

    func end(_ watch: Task<Void, Never>) {
        state.withLock { $0.watch += 1 }
        watch.cancel()
    }
}
