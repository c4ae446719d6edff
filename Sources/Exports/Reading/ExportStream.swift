internal import Postgres

/// The rows of a range, part by part. Nothing is open between two parts: no connection, no statement, no transaction.
public final class ExportStream {
    private let pool: Pool
    private let dataset: String
    private let app: Int32
    private let range: ExportRange
    private var formatter: RowFormatter
    private var hasBegun = false
    private var parts: [ExportRange].SubSequence

    init(pool: Pool, dataset: String, app: Int32, _ range: ExportRange, _ formatter: consuming RowFormatter) {
        self.pool = pool
        self.dataset = dataset
        self.app = app
        self.range = range
        self.formatter = formatter
        parts = range.parts[...]
    }

    /// How many rows were read so far.
    public var rows: Int64 { formatter.rows }

    /// How many of them are tombstones.
    public var tombstones: Int64 { formatter.tombstones }

    /// Reads the next part: bytes of whole rows, never none.
    ///
    /// - Returns: `nil` at the end.
    /// - Throws: `PostgresError`; `CancellationError`.
    public func next() async throws -> [UInt8]? {
        if !hasBegun {
            hasBegun = true
            formatter.writeHeader()
            if let tombstones = try await statement("SELECT export.tombstones($1, $2, $3, $4)", range) {
                try await copy(tombstones)
            }
        }
        while let part = parts.popFirst() {
            if let rows = try await statement("SELECT export.chunk($1, $2, $3, $4)", part) { try await copy(rows) }
            let bytes = formatter.take()
            if !bytes.isEmpty { return bytes }
        }
        let bytes = formatter.take()
        return bytes.isEmpty ? nil : bytes
    }

    private func statement(_ sql: String, _ part: ExportRange) async throws -> String? {
        try await pool.query(sql, [.text(dataset), .int4(app), .int8(part.after), .int8(part.upTo)]).only().get(0)
    }

    /// COPY takes no parameters: the statement is made by the database, of its own names and of numbers.
    private func copy(_ statement: String) async throws {
        var isFirst = true
        try await pool.withTransaction(readOnly: true) { connection in
            try await connection.query("SELECT export.only_index_lookups()")
            try await connection.copyOut("COPY (\(statement)) TO STDOUT (FORMAT binary)") { chunk in
                try formatter.write(chunk, isFirst: isFirst)
                isFirst = false
            }
        }
    }
}
