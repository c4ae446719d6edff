internal import Postgres
internal import Reports

/// A report on its way: read from the database by a task of its own, as fast as its client takes it.
///
/// What fits into `room` is read to its end at once, which gives the connection back however slow the client is; of a larger
/// one the rest waits in the database. Where it breaks off, so does the answer.
final class ReportAnswer: Sendable {
    /// The answer without its rows.
    let head: ReportResult
    private let pieces: Handover
    private let reading: Task<Void, Never>

    private static let room = 2 << 20
    private static let pieceBytes = 1 << 16
    /// How long an answer may hold a connection that does not fit into the room.
    private static let longest = Duration.seconds(300)

    private init(_ head: ReportResult, _ pieces: Handover, _ reading: Task<Void, Never>) {
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
    /// - Throws: as ``ReportRunner/run(_:app:asOf:)``.
    static func begin(
        _ runner: ReportRunner,
        _ parameters: ReportParameters,
        app: String,
        _ format: ReportFormat
    ) async throws -> ReportAnswer {
        let (heads, head) = AsyncThrowingStream<ReportResult, any Error>.makeStream()
        let pieces = Handover(room: room)
        let reading = Task {
            do {
                try await read(runner, parameters, app: app, format, head, pieces)
                head.finish()
                pieces.finish(.success(()))
            } catch {
                head.finish(throwing: error)
                pieces.finish(.failure(error))
            }
        }
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
        app: String,
        _ format: ReportFormat,
        _ head: AsyncThrowingStream<ReportResult, any Error>.Continuation,
        _ pieces: Handover
    ) async throws {
        guard format != .table else {
            // Its columns are as wide as the widest row.
            let result = try await runner.run(parameters, app: app)
            head.yield(result)
            for piece in result.chunks(format) { try await pieces.put(piece) }
            return
        }
        let end = ContinuousClock.now + longest
        var writer: ReportWriter?
        var text = ""
        try await runner.stream(parameters, app: app) { part in
            switch part {
            case .head(let result):
                let begun = ReportWriter(result, format)
                text += begun.head
                writer = begun
                head.yield(result)
            case .rows(let rows):
                for row in rows {
                    writer?.append(row, to: &text)
                    guard text.utf8.count >= pieceBytes else { continue }
                    guard ContinuousClock.now < end else { throw CancellationError() }
                    try await pieces.put(Array(text.utf8))
                    text = ""
                }
            }
        }
        text += writer?.tail ?? ""
        try await pieces.put(Array(text.utf8))
    }
}
