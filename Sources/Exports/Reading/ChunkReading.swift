internal import EventLog
internal import Postgres

/// A chunk that is being read.
final class ChunkReading {
    private let dataset: ExportDataset
    private let query: String
    private let parameters: [Parameter]
    private var formatter: RowFormatter
    private var isBrokenOff = false

    init(_ request: ExportSource.Request, from source: ExportSource) {
        dataset = source.dataset
        formatter = RowFormatter(source.layout, limit: source.chunkBytes)
        func parameters(_ range: ExportRange) -> [Parameter] {
            [.text(source.dataset.name), .app(source.app), .int8(range.after), .int8(range.upTo)]
        }
        switch request {
        case .tombstones(let range, let given):
            query = "SELECT export.tombstones($1, $2, $3, $4, $5)"
            self.parameters = parameters(range) + [.int8(given)]
        case .rows(let range):
            query = "SELECT export.chunk($1, $2, $3, $4)"
            self.parameters = parameters(range)
        }
    }

    func chunk() -> ExportChunk {
        ExportChunk(
            bytes: formatter.take(),
            rows: formatter.rows,
            tombstones: formatter.tombstones,
            last: formatter.last,
            isCut: formatter.isFull || isBrokenOff
        )
    }

    /// Reads the rows of a function's query. COPY takes no parameters: the database builds the statement from its own names
    /// and from numbers.
    func copy(on connection: Connection) async throws {
        try await connection.query("SELECT export.only_index_lookups()")
        if !dataset.isLog {
            try await connection.query("SELECT export.mark($1, $2, $3, $4)", parameters)
        }
        guard let statement = try await connection.query(query, parameters).only().get(0, as: String?.self)
        else { return }
        var isFirst = true
        try await connection.copyOut("COPY (\(statement)) TO STDOUT (FORMAT binary)") { messages in
            try formatter.write(messages, isFirst: isFirst)
            isFirst = false
        }
    }

    /// Reads the chunk from the standby. One that the standby breaks off ends with its last whole row.
    ///
    /// - Returns: false if the primary is to be read: nothing was read from the standby, or it may lack some of the chunk.
    func fromStandby(_ standby: Standby, since location: Int64) async throws -> Bool {
        guard standby.status.state == .following else { return false }
        var isWhole = false
        do {
            let isRead = try await standby.read(isBegun: { formatter.rows > 0 }) { pool in
                try await pool.withConnection { connection in
                    guard try await standby.hasReplayed(location, on: connection) else { return }
                    try await connection.withTransaction(isolation: .repeatableRead, readOnly: true) { connection in
                        try await copy(on: connection)
                    }
                    isWhole = true
                }
            }
            return isRead && isWhole
        } catch is RecoveryConflict {
            return false
        } catch let error as PostgresError where error.isRetriable {
            isBrokenOff = formatter.rows > 0
            return isBrokenOff
        }
    }
}
