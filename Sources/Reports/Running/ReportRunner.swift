public import EventLog
public import NotificationEvents
public import Postgres

/// Runs reports.
public struct ReportRunner: Sendable {
    /// All reports.
    public let catalogue: ReportCatalogue
    let pool: Pool
    private let standby: Standby?
    private let timeout: Duration

    /// - Parameters:
    ///   - catalogue: the reports.
    ///   - pool: lends connections.
    ///   - standby: read instead while it follows that database; nil for none.
    ///   - timeout: how long to wait for a `min_position`.
    public init(
        catalogue: ReportCatalogue,
        pool: Pool,
        standby: Standby? = nil,
        timeout: Duration = LogProgress.defaultTimeout
    ) {
        self.catalogue = catalogue
        self.pool = pool
        self.standby = standby
        self.timeout = timeout
    }

    /// Runs a report on one snapshot of the database.
    ///
    /// - Parameters:
    ///   - parameters: the report and its parameters.
    ///   - app: the app's name.
    ///   - asOf: the current time for the report; nil for the database's clock.
    /// - Throws: ``ReportError`` if a parameter is not accepted, the app is unknown, the projections are behind
    ///   `min_position`, or a standby cancelled the report twice; `PostgresError`; `CancellationError`.
    public func run(_ parameters: ReportParameters, app: String, asOf: Timestamp? = nil) async throws -> ReportResult {
        var whole: ReportResult?
        var rows: [[ReportValue]] = []
        try await stream(parameters, app: app, asOf: asOf) { part in
            switch part {
            case .head(let head): whole = head
            case .rows(let page): rows += page
            }
        }
        guard var whole else { throw CancellationError() }
        whole.rows = rows
        return whole
    }

    /// What to note of a report that failed by itself, so that who asked for it can tell why.
    ///
    /// - Throws: the error, if the report cannot help it: a lost connection, or a cancelled task.
    public static func problem(_ error: any Error) throws -> String {
        switch error {
        case let error as ReportError: error.message
        case let error as PostgresError where !error.isConnectionFailure:
            "the report failed with SQLSTATE \(error.sqlState ?? "unknown")"
        default: throw error
        }
    }

    /// What to note where ``problem(_:)`` throws: perhaps it was the report that ended its session.
    public static let brokenOff = "the report was broken off: the service's log says why"

    /// Runs a report on one snapshot of the database, and passes on its rows as they are read: a limited number at a time, and
    /// the next ones only after `consume` has returned.
    ///
    /// - Parameters:
    ///   - consume: takes the answer without rows first, then the rows.
    /// - Throws: as ``run(_:app:asOf:)``, and errors of `consume`. What a parameter is refused for comes before the head. A cell may
    ///   fall silent, and a standby cancel the report, after rows too.
    public func stream(
        _ parameters: ReportParameters,
        app: String,
        asOf: Timestamp? = nil,
        caller: isolated (any Actor)? = #isolation,
        _ consume: (ReportPart) async throws -> Void
    ) async throws {
        let asOf = asOf?.microseconds
        do {
            var isBegun = false
            let isRead = try await standby?.read(isBegun: { isBegun }) { pool in
                try await stream(parameters, app: app, asOf: asOf, from: pool, standby) { part in
                    isBegun = true
                    try await consume(part)
                }
            }
            if isRead != true { try await stream(parameters, app: app, asOf: asOf, from: pool, nil, consume) }
        } catch let error as PostgresError {
            throw Self.reportError(error) ?? error
        } catch is RecoveryConflict {
            throw ReportError(
                .recoveryConflict,
                "the standby cancelled the report twice to go on replaying: ask again, or for a shorter range"
            )
        }
    }

    private func stream(
        _ parameters: ReportParameters,
        app: String,
        asOf: Int64?,
        from pool: Pool,
        _ standby: Standby?,
        caller: isolated (any Actor)? = #isolation,
        _ consume: (ReportPart) async throws -> Void
    ) async throws {
        if !parameters.minPositions.isEmpty {
            try await wait(for: parameters.minPositions, parameters.definition, app: app, pool, standby)
        }
        try await pool.withTransaction(isolation: .repeatableRead, readOnly: true) { connection in
            try await Self.stream(parameters, app: app, asOf: asOf, on: connection, standby, consume)
        }
    }

    /// A page of a listing is at most this large, and so is read at once.
    private static let rowsAtATime = 1000

