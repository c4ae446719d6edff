internal import Synchronization

/// Bytes that one task makes and another takes, which waits for them: so many may lie between them, then the maker waits too.
final class Handover: Sendable {
    private struct State {
        var pieces: [[UInt8]] = []
        var bytes = 0
        var end: Result<Void, any Error>?
        var taker: CheckedContinuation<Void, Never>?
        var maker: CheckedContinuation<Void, Never>?
        var isLeft = false
    }

    private let state = Mutex(State())
    private let room: Int

    /// - Parameter room: how many bytes may lie between the two, and one piece more.
    init(room: Int) {
        self.room = room
    }

    /// Puts a piece down, once there is room for it.
    ///
    /// - Throws: `CancellationError` where nobody takes any more.
    func put(_ piece: [UInt8]) async throws {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.bytes >= room, !state.isLeft else { return true }
                state.maker = continuation
                return false
            }
            if isFree { continuation.resume() }
        }
        let taker = try state.withLock { state in
            guard !state.isLeft else { throw CancellationError() }
            state.pieces.append(piece)
            state.bytes += piece.count
            return state.taker.take()
        }
        taker?.resume()
    }

    /// Nothing more comes, or why nothing more comes.
    func finish(_ end: Result<Void, any Error>) {
        let taker = state.withLock { state in
            state.end = end
            return state.taker.take()
        }
        taker?.resume()
    }

    /// Nobody takes any more.
    func leave() {
        let maker = state.withLock { state in
            state.isLeft = true
            state.pieces = []
            return state.maker.take()
        }
        maker?.resume()
    }

    /// The next piece; nil at the end.
    ///
    /// - Throws: what the maker ended with.
    func take() async throws -> [UInt8]? {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard state.pieces.isEmpty, state.end == nil else { return true }
                state.taker = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        let (piece, maker) = try state.withLock { state in
            guard !state.pieces.isEmpty else {
                try state.end?.get()
                return (nil as [UInt8]?, nil as CheckedContinuation<Void, Never>?)
            }
            let piece = state.pieces.removeFirst()
            state.bytes -= piece.count
            return (piece, state.bytes < room ? state.maker.take() : nil)
        }
        maker?.resume()
        return piece
    }
}
