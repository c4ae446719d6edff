public import EventLog
internal import Pacing
public import Postgres

/// Reads datasets as NDJSON or CSV, in chunks small enough to hold in memory: no statement and no transaction is open
/// while a slow client reads.
public struct ExportReader: Sendable {
    private let pool: Pool
    private let numberingPool: Pool
    private let standby: Standby?
    /// The number of the cell, which its positions and numbers end with; nil for a database that is alone.
    private let cell: Int16?
    /// Limits concurrent numbering of changes, which may take long: each holds a connection.
    private let numbering = Turns<Numbered>(limit: 2)

    /// The key of `Turns`: what is numbered.
    private struct Numbered: Hashable {
        let dataset: String
        let app: AppID
    }

    /// - Parameters:
    ///   - pool: lends connections.
    ///   - numbering: lends those for numbering changes, so that none of the others is held by that; nil for the same.
    ///   - standby: chunks of events are read there while it follows that database; nil for none. Other datasets number what
    ///     changed, and a standby takes no writes.
    ///   - cell: the number of the cell that it reads; nil for a database that is alone.
    public init(pool: Pool, numbering: Pool? = nil, standby: Standby? = nil, cell: Int16? = nil) {
        self.cell = cell
        self.pool = pool
        numberingPool = numbering ?? pool
        self.standby = standby
    }

    /// Every dataset, by name.
    ///
    /// - Throws: `PostgresError`.
    public func datasets() async throws -> [ExportDataset] {
        try await pool.withConnection { try await ExportDataset.all(on: $0) }
    }

    /// Finds a dataset.
    ///
    /// - Throws: ``ExportError`` with the names of all datasets; `PostgresError`.
    public func dataset(_ name: String) async throws -> ExportDataset {
        let all = try await datasets()
        guard let found = all.first(where: { $0.name == name }) else {
            let names = all.map(\.name)
            throw ExportError(
                .unknownDataset,
                "there is no dataset of this name: use one of \(names.joined(separator: ", "))",
                accepted: names
            )
        }
        return found
    }

    /// Up to which number a dataset may be read now. For datasets whose rows change, every change up to now is numbered first.
    ///
    /// - Parameters:
    ///   - dataset: the dataset.
    ///   - app: whose rows.
    ///   - minPositions: positions, as clients have them, that the dataset must include; waits for those of this log.
    /// - Throws: ``ExportError`` if it does not include it within five seconds; `PostgresError`.
    public func bound(
        _ dataset: ExportDataset,
        app: AppID,
        minPositions: [Position] = []
    ) async throws -> ExportPosition {
        let minPositions = cell.map { cell in minPositions.filter { $0.cell == cell } } ?? minPositions
        guard !dataset.isLog else {
            try await wait(for: minPositions, dataset, app, pool)
            return try await readBound(dataset, app, minPositions, pool)
        }
        return try await numbering.take(Numbered(dataset: dataset.name, app: app)) {
            try await wait(for: minPositions, dataset, app, numberingPool)
            return try await Conflicts.retrying { try await readBound(dataset, app, minPositions, numberingPool) }
        }
    }

    private func wait(
        for positions: [Position],
        _ dataset: ExportDataset,
        _ app: AppID,
        _ pool: Pool
    ) async throws {
        guard !positions.isEmpty else { return }
        let reached = try await LogProgress.wait(
            for: positions,
            dataset.checkpoints,
            of: .id(app),
            timeout: LogProgress.defaultTimeout,
            pool
        )
        if let position = reached.firstUnassigned(of: positions) { throw ExportError.unknown(position) }
        try Self.check(reached, positions)
    }

    private static func check(_ reached: LogProgress, _ positions: [Position]) throws(ExportError) {
        if let position = reached.firstMissing(of: positions) {
            throw .behind(position, at: reached.position, lagSeconds: reached.lagSeconds)
        }
    }

    /// The limit for numbering the changes of a dataset; the first time numbers all of its rows.
    private static let numberingSeconds = 1800

    private func readBound(
        _ dataset: ExportDataset,
        _ app: AppID,
        _ minPositions: [Position],
        _ pool: Pool
    ) async throws -> ExportPosition {
        try await pool.withTransaction(isolation: .repeatableRead) { connection in
            if !dataset.isLog {
                try await LogProgress.lockCheckpoints(on: connection)
                try await connection.query(
                    "SELECT set_config('statement_timeout', $1, true)",
                    [.text("\(Self.numberingSeconds)s")]
                )
            }
            if !minPositions.isEmpty {
                // Checked in this snapshot too: a version swapped in meanwhile may be further behind.
                try Self.check(
                    try await LogProgress.read(dataset.checkpoints, of: .id(app), on: connection),
                    minPositions
                )
            }
            let row = try await connection.query(
                "SELECT export.bound($1, $2), incarnation FROM log.state",
                [.text(dataset.name), .app(app)],
                within: dataset.isLog ? nil : .seconds(Self.numberingSeconds + 10)
            ).only()
            return ExportPosition(incarnation: try row.get(1), number: try row.get(0))
        }
    }

    /// Whether a client's position is still valid: the log is the same up to that position. Change numbers are valid in one
    /// incarnation only.
    ///
    /// - Throws: `PostgresError`.
    public func isValid(_ position: ExportPosition, of dataset: ExportDataset) async throws -> Bool {
        try await pool.query(
            "SELECT export.knows($1, $2, $3)",
            [.text(dataset.name), .text(position.incarnation), .int8(position.number)]
        ).only().get(0)
    }

    /// Whether everything after a position is still stored. Retention waits for named cursors, not for clients that keep their
    /// own.
    ///
    /// - Throws: `PostgresError`.
    public func holds(_ position: ExportPosition, of dataset: ExportDataset) async throws -> Bool {
        try await pool.query("SELECT export.holds($1, $2)", [.text(dataset.name), .int8(position.number)]).only().get(0)
    }

    /// The rows of a range, to be read chunk by chunk.
    ///
    /// - Parameters:
    ///   - dataset: which.
    ///   - app: whose rows.
    ///   - range: the range; not beyond ``bound(_:app:minPositions:)``.
    ///   - format: the output format.
    ///   - chunkBytes: the size of a chunk, apart from its last row. A chunk is held in memory while the client reads it, and
    ///     no statement is open meanwhile. The smaller it is, the more the fixed cost of a statement counts.
    ///   - writesHeader: whether a header comes first, where the format has one.
    /// - Throws: ``ExportError`` if a column is of a type that exports cannot write.
    public func stream(
        _ dataset: ExportDataset,
        app: AppID,
        _ range: ExportRange,
        as format: ExportFormat,
        chunkBytes: Int = 4 << 20,
        writesHeader: Bool = true
    ) throws -> ExportStream {
        ExportStream(
            ExportSource(
                pool: pool,
                standby: dataset.isLog ? standby : nil,
                dataset: dataset,
                app: app,
                layout: try RowLayout(dataset.columns, format, cell: cell),
                chunkBytes: chunkBytes
            ),
            range,
            writesHeader: writesHeader
        )
    }
}
