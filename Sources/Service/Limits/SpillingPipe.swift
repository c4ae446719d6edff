internal import Synchronization

/// A buffer of bytes between a producer and a consumer task.
///
/// It holds a number of bytes in memory, and more in a file. When both are full, the producer waits.
final class SpillingPipe: Sendable {
    private struct State {
        var pieces: [[UInt8]] = []
        var bytes = 0
        /// The range of the file that holds bytes, which follow all pieces.
        var filed = 0..<0
        var end: Result<Void, any Error>?
        var consumer: CheckedContinuation<Void, Never>?
        var producer: CheckedContinuation<Void, Never>?
        /// Nothing more may be put.
        var isClosed = false
    }

    private enum Destination {
        case memory(wake: CheckedContinuation<Void, Never>?)
        case file(Int)
        case none
    }

    private let state = Mutex(State())
    private let room: Int
    private let spill: SpillShare?
    private let file = Mutex<SpillFile?>(nil)
    private static let pieceBytes = 1 << 16

    /// - Parameters:
    ///   - room: how many bytes are buffered in memory, plus one piece.
    ///   - spill: the room on disk beyond that.
    init(room: Int, spill: SpillShare? = nil) {
        self.room = room
        self.spill = spill
    }

    deinit {
        let filed = state.withLock { $0.filed.upperBound }
        if filed > 0 { spill?.give(filed) }
    }

    /// Appends a piece once there is room for it. An empty one is nothing: who waits for bytes would be woken without any, and take
    /// that for the end.
    ///
    /// - Parameter waits: called before it waits for room.
    /// - Throws: `CancellationError` if the consumer left, or the pipe was closed; errors of `waits`.
    func put(_ piece: [UInt8], waits: () throws -> Void = {}) async throws {
        guard !piece.isEmpty else { return }
        while true {
            switch try destination(of: piece) {
            case .memory(let consumer):
                consumer?.resume()
                return
            case .file(let start):
                guard file.withLock({ $0 })?.write(piece, at: start) == true else {
                    spill?.give(piece.count)
                    break
                }
                let consumer = state.withLock { state in
                    state.filed = state.filed.lowerBound..<start + piece.count
                    return state.consumer.take()
                }
                consumer?.resume()
                return
            case .none: break
            }
            try waits()
            await roomForMore()
        }
    }

    /// Decides where the next piece goes, and appends it if that is memory.
    private func destination(of piece: [UInt8]) throws -> Destination {
        try state.withLock { state in
            guard !state.isClosed else { throw CancellationError() }
            if Self.hasRoom(state, room) {
                state.pieces.append(piece)
                state.bytes += piece.count
                return .memory(wake: state.consumer.take())
            }
            let end = state.filed.upperBound + piece.count
            guard let spill, end <= spill.ofAnswer, hasFile, spill.take(piece.count) else { return .none }
            return .file(state.filed.upperBound)
        }
    }

    private var hasFile: Bool {
        file.withLock { file in
            if file == nil { file = SpillFile() }
            return file != nil
        }
    }

    private static func hasRoom(_ state: State, _ room: Int) -> Bool {
        state.bytes < room && state.filed.isEmpty
    }

    private func roomForMore() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard !Self.hasRoom(state, room), !state.isClosed else { return true }
                state.producer = continuation
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Ends the pipe, with success or with the error of the producer.
    func finish(_ end: Result<Void, any Error>) {
        let consumer = state.withLock { state in
            state.end = end
            return state.consumer.take()
        }
        consumer?.resume()
    }

    /// The producer may put no more. What it has put can still be taken.
    func close() {
        let producer = state.withLock { state in
            state.isClosed = true
            return state.producer.take()
        }
        producer?.resume()
    }

    /// The consumer takes no more.
    func leave() {
        let producer = state.withLock { state in
            state.isClosed = true
            state.pieces = []
            return state.producer.take()
        }
        producer?.resume()
    }

    /// The next piece; nil at the end.
    ///
    /// - Throws: the error of the producer.
    func take() async throws -> [UInt8]? {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard state.pieces.isEmpty, state.filed.isEmpty, state.end == nil else { return true }
                state.consumer = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        let (piece, filed) = try state.withLock { state in
            guard state.pieces.isEmpty else {
                let piece = state.pieces.removeFirst()
                state.bytes -= piece.count
                return (piece as [UInt8]?, nil as Range<Int>?)
            }
            guard state.filed.isEmpty else { return (nil, state.filed.prefix(Self.pieceBytes)) }
            try state.end?.get()
            return (nil, nil)
        }
        let taken = try piece ?? filed.map { try read($0) }
        let producer = state.withLock { state in
            if let filed { state.filed = filed.upperBound..<state.filed.upperBound }
            return Self.hasRoom(state, room) ? state.producer.take() : nil
        }
        producer?.resume()
        return taken
    }

    private func read(_ filed: Range<Int>) throws -> [UInt8] {
        guard let bytes = file.withLock({ $0 })?.read(filed.count, at: filed.lowerBound) else {
            throw Problem.internalError
        }
        return bytes
    }
}
