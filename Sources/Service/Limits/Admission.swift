internal import Synchronization

/// Bounds what the service works on at a time, so that overload is turned away rather than kept in memory.
///
/// Bytes are counted as they come, requests once they are whole: a sender that takes its time keeps nobody out.
final class Admission: Sendable {
    private struct State {
        var requests = 0
        var bytes = 0
    }

    private let state = Mutex(State())
    private let requestLimit: Int
    private let byteLimit: Int

    /// - Parameters:
    ///   - requests: the most requests worked on at a time.
    ///   - bytes: the most bytes that they and those still coming hold, together. A single request is always let in.
    init(requests: Int, bytes: Int) {
        requestLimit = requests
        byteLimit = bytes
    }

    /// Requests worked on, and the bytes held.
    var load: (requests: Int, bytes: Int) {
        state.withLock { ($0.requests, $0.bytes) }
    }

    /// Lets a whole request in, or refuses it. Whoever was let in says ``leave()`` in the end.
    func enter() -> Bool {
        state.withLock { state in
            guard state.requests < requestLimit else { return false }
            state.requests += 1
            return true
        }
    }

    /// A request is answered.
    func leave() {
        state.withLock { $0.requests -= 1 }
    }

    /// Sets what a request holds, or refuses more than there is room for.
    ///
    /// - Parameters:
    ///   - bytes: what it is to hold from now on.
    ///   - held: what it holds so far.
    func hold(_ bytes: Int, held: Int) -> Bool {
        state.withLock { state in
            let others = state.bytes - held
            guard bytes <= held || others == 0 || others + bytes <= byteLimit else { return false }
            state.bytes = others + bytes
            return true
        }
    }
}

/// What one request holds of the ``Admission``'s bytes; it is given back at the end of its life.
struct Holding: ~Copyable {
    private let admission: Admission
    private(set) var bytes = 0

    init(_ admission: Admission) {
        self.admission = admission
    }

    deinit {
        _ = admission.hold(0, held: bytes)
    }

    /// Holds so many bytes from now on.
    ///
    /// - Throws: ``Problem`` 503 where there is no room.
    mutating func hold(_ wanted: Int) throws(Problem) {
        guard admission.hold(wanted, held: bytes) else { throw .overloaded }
        bytes = wanted
    }
}
