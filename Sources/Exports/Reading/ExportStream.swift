internal import EventLog
internal import Postgres

/// The rows of a range, chunk by chunk. Between two chunks no connection, statement or transaction is open.
///
/// One statement reads a chunk: a range of numbers. The chunk ends with the row that reaches a limit of bytes; the
/// remaining rows of the range come in the next chunk.
public final class ExportStream {
    private let source: ExportSource
    private let range: ExportRange
    private let writesHeader: Bool
    private var state = State.beginning
    /// How many numbers the next chunk covers.
    private var length: Int64
    /// The location in the primary's write-ahead log when the stream began; nil without a standby.
    private var location: Int64?

    /// How many rows were read so far.
    public private(set) var rows: Int64 = 0
    /// How many of them are tombstones.
    public private(set) var tombstones: Int64 = 0

    private enum State {
        case beginning
        /// Tombstones up to this position were read.
        case tombstones(Int64)
        /// Rows up to this number were read.
        case rows(Int64)
    }

    /// The number of rows that fit into a chunk if they have the usual size.
    private static let bytesOfRow = 512
    /// Used if only some of the numbers belong to this app.
    private static let longestChunk: Int64 = 1 << 18

    init(_ source: ExportSource, _ range: ExportRange, writesHeader: Bool) {
        self.source = source
        self.range = range
        self.writesHeader = writesHeader
        length = Int64(max(1, source.chunkBytes / Self.bytesOfRow))
    }

    /// The number up to which the range was read.
    public var reached: Int64 {
        if case .rows(let reached) = state { reached } else { range.after }
    }

    /// Reads the next chunk: whole rows, never empty.
    ///
    /// - Returns: `nil` at the end.
    /// - Throws: `PostgresError`; `CancellationError`.
    public func next() async throws -> [UInt8]? {
        while true {
            let bytes: [UInt8]
            if let next = try await nextBeforeRows() {
                bytes = next
            } else if let part = part(after: reached, to: range.upTo) {
                bytes = take(try await source.read(.rows(part), since: location), of: part)
            } else {
                return nil
            }
            if !bytes.isEmpty { return bytes }
        }
    }

    /// Reads all chunks, and gives each to a closure. Meanwhile those after it are read.
    ///
    /// - Parameter write: takes whole rows, never none.
    /// - Throws: what the closure throws; `PostgresError`; `CancellationError`.
    public func readAll(_ write: ([UInt8]) async throws -> Void) async throws {
        while let bytes = try await nextBeforeRows() {
            if !bytes.isEmpty { try await write(bytes) }
        }
        try await withThrowingTaskGroup(of: (ExportRange, ExportChunk).self) { group in
            // Chunks that are asked for and not written yet, in order; some of them are read.
            var waiting: [ExportRange] = []
            var read: [ExportRange: ExportChunk] = [:]
            var asked = reached
            func ask() {
                while waiting.count < readers, let part = part(after: asked, to: range.upTo) {
                    asked = part.upTo
                    waiting.append(part)
                    group.addTask { [source, location] in (part, try await source.read(.rows(part), since: location)) }
                }
            }
            ask()
            while !waiting.isEmpty {
                let part = waiting.removeFirst()
                while read[part] == nil, let (other, chunk) = try await group.next() { read[other] = chunk }
                guard let chunk = read.removeValue(forKey: part) else {
                    throw PostgresError(unexpected: "a chunk of an export was not read")
                }
                var bytes = take(chunk, of: part)
                while true {
                    // What follows in the part, if the chunk ended before it, is one of the chunks that are read at once.
                    let rest = self.part(after: reached, to: part.upTo)
                    if rest == nil { ask() }
                    if !bytes.isEmpty { try await write(bytes) }
                    guard let rest else { break }
                    bytes = take(try await source.read(.rows(rest), since: location), of: rest)
                }
            }
        }
    }

    /// How many chunks are read at once: the rows of datasets that change are marked as they are read, one chunk after another.
    private var readers: Int { source.dataset.isLog ? 2 : 1 }

    /// What comes before the rows: the header, and tombstones of the log.
    ///
    /// - Returns: nil if all of that was read.
    private func nextBeforeRows() async throws -> [UInt8]? {
        switch state {
        case .beginning:
            if source.standby != nil { location = try await Standby.written(by: source.pool) }
            state = source.dataset.isLog ? .tombstones(0) : .rows(range.after)
            return writesHeader ? source.layout.header : []
        case .tombstones(let given):
            let chunk = try await source.read(.tombstones(range, given: given), since: location)
            state = chunk.rows > 0 ? .tombstones(chunk.last) : .rows(range.after)
            count(chunk)
            return chunk.bytes
        case .rows:
            return nil
        }
    }

    /// The numbers of the next chunk; nil if none are left.
    private func part(after: Int64, to upTo: Int64) -> ExportRange? {
        after < upTo ? ExportRange(after: after, upTo: min(after + length, upTo)) : nil
    }

    /// Goes on after a chunk of rows.
    ///
    /// - Returns: its rows, perhaps none.
    private func take(_ chunk: ExportChunk, of part: ExportRange) -> [UInt8] {
        state = .rows(chunk.isCut ? chunk.last : part.upTo)
        count(chunk)
        if chunk.isCut {
            length = max(1, chunk.rows)
        } else if chunk.bytes.count < source.chunkBytes / 2 {
            length = min(length * 2, Self.longestChunk)
        }
        return chunk.bytes
    }

    private func count(_ chunk: ExportChunk) {
        rows += chunk.rows
        tombstones += chunk.tombstones
    }
}