    private static func stream(
        _ parameters: ReportParameters,
        app: String,
        asOf: Int64?,
        on connection: Connection,
        _ standby: Standby?,
        caller: isolated (any Actor)? = #isolation,
        _ consume: (ReportPart) async throws -> Void
    ) async throws {
        let snapshot = try await ReportSnapshot.read(parameters, app: app, asOf: asOf, on: connection, standby)
        if let position = snapshot.progress.firstMissing(of: parameters.minPositions) {
            throw behind(position, snapshot.asOf)
        }
        let statement = ReportStatement(parameters, app: app, asOf: asOf)
        try await connection.query(
            "DECLARE report NO SCROLL CURSOR FOR \(statement.sql)",
            statement.parameters,
            cached: false
        )
        var page = try await nextPage(on: connection)
        let names = Dictionary(
            uniqueKeysWithValues: parameters.dimensions.enumerated().map { ("by_\($0.offset + 1)", $0.element) }
        )
        let columns = Set(statement.columns.map(\.name))
        try await consume(
            .head(
                ReportResult(
                    definition: parameters.definition,
                    parameters: snapshot.echo(parameters),
                    asOf: snapshot.asOf,
                    columns: statement.columns,
                    tableColumns: parameters.definition.tableColumns.map { names[$0] ?? $0 }.filter(columns.contains),
                    rows: [],
                    rowsTotal: try rowsTotal(page, parameters),
                    nextCursor: try nextCursor(page, parameters, statement)
                )
            )
        )
        while !page.isEmpty {
            try await consume(.rows(try page.map { try values($0, statement) }))
            guard page.count == rowsAtATime else { break }
            page = try await nextPage(on: connection)
        }
        // Rebuilds and upkeep of other cells wait for what this transaction has there.
        if snapshot.progress.isClustered { try await connection.query("SELECT reporting.leave_cells()") }
    }

    private static func nextPage(on connection: Connection) async throws -> Rows {
        try await connection.query("FETCH \(rowsAtATime) FROM report", cached: false)
    }

    /// The cursor in the last row of a full page.
    private static func nextCursor(
        _ rows: Rows,
        _ parameters: ReportParameters,
        _ statement: ReportStatement
    ) throws -> String? {
        guard parameters.definition.isListing, let last = rows.last, let limit = parameters.whole("limit"),
            rows.count >= Int(limit)
        else { return nil }
        return try last.get(statement.columns.count)
    }

    /// The number of keys, in the last column of every row.
    private static func rowsTotal(_ rows: Rows, _ parameters: ReportParameters) throws -> Int64? {
        guard parameters.definition.isBounded else { return nil }
        return try rows.first.map { try $0.get($0.count - 1) } ?? 0
    }

    private static func values(_ row: Row, _ statement: ReportStatement) throws(PostgresError) -> [ReportValue] {
        var values: [ReportValue] = []
        values.reserveCapacity(statement.columns.count)
        for index in statement.columns.indices {
            switch try row.get(index, as: PostgresValue.self) {
            case .null: values.append(.null)
            case .bool(let value): values.append(.bool(value))
            case .integer(let value): values.append(.integer(value))
            case .double(let value): values.append(.double(value))
            case .json(let value): values.append(.json(value))
            case .timestamp(let value):
                let offset =
                    statement.hasOffset && index == 0 ? try row.get(statement.columns.count, as: Int32?.self) : nil
                values.append(offset.map { .localTime(value, utcOffsetMinutes: Int($0)) } ?? .time(value))
            case .text(let value): values.append(.text(value))
            default: values.append(.text(try row.get(index)))
            }
        }
        return values
    }

    /// Waits until the report's projections have passed positions.
    private func wait(
        for positions: [Position],
        _ definition: ReportDefinition,
        app: String,
        _ pool: Pool,
        _ standby: Standby?
    ) async throws {
        let reached = try await LogProgress.wait(
            for: positions,
            definition.checkpoints,
            of: .name(app),
            timeout: timeout,
            pool,
            primary: standby == nil ? nil : self.pool
        )
        if let position = reached.firstUnassigned(of: positions) {
            throw ReportError(.unknownPosition, LogProgress.unassigned(position), parameter: "min_position")
        }
        if let position = reached.firstMissing(of: positions) {
            throw Self.behind(position, ReportResult.AsOf(reached, standby))
        }
    }

    private static func behind(_ position: Position, _ asOf: ReportResult.AsOf) -> ReportError {
        ReportError(
            .behind,
            LogProgress.behind("report", at: asOf.position, position),
            parameter: "min_position",
            lagSeconds: asOf.lagSeconds
        )
    }

    /// The errors that `reporting.invalid` and `reporting.app_id` raise.
    static func reportError(_ error: PostgresError) -> ReportError? {
        switch error.sqlState {
        case SQLState.invalidReportParameter: ReportError(.invalidParameter, error.message, parameter: error.detail)
        case SQLState.unknownName: ReportError(.unknownApp, error.message)
        case SQLState.silentCell: ReportError(.silentCell, error.message)
        default: nil
        }
    }
}

extension ReportResult.AsOf {
    /// - Parameter standby: where it was read, which does not know of the events that it lacks itself; nil for the primary.
    init(_ progress: LogProgress, _ standby: Standby?) {
        let lagSeconds = max(progress.lagSeconds, standby?.lagSeconds ?? 0)
        self.init(position: progress.position, positions: progress.positions, at: progress.at, lagSeconds: lagSeconds)
    }
}
