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
    }

    private let state = Mutex(State())

    deinit {
        detach()
    }

    /// Whether ``interrupt()`` was called: such a connection must not be used again.
    var isInterrupted: Bool {
        state.withLock { $0.interrupted }
    }

    func attach(socket: Int32) {
        guard socket >= 0 else { return }
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        state.withLock { state in
            if let old = state.descriptor { close(old) }
            state.descriptor = copy >= 0 ? copy : nil
        }
    }

    func detach() {
        state.withLock { state in
            if let old = state.descriptor { close(old) }
            state.descriptor = nil
        }
    }

    func interrupt() {
        state.withLock { state in
            state.interrupted = true
            if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }
}
