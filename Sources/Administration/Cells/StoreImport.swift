internal import EventLog
internal import Pacing
public import Postgres
public import Schema

/// Brings another store into this one: its events, its apps and whatever else is no event. Each of the two is one database or a cluster.
///
/// Events are appended in the order that they have there, and get positions of their own here: projections and copies go on meanwhile. An
/// event that is here is found to be, so what broke off goes on when it is done again. The other store takes events and answers reports
/// until it is closed.
public struct StoreImport: Sendable {
    /// What became of the other store's events.
    public struct Report: Sendable, Equatable {
        /// Stored here now.
        public var stored: Int64 = 0
        /// Here before.
        public var duplicates: Int64 = 0
        /// Here before under the same id, with other content.
        public var conflicts: Int64 = 0
        /// Refused: of devices that were erased here, or older than what retention has dropped here.
        public var refused: Int64 = 0

        /// All of them.
        public var events: Int64 { stored + duplicates + conflicts + refused }

        static func + (one: Report, other: Report) -> Report {
            Report(
                stored: one.stored + other.stored,
                duplicates: one.duplicates + other.duplicates,
                conflicts: one.conflicts + other.conflicts,
                refused: one.refused + other.refused
            )
        }
    }

    private let source: ConnectionConfiguration
    private let target: ConnectionConfiguration
    private let migrator: Migrator
    /// The most positions of a round: with the largest events, their text takes some tens of megabytes.
    private let positionsOfARound: Int64
    private static let rowsOfAStatement: Int64 = 500

    /// - Parameters:
    ///   - source: the other store, or its coordinator.
    ///   - target: this one, or its coordinator.
    ///   - migrator: says whether the schemas of both fit this release.
    ///   - positionsOfARound: how many positions are read at a time.
    public init(
        from source: ConnectionConfiguration,
        to target: ConnectionConfiguration,
        migrator: Migrator,
        positionsOfARound: Int64 = 2_000
    ) {
        func named(_ database: ConnectionConfiguration) -> ConnectionConfiguration {
            database.with(
                settings: [
                    "lock_timeout": "30s", "jit": "off", "notilog.here": "on", "DateStyle": "ISO", "TimeZone": "UTC",
                ],
                applicationName: SessionName.storeImport.rawValue
            )
        }
        self.source = named(source)
        self.target = named(target)
        self.migrator = migrator
        self.positionsOfARound = positionsOfARound
    }

    /// Imports what the other store has now.
    ///
    /// - Parameters:
    ///   - closing: whether the other store takes no more events from now on, so that all that it ever took is here afterwards. Then
    ///     keys, views, rules and the like come, too. If that fails, it takes events again, unless it took none before.
    ///   - leavesDropped: whether to go on where its retention has dropped events, whose figures stay there.
    ///   - progress: told of how far it is, after each round.
    /// - Throws: ``AdministrationError`` if the stores do not fit; `PostgresError`.
    public func run(
        closing: Bool = false,
        leavesDropped: Bool = false,
        progress: @Sendable (Report, _ left: Int64) -> Void = { _, _ in }
    ) async throws -> Report {
        do {
            return try await Connection.with(target) { coordinator in
                let (from, to) = (try await cells(source), try await cells(target))
                try await check(from, to, leavesDropped: leavesDropped)
                guard let lock = try await HeldLock.take("import", target) else {
                    throw AdministrationError("another import is under way: wait for its end, or stop it")
                }
                return try await deferring({ await lock.release() }) {
                    try await importApps(from, to, on: coordinator)
                    var report = Report()
                    try await importEvents(from, to, on: coordinator, &report, progress)
                    guard closing else { return report }
                    let wasClosed = try await isClosed(from)
                    do {
                        try await close(from)
                        try await importEvents(from, to, on: coordinator, &report, progress)
                        try await importRest(from, to, on: coordinator)
                        try await lock.check()
                    } catch {
                        guard wasClosed else { try await reopen(after: error) }
                        throw error
                    }
                    return report
                }
            }
        } catch let error as PostgresError where error.sqlState == SQLState.objectNotInPrerequisiteState {
            throw AdministrationError(error.message)
        }
    }

    /// Lets the other store take events again.
    ///
    /// - Throws: `PostgresError`.
    public func reopen() async throws {
        for cell in try await cells(source).all {
            try await Connection.with(cell.database) { connection in
                _ = try await connection.query("SELECT log.set_closed(false)")
            }
        }
    }

