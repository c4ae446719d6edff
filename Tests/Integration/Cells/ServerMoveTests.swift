import Administration
import EventLog
import Foundation
import Logging
import Postgres
import PrivatePostgres
import Schema
import Testing

/// Several cells of a server move to one standby of it, which is promoted once.
@Suite("Cells: moves of servers", .serialized)
struct ServerMoveTests {
    @Test(
        "a drain that is killed after any step goes on, and no cell has two servers",
        .timeLimit(.minutes(10))
    )
    func killed() async throws {
        try await ServerRig.run { rig in
            #expect(try await rig.takers == [[true, false], [true, false]])
            let stored = [try await rig.ids(1), try await rig.ids(2)]
            for step in CellMove.Step.allCases.dropLast() {
                let move = rig.move()
                try await move.run(try await move.parts(.all), until: step)
                let isOpen = step == .begun
                #expect(try await rig.takers == [[isOpen, false], [isOpen, false]], "\(step)")
            }
            let late = [try await rig.ids(1), try await rig.ids(2)]
            let command = try await rig.command("drain", "--json")
            #expect(command.status == 0, "\(command.errors)")
            for cell in 1...2 {
                let place = try #require(rig.new(cell).configuration.place)
                #expect(command.output.replacing("\\/", with: "/").contains(place), "\(command.output)")
            }
            #expect(try await rig.takers == [[false, true], [false, true]])
            #expect(zip(stored, late).allSatisfy { $0.isSubset(of: $1) })
            #expect(try await rig.ids(1, isNew: true).isSuperset(of: late[0]))
            #expect(try await rig.ids(2, isNew: true).isSuperset(of: late[1]))
            let status = try await NotilogCommand.run(["cluster", "status", "--database-url", rig.coordinator.url])
            #expect(status.status == 0, "\(status.output)")
            let again = try await rig.command("drain")
            #expect(again.status == 1 && again.errors.contains("no cell is on"), "\(again.errors)")
        }
    }

    @Test("if one cell cannot be sealed, every cell takes events where it was", .timeLimit(.minutes(10)))
    func broken() async throws {
        try await ServerRig.run { rig in
            let writer = try await rig.old(2).connect()
            try await writer.query("BEGIN")
            try await writer.query("UPDATE log.copied SET applied = applied")
            let busy = rig.move(.init(writing: .milliseconds(300)))
            let parts = try await busy.parts(.all)
            await #expect { try await busy.run(parts) } throws: { "\($0)".contains("write to cell 2 do not end") }
            await writer.close()
            #expect(try await rig.takers == [[true, false], [true, false]])
            // It was not promoted: the next one takes it.
            let command = try await rig.command("drain")
            #expect(command.status == 0, "\(command.errors)")
            #expect(try await rig.takers == [[false, true], [false, true]])
        }
    }

    @Test(
        "a new server takes about half, and what stays on the old one goes on there; a dry run changes nothing",
        .timeLimit(.minutes(10))
    )
    func rebalance() async throws {
        try await ServerRig.run { rig in
            let dry = try await rig.command("rebalance", "--dry-run")
            #expect(dry.status == 0 && dry.output.contains("would move to"), "\(dry)")
            #expect(dry.output.contains("cell 2 (") && dry.output.contains("stays on \(rig.server)"), "\(dry.output)")
            #expect(try await rig.takers == [[true, false], [true, false]])
            let command = try await rig.command("rebalance")
            #expect(command.status == 0, "\(command.errors)")
            let (first, second) = (try await rig.takers[0], try await rig.takers[1])
            #expect(first != second && first.contains(true) && second.contains(true))
            let alone = try await rig.command("rebalance")
            #expect(alone.status == 1 && alone.errors.contains("has one cell"), "\(alone.errors)")
            // The cell that is left needs a standby of its own.
            let left = try await rig.command("drain")
            #expect(left.status == 1 && left.errors.contains("no standby any more"), "\(left.errors)")
            let coordinator = try #require(rig.coordinator.configuration.server)
            let first0 = try await rig.command("drain", server: coordinator)
            #expect(first0.status == 1 && first0.errors.contains("the coordinator alone"), "\(first0.errors)")
            let both = try await rig.command("drain", server: rig.new(1).configuration.server)
            #expect(both.status == 1 && both.errors.contains("is both servers"), "\(both.errors)")
        }
    }
}

/// A cluster whose cells 1 and 2 are on one server, with a streaming standby of it.
private struct ServerRig {
    let coordinator: TestDatabase
    private let primary: PrivatePostgres
    private let standby: PrivatePostgres
    private let app: TestApp
    /// A device of each of the two cells.
    private let devices: [String]

    static func run(_ body: (ServerRig) async throws -> Void) async throws {
        try await TestDatabase.withDatabase { coordinator in
            try await TestDatabase.withServer(migrated: false) { primary, database in
                let connection = try await database.connect()
                for cell in 1...2 { try await connection.query("CREATE DATABASE cell_\(cell)", cached: false) }
                await connection.close()
                let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: Logger(label: "test.cells"))
                try await Cluster(coordinator.configuration, migrator: migrator).form(
                    (1...2).map { primary.url(database: "cell_\($0)") },
                    coordinatorTakesEvents: true
                )
                let app = try await TestApp.make("first", in: coordinator)
                let pool = Pool(coordinator.configuration, limit: 1)
                let cells = try await Cells.read(pool)
                try await CellMirror(cells, pool).mirror()
                await pool.shutDown()
                let (standby, folder) = try await MovedLog.replica(of: primary, isSynchronous: false)
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let devices = (0..<60).map { "device-\($0)" }
                let rig = ServerRig(
                    coordinator: coordinator,
                    primary: primary,
                    standby: standby,
                    app: app,
                    devices: try (1...2).map { cell in
                        try #require(devices.first { cells.cell(ofDevice: $0).number == cell })
                    }
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

    func old(_ cell: Int) -> TestDatabase { TestDatabase(url: primary.url(database: "cell_\(cell)")) }
    func new(_ cell: Int) -> TestDatabase { TestDatabase(url: standby.url(database: "cell_\(cell)")) }

    /// The server that has the cells, as `notilog cluster status` writes it.
    var server: String { old(1).configuration.server ?? "" }

    func move(_ limits: CellMove.Limits = .init()) -> ServerMove {
        ServerMove(from: server, to: standby.url(), coordinator.configuration, limits: limits)
    }

    func command(_ name: String, _ options: String..., server: String? = nil) async throws -> CommandResult {
        try await NotilogCommand.run(
            ["cluster", name, server ?? self.server, standby.url(), "--database-url", coordinator.url] + options
        )
    }

    /// Of each cell whether its first server takes an event, and whether the other one does.
    var takers: [[Bool]] {
        get async throws {
            var all: [[Bool]] = []
            for cell in 1...2 {
                all.append([try await takesEvents(cell, old(cell)), try await takesEvents(cell, new(cell))])
            }
            return all
        }
    }

    private func takesEvents(_ cell: Int, _ database: TestDatabase) async throws -> Bool {
        try await MoveRig.takesEvents(database, device: devices[cell - 1], app)
    }

    func ids(_ cell: Int, isNew: Bool = false) async throws -> Set<String> {
        try await Connection.with((isNew ? new(cell) : old(cell)).configuration) { connection in
            Set(try await connection.query("SELECT id::text FROM log.event").map { try $0.get(0, as: String.self) })
        }
    }
}
