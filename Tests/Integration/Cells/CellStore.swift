import Administration
import EventLog
import Logging
import NotificationEvents
import Postgres
import Projections
import Schema

/// Databases as the cells of a cluster, driven by hand.
struct CellStore: Sendable {
    let cells: Cells
    let log: CellLog
    let coordinator: TestDatabase
    private let stores: [LawStore]
    private let copiers: [CellCopier]

    /// Runs a body with the cells of a cluster, of which the first database is the coordinator.
    ///
    /// - Parameter apps: how many apps there are, with own dimensions.
    static func withStore<Value: Sendable>(
        on databases: [TestDatabase],
        apps: Int,
        coordinatorTakesEvents: Bool = true,
        _ body: @Sendable (CellStore) async throws -> Value
    ) async throws -> Value {
        let logger = Logger(label: "test.cells")
        let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: logger)
        try await Cluster(databases[0].configuration, migrator: migrator)
            .form(databases.dropFirst().map(\.url), coordinatorTakesEvents: coordinatorTakesEvents)
        let connection = try await databases[0].connect()
        try await connection.nameOwnDimensions(apps: apps)
        let cells = try await Cells.read(databases[0].configuration, on: connection)
        let pool = Pool(databases[0].configuration, limit: 1)
        try await CellMirror(cells, pool).mirror()
        await pool.shutDown()
        await connection.close()
        return try await within(databases, cells, [], logger, body)
    }

    /// Opens the store of one database after the other, then runs the body.
    private static func within<Value: Sendable>(
        _ databases: [TestDatabase],
        _ cells: Cells,
        _ stores: [LawStore],
        _ logger: Logger,
        _ body: @Sendable (CellStore) async throws -> Value
    ) async throws -> Value {
        guard stores.count == databases.count else {
            return try await LawStore.withStore(on: databases[stores.count]) { store in
                try await within(databases, cells, stores + [store], logger, body)
            }
        }
        return try await body(
            CellStore(
                cells: cells,
                log: CellLog(cells, logs: stores.map(\.log)),
                coordinator: databases[0],
                stores: stores,
                copiers: cells.all.flatMap { cell in
                    cells.all.filter { $0.number != cell.number }.map {
                        CellCopier(cell, to: $0, signal: LogSignal(), logger: logger)
                    }
                }
            )
        )
    }

    /// Stores events, of each app in its order.
    func append(_ batches: [(app: AppID, events: [NormalisedEvent])]) async throws {
        for batch in batches {
            for result in try await log.append(batch.events, app: batch.app) {
                switch result {
                case .stored, .duplicate: continue
                case .conflict, .tooOld, .rejected, .erased: throw LawError("an event was not stored: \(result)")
                }
            }
        }
    }

    /// Applies what is stored, copies it, and applies the copies.
    func apply(limit: Int64) async throws {
        for _ in 0..<2 {
            for store in stores { try await store.apply(limit: limit) }
            for copier in copiers { try await copier.copyNow() }
        }
    }

    /// Runs a statement on each cell's database.
    func query(_ sql: String, _ parameters: [Parameter] = []) async throws -> [Rows] {
        var all: [Rows] = []
        for store in stores { all.append(try await store.connection.query(sql, parameters)) }
        return all
    }
}