    private func reopen(after error: any Error) async throws -> Never {
        do {
            try await reopen()
        } catch let second {
            throw AdministrationError(
                "\(error); and the store to import takes no events, as it does not answer (\(second)): run this again, or with --reopen"
            )
        }
        throw error
    }

    private func cells(_ database: ConnectionConfiguration) async throws -> Cells {
        try await Connection.with(database) { try await Cells.read(database, on: $0) }
    }

    private func check(_ from: Cells, _ to: Cells, leavesDropped: Bool) async throws {
        var places: Set<String> = []
        for (name, cell) in from.all.map({ ("the store to import", $0) }) + to.all.map({ ("this store", $0) }) {
            try await Connection.with(cell.database) { connection in
                if let problem = try await migrator.state(on: connection).problem {
                    throw AdministrationError("\(name), cell \(cell.number): \(problem)")
                }
                guard places.insert(try await place(on: connection)).inserted else {
                    throw AdministrationError("the store to import is this store: give the URL of another one")
                }
            }
        }
        for cell in from.all where !leavesDropped {
            try await Connection.with(cell.database) { connection in
                let hasDropped: Bool = try await connection.query(
                    "SELECT EXISTS (SELECT FROM log.dropped_partition WHERE dropped_at IS NOT NULL)"
                ).only().get(0)
                guard !hasDropped else {
                    throw AdministrationError(
                        "retention has dropped events of the store to import: their figures stay there; add --without-dropped to go on without them"
                    )
                }
            }
        }
    }

    /// Where a log is: another one than any other's.
    private func place(on connection: Connection) async throws -> String {
        try await connection.query("SELECT log.place()").only().get(0)
    }

    private func importApps(_ from: Cells, _ to: Cells, on coordinator: Connection) async throws {
        let apps: String = try await Connection.with(from.coordinator.database) { connection in
            try await connection.query("SELECT notilog.mirrored_apps()::text").only().get(0)
        }
        try await coordinator.query("SELECT notilog.import_apps($1)", [.jsonb(apps)])
        let pool = Pool(target, limit: 1)
        try await deferring({ await pool.shutDown() }) { _ = try await CellMirror(to, pool).mirror() }
    }

    private func importEvents(
        _ from: Cells,
        _ to: Cells,
        on coordinator: Connection,
        _ report: inout Report,
        _ progress: @Sendable (Report, _ left: Int64) -> Void
    ) async throws {
        var targets: [(cell: Int16, connection: Connection)] = []
        for cell in to.all { targets.append((cell.number, try await Connection.connect(cell.database))) }
        let (opened, before) = (targets, report)
        report = try await deferring({ for target in opened { await target.connection.close() } }) {
            var report = before
            for cell in from.all {
                report = try await importEvents(
                    of: cell,
                    to.numbersOfLanes,
                    opened,
                    on: coordinator,
                    after: report,
                    progress
                )
            }
            return report
        }
    }

    /// Imports the events of one of the other store's cells.
    private func importEvents(
        of cell: Cell,
        _ lanes: [Int16],
        _ targets: [(cell: Int16, connection: Connection)],
        on coordinator: Connection,
        after before: Report,
        _ progress: @Sendable (Report, _ left: Int64) -> Void
    ) async throws -> Report {
        try await Connection.with(cell.database) { source in
            try await Settler.settleNow(on: source)
            let log = try await LogPositions.read(on: source)
            let origin = [Parameter.text(try await place(on: source)), .text(log.incarnation)]
            let known = try await coordinator.query(
                "SELECT position FROM notilog.imported WHERE (place, incarnation) = ($1, $2::text::uuid)",
                origin
            ).first
            var (report, after) = (before, try known?.get(0, as: Int64.self) ?? 0)
            var next = try await events(after: after, upTo: log.settled.rawValue, lanes, on: source)
            while after < log.settled.rawValue {
                let round = next
                // The next events are read while these are stored.
                async let following = events(after: round.upTo, upTo: log.settled.rawValue, lanes, on: source)
                report = report + (try await store(round.columns, in: targets))
                after = round.upTo
                try await coordinator.query(
                    "INSERT INTO notilog.imported VALUES ($1, $2::text::uuid, $3) ON CONFLICT (place, incarnation) DO UPDATE SET position = $3",
                    origin + [.int8(after)]
                )
                progress(report, log.settled.rawValue - after)
                next = try await following
            }
            return report
        }
    }

