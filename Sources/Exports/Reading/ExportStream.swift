internal import EventLog
internal import Postgres

/// The rows of a range, chunk by chunk. Between two chunks no connection, statement or transaction is open.
///
/// One statement reads a chunk: a range of numbers. The chunk ends with the row that reaches a limit of bytes; the
/// remaining rows of the range come in the next chunk.
public final class ExportStream {
    private let pool: Pool
    /// Read while it follows the primary and has what that had when the stream began; nil for none.
    private let standby: Standby?
    /// The location in the primary's write-ahead log when the stream began: the range is before it, and so are the erasures that
    /// were answered by then.
    private var written: Int64?
    private let dataset: ExportDataset
    private let app: AppID
    private let range: ExportRange
    private var formatter: RowFormatter
    private var state = State.beginning
    /// How many numbers the next chunk covers.
    private var length: Int64
    private let chunkBytes: Int
    private let writesHeader: Bool
    /// Whether the standby broke the last chunk off after some of its rows.
    private var isBrokenOff = false

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

    init(
        pool: Pool,
        standby: Standby?,
        dataset: ExportDataset,
        app: AppID,
        _ range: ExportRange,
        _ formatter: consuming RowFormatter,
        chunkBytes: Int,
        writesHeader: Bool
    ) {
        self.writesHeader = writesHeader
        self.pool = pool
        self.standby = standby
        self.dataset = dataset
        self.app = app
        self.range = range
        self.formatter = formatter
        self.chunkBytes = chunkBytes
        length = Int64(max(1, chunkBytes / Self.bytesOfRow))
    }

    /// How many rows were read so far.
    public var rows: Int64 { formatter.rows }

    /// How many of them are tombstones.
    public var tombstones: Int64 { formatter.tombstones }

    /// The number up to which the range was read.
    public var reached: Int64 {
        if case .rows(let reached) = state { reached } else { range.after }
    }

    /// Reads the next chunk: whole rows, never empty.
    ///
    /// - Returns: `nil` at the end.
    /// - Throws: `PostgresError`; `CancellationError`.
    public func next() async throws -> [UInt8]? {
        while try await advance() {
            let bytes = formatter.take()
            if !bytes.isEmpty { return bytes }
        }
        return nil
    }

    /// One step; false at the end.
    private func advance() async throws -> Bool {
        switch state {
        case .beginning:
            if writesHeader { formatter.writeHeader() }
            state = dataset.isLog ? .tombstones(0) : .rows(range.after)
        case .tombstones(let given):
            let some = try await copy("SELECT export.tombstones($1, $2, $3, $4, $5)", range, [.int8(given)])
            state = some > 0 ? .tombstones(formatter.last) : .rows(range.after)
        case .rows(let reached):
            guard reached < range.upTo else { return false }
            let chunk = ExportRange(after: reached, upTo: min(reached + length, range.upTo))
            let some = try await copy("SELECT export.chunk($1, $2, $3, $4)", chunk, [])
            state = .rows(formatter.isFull || isBrokenOff ? formatter.last : chunk.upTo)
            if isBrokenOff { break }
            if formatter.isFull {
                length = max(1, some)
            } else if formatter.bytes < chunkBytes / 2 {
                length = min(length * 2, Self.longestChunk)
            }
        }
        return true
    }

    /// Reads the rows of a function's query. COPY takes no parameters: the database builds the statement from its own names
    /// and from numbers.
    ///
    /// - Returns: the number of rows.
    private func copy(_ query: String, _ chunk: ExportRange, _ more: [Parameter]) async throws -> Int64 {
        let before = formatter.rows
        formatter.beginChunk(bytes: chunkBytes)
        isBrokenOff = false
        let parameters: [Parameter] =
            [.text(dataset.name), .app(app), .int8(chunk.after), .int8(chunk.upTo)] + more
        if try await copyFromStandby(query, parameters) { return formatter.rows - before }
        try await Conflicts.retrying {
            try await pool.withTransaction(isolation: .repeatableRead, readOnly: dataset.isLog) { connection in
                if !dataset.isLog { try await LogProgress.lockCheckpoints(on: connection) }
                try await copy(query, parameters, on: connection)
            }
        }
        return formatter.rows - before
    }

    private func copy(_ query: String, _ parameters: [Parameter], on connection: Connection) async throws {
        try await connection.query("SELECT export.only_index_lookups()")
        if !dataset.isLog {
            try await connection.query("SELECT export.mark($1, $2, $3, $4)", parameters)
        }
        guard let statement = try await connection.query(query, parameters).only().get(0, as: String?.self)
        else { return }
        var isFirst = true
        try await connection.copyOut("COPY (\(statement)) TO STDOUT (FORMAT binary)") { chunk in
            try formatter.write(chunk, isFirst: isFirst)
            isFirst = false
        }
    }

    /// Reads a chunk from the standby. One that the standby breaks off ends with its last whole row.
    ///
    /// - Returns: false if the primary is to be read: nothing was read from the standby, or it may lack some of the chunk.
    private func copyFromStandby(_ query: String, _ parameters: [Parameter]) async throws -> Bool {
        guard let standby, standby.status.state == .following else { return false }
        let before = formatter.rows
        var isWhole = false
        do {
            let location = try await writtenLocation()
            let isRead = try await standby.read(isBegun: { formatter.rows > before }) { pool in
                try await pool.withConnection { connection in
                    guard try await standby.hasReplayed(location, on: connection) else { return }
                    try await connection.withTransaction(isolation: .repeatableRead, readOnly: true) { connection in
                        try await copy(query, parameters, on: connection)
                    }
                    isWhole = true
                }
            }
            return isRead && isWhole
        } catch is RecoveryConflict {
            return false
        } catch let error as PostgresError where error.isRetriable {
            isBrokenOff = formatter.rows > before
            return isBrokenOff
        }
    }

    private func writtenLocation() async throws -> Int64 {
        if let written { return written }
        let location = try await Standby.written(by: pool)
        written = location
        return location
    }
}
