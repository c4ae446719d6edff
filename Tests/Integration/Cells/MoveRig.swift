import Administration
import EventLog
import Foundation
import Logging
import PlainHTTP
import Postgres
import PrivatePostgres
import Schema
import Testing

/// A cluster whose cell 2 is on a server of its own, with a streaming standby.
struct MoveRig {
    /// Of the coordinator, and of cell 1.
    let databases: [TestDatabase]
    /// The server that has cell 2, and its standby.
    let server: PrivatePostgres
    let standby: PrivatePostgres
    let app: TestApp

    var coordinator: TestDatabase { databases[0] }
    var old: TestDatabase { TestDatabase(url: server.url()) }
    var new: TestDatabase { TestDatabase(url: standby.url()) }

    /// Devices of cell 2.
    let devices: [String]

    static func run(_ body: (MoveRig) async throws -> Void) async throws {
        try await TestDatabase.withDatabases(2) { databases in
            try await TestDatabase.withServer { server, cell in
                let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: Logger(label: "test.cells"))
                try await Cluster(databases[0].configuration, migrator: migrator)
                    .form([databases[1].url, cell.url], coordinatorTakesEvents: true)
                let app = try await TestApp.make("first", in: databases[0])
                let pool = Pool(databases[0].configuration, limit: 1)
                let cells = try await Cells.read(pool)
                try await CellMirror(cells, pool).mirror()
                await pool.shutDown()
                let (standby, folder) = try await MovedLog.replica(of: server, isSynchronous: false)
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let rig = MoveRig(
                    databases: databases,
                    server: server,
                    standby: standby,
                    app: app,
                    devices: (0..<60).map { "device-\($0)" }.filter { cells.cell(ofDevice: $0).number == 2 }
                )
                do {
                    try await body(rig)
                } catch {
                    try? await standby.stop(.immediate)
                    throw error
                }
                try? await standby.stop(.immediate)
            }
        }
    }

    /// Runs a test against a service on the cluster.
    func withService(_ body: (ServiceProcess) async throws -> Void) async throws {
        let service = try await ServiceProcess.start(database: coordinator.url)
        do {
            try await body(service)
        } catch {
            await service.kill()
            throw error
        }
        await service.stop()
    }

    func move(_ limits: CellMove.Limits = .init()) -> CellMove {
        CellMove(of: 2, coordinator.configuration, limits: limits)
    }

    /// What the move is refused with.
    func refusal(_ work: () async throws -> Void) async throws -> String {
        do {
            try await work()
        } catch let error as AdministrationError {
            return error.message
        }
        return "nothing is refused"
    }

    /// A text that a database gives.
    func text(_ sql: String, in database: TestDatabase) async throws -> String {
        try await Connection.with(database.configuration) { connection in
            try await connection.query(sql, cached: false).only().get(0)
        }
    }

    /// Ids of the events of a database.
    func ids(in database: TestDatabase) async throws -> [String] {
        try await Connection.with(database.configuration) { connection in
            try await connection.query("SELECT id::text FROM log.event").map { try $0.get(0) }
        }
    }

    /// Whether the cell's first server takes events, and whether the other one does.
    var takers: [Bool] {
        get async throws { [try await takesEvents(old), try await takesEvents(new)] }
    }

    /// Whether a server takes an event.
    func takesEvents(_ database: TestDatabase) async throws -> Bool {
        try await Self.takesEvents(database, device: devices[0], app)
    }

    /// Whether a server takes an event of a device.
    static func takesEvents(_ database: TestDatabase, device: String, _ app: TestApp) async throws -> Bool {
        do {
            return try await TestLog.with(database) { test in
                _ = try await test.log.append([SampleEvents.make(device: device)], app: app.id)
                return true
            }
        } catch let error as AppendError {
            let state = error.cause?.sqlState
            #expect(state == SQLState.otherCell, "\(error)")
            return false
        } catch let error as PostgresError where error.sqlState == SQLState.readOnlySQLTransaction {
            return false
        }
    }
}