    /// The events of a round, for each cell that gets any.
    private struct Round {
        var upTo: Int64
        /// As `log.import` takes them, by the number of the cell.
        var columns: [Int16: [String]]
    }

    private func events(
        after: Int64,
        upTo settled: Int64,
        _ lanes: [Int16],
        on source: Connection
    ) async throws -> Round {
        let upTo = min(settled, after + positionsOfARound)
        guard upTo > after else { return Round(upTo: upTo, columns: [:]) }
        let rows = try await source.query(
            "SELECT cell, columns FROM log.events_to_import($1, $2, $3)",
            [.int8(after), .int8(upTo), .int2s(lanes)]
        )
        return Round(
            upTo: upTo,
            columns: Dictionary(
                uniqueKeysWithValues: try rows.map { (try $0.get(0, as: Int16.self), try $0.get(1, as: [String].self)) }
            )
        )
    }

    private func store(
        _ columns: [Int16: [String]],
        in targets: [(cell: Int16, connection: Connection)]
    ) async throws -> Report {
        try await withThrowingTaskGroup(of: Report.self) { group in
            for target in targets {
                guard let columns = columns[target.cell] else { continue }
                group.addTask {
                    let row = try await target.connection.query(
                        "SELECT stored, duplicates, conflicts, refused FROM log.import($1)",
                        [.texts(columns)]
                    ).only()
                    return Report(
                        stored: try row.get(0),
                        duplicates: try row.get(1),
                        conflicts: try row.get(2),
                        refused: try row.get(3)
                    )
                }
            }
            return try await group.reduce(Report(), +)
        }
    }

    private func isClosed(_ from: Cells) async throws -> Bool {
        try await Connection.with(from.coordinator.database) { connection in
            try await connection.query("SELECT closed FROM log.state").only().get(0)
        }
    }

    private func close(_ from: Cells) async throws {
        for cell in from.all {
            try await Connection.with(cell.database) { connection in
                try await connection.query("SELECT log.set_closed(true)")
                try await connection.query("CALL log.drain_appends()")
                let pending: Int64 = try await connection.query("SELECT count(*) FROM log.erasure_pending").only().get(
                    0
                )
                guard pending == 0 else {
                    throw AdministrationError(
                        "devices are being erased in the store to import: try again when that is done (`notilog doctor` shows them)"
                    )
                }
            }
        }
    }

    /// Imports what is no event of the closed store: its ledger of erased devices, what its apps have, and what it refuses.
    private func importRest(_ from: Cells, _ to: Cells, on coordinator: Connection) async throws {
        for cell in from.all {
            let ledger = try await Erasure(cell.database).exportLedger()
            let (secret, floor) = try await Connection.with(cell.database) { connection in
                let row = try await connection.query(
                    "SELECT k.secret, s.floor::text FROM log.erasure_secret k, log.state s"
                ).only()
                return (try row.get(0, as: [UInt8]?.self), try row.get(1, as: String.self))
            }
            for other in to.all {
                try await Connection.with(other.database) { connection in
                    if let secret { try await connection.query("SELECT log.adopt_ledger_secret($1)", [.bytea(secret)]) }
                    try await connection.query("SELECT log.raise_floor($1::text::timestamptz)", [.text(floor)])
                }
                if ledger.count > 1 { _ = try await Erasure(other.database).importLedger(ledger) }
            }
        }
        try await Connection.with(from.coordinator.database) { source in
            let tables: [String] = try await source.query("SELECT notilog.carried_tables()").map { try $0.get(0) }
            for table in tables { try await carry(table, from: source, to: coordinator) }
        }
    }

    private func carry(_ table: String, from source: Connection, to coordinator: Connection) async throws {
        var carried: Int64 = 0
        while let rows: String = try await source.query(
            "SELECT notilog.carried_rows($1, $2, $3)::text",
            [.text(table), .int8(carried), .int8(Self.rowsOfAStatement)]
        ).only().get(0) {
            try await coordinator.query("SELECT notilog.carry($1, $2)", [.text(table), .jsonb(rows)])
            carried += Self.rowsOfAStatement
        }
    }
}
