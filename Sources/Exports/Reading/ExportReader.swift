internal import EventLog
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
    ///   - minPosition: a position of the log that the dataset is to take in, waited for if need be.
    /// - Throws: ``ExportError`` where it does not take that in within ``patience``; `PostgresError`.
    public func bound(
        _ dataset: ExportDataset,
        app: Int32,
        minPosition: Int64? = nil
    ) async throws -> ExportPosition {
        if let minPosition { try await wait(for: minPosition, dataset) }
        if dataset.isLog { return try await readBound(dataset, app, minPosition) }
        return try await numbering.take(Numbered(dataset: dataset.name, app: app)) {
            try await ExportSnapshot.retrying { try await readBound(dataset, app, minPosition) }
        }
    }

    /// How long a `min_position` is waited for, as reports do.
    private static let patience = Duration.seconds(5)

    private func wait(for position: Int64, _ dataset: ExportDataset) async throws {
        let reached = try await LogProgress.wait(for: position, dataset.checkpoints, patience: Self.patience, pool)
        guard reached.drawn >= position else { throw ExportError.unknown(position) }
        try Self.check(reached, position)
    }

    private static func check(_ reached: LogProgress, _ position: Int64) throws(ExportError) {
        guard reached.position >= position else {
            throw .behind(position, at: reached.position, lagSeconds: reached.lagSeconds)
        }
    }

    /// How long it may take to number the changes of a dataset; the first time, that is all of its rows.
    private static let numberingSeconds = 1800

    private func readBound(
        _ dataset: ExportDataset,
        _ app: Int32,
        _ minPosition: Int64?
    ) async throws -> ExportPosition {
        try await pool.withTransaction(isolation: .repeatableRead) { connection in
            if !dataset.isLog {
                try await ExportSnapshot.begin(on: connection)
                try await connection.query(
                    "SELECT set_config('statement_timeout', $1, true)",
                    [.text("\(Self.numberingSeconds)s")]
                )
            }
            if let minPosition {
                // In this snapshot too: a version swapped in meanwhile may stand further back.
                try Self.check(try await LogProgress.read(dataset.checkpoints, on: connection), minPosition)
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
