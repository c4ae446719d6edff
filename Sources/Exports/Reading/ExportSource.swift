internal import EventLog
internal import Postgres

/// Where the chunks of an export are read: the database, or a standby of it.
struct ExportSource: Sendable {
    /// A chunk to read.
    enum Request: Sendable {
        /// Rows that precede those of the range, after the one with this number.
        case tombstones(ExportRange, given: Int64)
        /// Rows of a range.
        case rows(ExportRange)
    }

    let pool: Pool
    /// Read while it follows the primary and has what that had when the export began; nil for none.
    let standby: Standby?
    let dataset: ExportDataset
    let app: AppID
    let layout: RowLayout
    /// The size of a chunk, apart from its last row.
    let chunkBytes: Int

    /// Reads a chunk: on one snapshot, with one statement.
    ///
    /// - Parameter location: the location in the primary's write-ahead log when the export began: what is read is before it, and
    ///   so are the erasures that were answered by then. Nil without a standby.
    /// - Throws: `PostgresError`; `CancellationError`.
    func read(_ request: Request, since location: Int64?) async throws -> ExportChunk {
        let reading = ChunkReading(request, from: self)
        if let standby, let location, try await reading.fromStandby(standby, since: location) { return reading.chunk() }
        try await Conflicts.retrying {
            try await pool.withTransaction(isolation: .repeatableRead, readOnly: dataset.isLog) { connection in
                if !dataset.isLog { try await LogProgress.lockCheckpoints(on: connection) }
                try await reading.copy(on: connection)
            }
        }
        return reading.chunk()
    }
}
