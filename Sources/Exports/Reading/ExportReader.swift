public import Postgres

/// Reads datasets as NDJSON or CSV, in parts small enough to be held in memory: no statement and no transaction is open
/// while a reader takes its time.
public struct ExportReader: Sendable {
    private let pool: Pool
    /// Numbering changes may take long where there are many: each takes one of the pool's connections meanwhile.
    private let numbering = Turns<Numbered>(limit: 2)

    /// What changes are numbered of.
    private struct Numbered: Hashable {
        let dataset: String
        let app: Int32
    }

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
        if dataset.isLog { return try await readBound(dataset, app) }
        return try await numbering.take(Numbered(dataset: dataset.name, app: app)) {
            try await ExportSnapshot.retrying { try await readBound(dataset, app) }
        }
    }

    /// How long it may take to number the changes of a dataset; the first time, that is all of its rows.
    private static let numberingSeconds = 1800

    private func readBound(_ dataset: ExportDataset, _ app: Int32) async throws -> ExportPosition {
        try await pool.withTransaction(isolation: .repeatableRead) { connection in
            if !dataset.isLog {
                try await ExportSnapshot.begin(on: connection)
                try await connection.query(
                    "SELECT set_config('statement_timeout', $1, true)",
                    [.text("\(Self.numberingSeconds)s")]
                )
            }
            let row = try await connection.query(
                "SELECT export.bound($1, $2), incarnation FROM log.state",
                [.text(dataset.name), .int4(app)],
                within: dataset.isLog ? nil : .seconds(Self.numberingSeconds + 10)
            ).only()
            return ExportPosition(incarnation: try row.get(1), number: try row.get(0))
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

    /// Whether what comes after a position is still there. Retention waits for named cursors, not for readers that keep
    /// their own.
    ///
    /// - Throws: `PostgresError`.
    public func holds(_ position: ExportPosition, of dataset: ExportDataset) async throws -> Bool {
        try await pool.query("SELECT export.holds($1, $2)", [.text(dataset.name), .int8(position.number)]).only().get(0)
    }

    /// What a range holds, to be read part by part.
    ///
    /// - Parameters:
    ///   - dataset: which.
    ///   - app: whose rows.
    ///   - range: what of it; not beyond ``bound(_:app:)``.
    ///   - format: how rows are written.
    ///   - partBytes: how large a part may be, but for its last row. It is held in memory while the reader takes it, and no
    ///     statement waits for that; what a statement costs beside its rows counts the more, the smaller it is.
    /// - Throws: ``ExportError`` where a column is of a type that exports cannot write.
    public func stream(
        _ dataset: ExportDataset,
        app: Int32,
        _ range: ExportRange,
        as format: ExportFormat,
        partBytes: Int = 4 << 20
    ) throws -> ExportStream {
        ExportStream(
            pool: pool,
            dataset: dataset,
            app: app,
            range,
            try RowFormatter(dataset.columns, format),
            partBytes: partBytes
        )
    }
}
