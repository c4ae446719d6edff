internal import Synchronization

/// Bounds what the service works on at a time, so that overload is turned away rather than kept in memory.
final class Admission: Sendable {
    private struct State {
        var requests = 0
        var bytes = 0
    }

    private let state = Mutex(State())
    private let requestLimit: Int
    private let byteLimit: Int

    /// - Parameters:
    ///   - requests: the most requests at a time.
    ///   - bytes: the most bytes of their bodies, together. A single request is always let in.
    init(requests: Int, bytes: Int) {
        requestLimit = requests
        byteLimit = bytes
    }

    /// Requests under way, and the bytes reserved for them.
    var load: (requests: Int, bytes: Int) {
        state.withLock { ($0.requests, $0.bytes) }
    }

    /// Lets a request in, or refuses it. Whoever was let in says ``leave(bytes:)`` in the end.
    func enter(bytes: Int) -> Bool {
        state.withLock { state in
            guard state.requests < requestLimit, state.requests == 0 || state.bytes + bytes <= byteLimit else {
                return false
            }
            state.requests += 1
            state.bytes += bytes
            return true
        }
    }

    /// A request is answered.
    func leave(bytes: Int) {
        state.withLock { state in
            state.requests -= 1
            state.bytes -= bytes
        }
    }
}
