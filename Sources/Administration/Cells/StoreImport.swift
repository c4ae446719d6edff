internal import EventLog
internal import Pacing
public import Postgres
public import Schema

/// Brings another store into this one: its events, its apps and whatever else is no event. Each of the two is one database or a cluster.
///
/// Events are appended in the order that they have there, and get positions of their own here: projections and copies go on meanwhile. How
/// far each database has come is recorded with the events, so what broke off goes on when it is done again. The other store takes
/// events and answers reports until it is closed.
public struct StoreImport: Sendable {
    /// What became of the other store's events.
    public struct Report: Sendable, Equatable {
        /// Stored here now.
        public var stored: Int64 = 0
        /// Here before.
        public var duplicates: Int64 = 0
        /// Here before under the same id, with other content.
        public var conflicts: Int64 = 0
        /// Refused, as their device was erased here.
        public var refused: Int64 = 0
        /// Whether the other store takes no more events.
        public var isClosed = false

        /// All of them.
        public var events: Int64 { stored + duplicates + conflicts + refused }
    }

    let source: ConnectionConfiguration
    let target: ConnectionConfiguration
    let migrator: Migrator
    /// The most positions of a round. Large events end it early.
    let positionsOfARound: Int64

    /// - Parameters:
    ///   - source: the other store, or its coordinator.
    ///   - target: this one, or its coordinator.
    ///   - migrator: says whether the schemas of both fit this release.
    ///   - positionsOfARound: how many positions are read at a time, at most.
    public init(
        from source: ConnectionConfiguration,
        to target: ConnectionConfiguration,
        migrator: Migrator,
        positionsOfARound: Int64 = 2_000
    ) {
        func named(_ database: ConnectionConfiguration) -> ConnectionConfiguration {
            database.with(
                settings: [
                    "lock_timeout": "30s", "notilog.here": "on", "DateStyle": "ISO", "TimeZone": "UTC",
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
    ///     keys, views, rules and the like come, too, in place of those that are here. If that fails, it takes events again, unless it
    ///     took none before. Once it is done, it is not done again.
    ///   - leavesDropped: whether to go on where its retention has dropped events, whose figures stay there.
    ///   - progress: told of how many positions are done, and how many there are.
    /// - Throws: ``AdministrationError`` if the stores do not fit; `PostgresError`.
    public func run(
        closing: Bool = false,
        leavesDropped: Bool = false,
        progress: @escaping @Sendable (_ done: Int64, _ of: Int64) -> Void = { _, _ in }
    ) async throws -> Report {
        do {
            let (from, to) = try await check(leavesDropped: leavesDropped)
            return try await withLocks {
                if try await isFinished(from) {
                    throw AdministrationError("the other store was imported to its end before: nothing is left to do")
                }
                let meter = ImportMeter(progress)
                try await importApps(from, to)
                try await importEvents(from, to, meter)
                var report = meter.report
                report.isClosed = try await isClosed(from)
                guard closing else { return report }
                let wasClosed = report.isClosed
                do {
                    try await close(from)
                    try await importApps(from, to)
                    try await importEvents(from, to, meter)
                    try await refuseConflicts(from, to)
                    try await importRest(from, to)
                } catch {
                    guard wasClosed else { try await reopen(after: error) }
                    throw error
                }
                report = meter.report
                report.isClosed = true
                return report
            }
        } catch let error as PostgresError where error.sqlState == SQLState.objectNotInPrerequisiteState {
            throw AdministrationError(error.message)
        }
    }

    /// Lets the other store take events again.
    ///
    /// - Throws: `PostgresError`.
    public func reopen() async throws {
        let from = try await cells(of: source)
        let name = try await name(of: from.coordinator)
        try await Connection.with(target) { coordinator in
            _ = try await coordinator.query(
                "UPDATE notilog.imported SET finished = false WHERE source = $1",
                [.text(name)]
            )
        }
        for cell in from.all {
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
                "\(error); and the other store takes no events, as it does not answer (\(second)): run this again, or with --reopen"
            )
        }
        throw error
    }

    /// One import at a time, of either store.
    private func withLocks(_ work: () async throws -> Report) async throws -> Report {
        guard let here = try await HeldLock.take("import", target) else { throw Self.underWay }
        return try await deferring({ await here.release() }) {
            guard let there = try await HeldLock.take("import", source) else { throw Self.underWay }
            return try await deferring({ await there.release() }) { try await work() }
        }
    }

    private static let underWay = AdministrationError(
        "another import is under way: wait for its end, or stop it"
    )

    private func isFinished(_ from: Cells) async throws -> Bool {
        let name = try await name(of: from.coordinator)
        return try await Connection.with(target) { coordinator in
            try await coordinator.query(
                "SELECT EXISTS (SELECT FROM notilog.imported WHERE source = $1 AND finished)",
                [.text(name)]
            ).only().get(0)
        }
    }

    private func isClosed(_ from: Cells) async throws -> Bool {
        try await Connection.with(from.coordinator.database) { connection in
            try await connection.query("SELECT closed FROM log.state").only().get(0)
        }
    }

    func name(of cell: Cell) async throws -> String {
        try await Connection.with(cell.database) { connection in
            try await connection.query("SELECT log.import_source()").only().get(0)
        }
    }

    private func importApps(_ from: Cells, _ to: Cells) async throws {
        let apps: String = try await Connection.with(from.coordinator.database) { connection in
            try await connection.query("SELECT notilog.mirrored_apps()::text").only().get(0)
        }
        try await Connection.with(target) { coordinator in
            _ = try await coordinator.query("SELECT notilog.import_apps($1)", [.jsonb(apps)])
        }
        try await Pool.with(target, limit: 1) { pool in _ = try await CellMirror(to, pool).mirror() }
    }

    private func close(_ from: Cells) async throws {
        for cell in from.all {
            try await Connection.with(cell.database) { connection in
                func refuseErasures() async throws {
                    let pending: Int64 = try await connection.query("SELECT count(*) FROM log.erasure_pending").only()
                        .get(0)
                    guard pending == 0 else {
                        throw AdministrationError(
                            "devices are being erased in the other store: try again when that is done, which takes a minute if it takes events (else let it, with --reopen)"
                        )
                    }
                }
                try await refuseErasures()
                _ = try await connection.query("SELECT log.set_closed(true)")
                _ = try await connection.query("CALL log.drain_appends()")
                try await refuseErasures()
            }
        }
    }

    private func refuseConflicts(_ from: Cells, _ to: Cells) async throws {
        var names: [String] = []
        for cell in from.all { names.append(try await name(of: cell)) }
        var conflicts: Int64 = 0
        for cell in to.all {
            conflicts += try await Connection.with(cell.database) { [names] connection in
                try await connection.query(
                    "SELECT coalesce(sum(conflicts), 0)::bigint FROM notilog.imported WHERE source = ANY ($1)",
                    [.texts(names)]
                ).only().get(0, as: Int64.self)
            }
        }
        guard conflicts == 0 else {
            throw AdministrationError(
                "\(conflicts) events of the other store are here under the same ids with other content: import into a store that took no events of its own"
            )
        }
    }
}
