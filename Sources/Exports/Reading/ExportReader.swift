public import Postgres

/// Reads datasets as NDJSON or CSV, in parts small enough to be held in memory: no statement and no transaction is open
/// while a reader takes its time.
public struct ExportReader: Sendable {
    private let pool: Pool

    /// - Parameter pool: lends connections.
    public init(pool: Pool) {
        self.pool = pool
    }

    /// Every dataset, by name.
    ///
    /// - Throws: `PostgresError`.
    public func datasets() async throws -> [ExportDataset] {
        try await pool.withConnection { try await ExportDataset.all(on: $0) }
    }

    /// Finds a dataset.
    ///
    /// - Throws: ``ExportError`` that names those that there are; `PostgresError`.
    public func dataset(_ name: String) async throws -> ExportDataset {
        let all = try await datasets()
        guard let found = all.first(where: { $0.name == name }) else {
            let names = all.map(\.name)
            throw ExportError(
                .unknownDataset,
                "there is no such dataset: there are \(names.joined(separator: ", "))",
                accepted: names
            )
        }
        return found
    }

    /// How far a dataset may be read now. For datasets whose rows change, every change up to now is numbered first.
    ///
    /// - Parameters:
    ///   - dataset: which.
    ///   - app: whose rows.
    /// - Throws: `PostgresError`.
    public func bound(_ dataset: ExportDataset, app: Int32) async throws -> ExportPosition {
        var attempts = 0
        while true {
            do {
                return try await pool.withTransaction(isolation: .repeatableRead) { connection in
                    if !dataset.isLog {
                        try await connection.query("SELECT set_config('statement_timeout', '30min', true)")
                    }
                    let row = try await connection.query(
                        "SELECT export.bound($1, $2), incarnation FROM log.state",
                        [.text(dataset.name), .int4(app)]
                    ).only()
                    return ExportPosition(incarnation: try row.get(1), number: try row.get(0))
                }
            } catch let error as PostgresError where error.sqlState == "40001" && attempts < 10 {
                // Another reader numbered the changes meanwhile, or a device was erased.
                attempts += 1
            }
        }
    }

    /// Whether what a reader knows still holds: the log is the one that it read, at least as far as it has read. Change
    /// numbers hold in one incarnation only.
    ///
    /// - Throws: `PostgresError`.
    public func knows(_ position: ExportPosition, of dataset: ExportDataset) async throws -> Bool {
        try await pool.query(
            "SELECT export.knows($1, $2, $3)",
            [.text(dataset.name), .text(position.incarnation), .int8(position.number)]
        ).only().get(0)
    }

    /// What a range holds, to be read part by part.
    ///
    /// - Parameters:
    ///   - dataset: which.
    ///   - app: whose rows.
    ///   - range: what of it; not beyond ``bound(_:app:)``.
    ///   - format: how rows are written.
    /// - Throws: ``ExportError`` where a column is of a type that exports cannot write.
    public func stream(
        _ dataset: ExportDataset,
        app: Int32,
        _ range: ExportRange,
        as format: ExportFormat
    ) throws -> ExportStream {
        ExportStream(pool: pool, dataset: dataset.name, app: app, range, try RowFormatter(dataset.columns, format))
    }
}
