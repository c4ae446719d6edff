internal import EventLog
internal import Postgres
internal import Reports

/// The room for answers that clients have not read yet.
struct AnswerRoom: Sendable {
    /// Of one answer, in memory.
    var memory = 512 << 10
    /// Of one answer and in total, on disk beyond that.
    let disk: SpillRoom
    /// Answers beyond the memory and file bounds, which hold a connection to the database while their client reads.
    let holding: Slots
    /// The slots for reading from the database. One app has half of the connections at most, so that others never wait behind
    /// it.
    let reading: WaitingSlots
    /// How long one may do so.
    var longest = Duration.seconds(60)

    /// - Parameters:
    ///   - connections: for reading, of all apps. Slow clients hold half of them at most, and those of one app a quarter.
    ///   - reading: the shares of apps in them, where others read from the same connections.
    ///   - disk: the room on disk.
    init(
        connections: Int,
        reading: WaitingSlots? = nil,
        disk: SpillRoom = SpillRoom(ofAnswer: 64 << 20, total: 1 << 30)
    ) {
        self.disk = disk
        self.reading = reading ?? .ofApps(connections: connections)
        holding = Slots(limit: max(1, connections / 2), appLimit: max(1, connections / 4))
    }
}

/// A report on its way to its client. A task of its own reads it from the database and buffers it, in memory and then on disk,
/// so that the connection is released however slow the client is. If reading breaks off, so does the answer.
final class ReportAnswer: Sendable {
    /// The answer without its rows.
    let head: ReportResult
    private let pieces: SpillingPipe
    private let reading: Task<Void, Never>

    private init(_ head: ReportResult, _ pieces: SpillingPipe, _ reading: Task<Void, Never>) {
        self.head = head
        self.pieces = pieces
        self.reading = reading
    }

    deinit {
        reading.cancel()
        pieces.leave()
    }

    /// Runs a report, and returns as soon as its first rows are there.
    ///
    /// - Parameter reads: gets a closure that cancels the reading.
    /// - Throws: as `ReportRunner/run(_:app:asOf:)`; `CancellationError` where it was cancelled.
    static func begin(
        _ runner: ReportRunner,
        _ parameters: ReportParameters,
        app: (name: String, id: AppID),
        _ format: ReportFormat,
        _ room: AnswerRoom,
        reads: (@escaping @Sendable () -> Void) -> Void = { _ in }
    ) async throws -> ReportAnswer {
        let (heads, head) = AsyncThrowingStream<ReportResult, any Error>.makeStream()
        let pieces = SpillingPipe(room: room.memory, spill: room.disk.share(of: app.id))
        let reading = Task {
            do {
                try await read(runner, parameters, app: app, format, room, head, pieces)
                head.finish()
                pieces.finish(.success(()))
            } catch {
                head.finish(throwing: error)
                pieces.finish(.failure(error))
            }
        }
        reads { reading.cancel() }
        head.onTermination = { if case .cancelled = $0 { reading.cancel() } }
        for try await first in heads {
            // From here on the answer ends the reading: the stream is left before that is done.
            head.onTermination = nil
            return ReportAnswer(first, pieces, reading)
        }
        throw CancellationError()
    }

    /// The next piece; nil at the end.
    func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await pieces.take()
        } onCancel: {
            reading.cancel()
        }
    }

    private static func read(
        _ runner: ReportRunner,
        _ parameters: ReportParameters,
        app: (name: String, id: AppID),
        _ format: ReportFormat,
        _ room: AnswerRoom,
        _ head: AsyncThrowingStream<ReportResult, any Error>.Continuation,
        _ pieces: SpillingPipe
    ) async throws {
        let slot = try await room.reading.take(app.id.description)
        var held: (slot: Slot, end: Task<Void, any Error>)?
        defer { held?.end.cancel() }
        try await runner.write(parameters, app: app.name, as: format) { piece in
            switch piece {
            case .head(let result): head.yield(result)
            case .text(let text):
                try await pieces.put(text) {
                    if held != nil { return }
                    let slot = try room.holding.take(app.id)
                    // However slowly the client reads.
                    let end = Task {
                        try await Task.sleep(for: room.longest)
                        pieces.close()
                    }
                    held = (slot, end)
                }
            }
        }
        withExtendedLifetime((held, slot)) {}
    }
}
