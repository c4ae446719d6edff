import Administration
import Foundation
import Logging
import Postgres
import PrivatePostgres
import Schema
import Testing

/// What is killed while cells move.
enum MoveVictim: String, CaseIterable, Sendable {
    /// The command that moves them.
    case command
    /// A service.
    case service
    /// The server that the coordinator and cell 1 are on.
    case coordinator
    /// The server that has the cells.
    case oldServer
    /// The standby that is to have them.
    case newServer
    case nobody
}

/// One run: clients at work, cells 2 and 3 of a cluster move from server to server, and what takes part is killed meanwhile.
struct CellMoveRun: Sendable {
    let seed: UInt64
    let duration: Duration
    let leastMoves: Int
    let clients: Int
    /// Told of each move as it is over.
    var progress: @Sendable (Step) -> Void = { _ in }

    /// A move, and how long it took from its beginning to the first events acknowledged by every service after it.
    struct Step: Sendable {
        var victim: MoveVictim
        /// After the beginning of the move.
        var killedAfter: Duration
        /// How often the command had to run.
        var commands: Int
        /// How many standbys were made: another one, where the first was promoted and the cells stayed where they were.
        var standbys: Int
        var whole: Duration
    }

    struct Outcome: Sendable {
        var moves: [Step] = []
        var ledger = FaultLedger.State()
        var leavers = FaultLeavers.State()
        /// What must not be found once it is over, in words.
        var violations: [String] = []
        /// Databases that still took a cell's events after it had moved away.
        var takers = 0
        var verdict = FaultVerdict(lost: 0, twice: 0, stored: 0, setAside: [], differing: [])
    }

    func run() async throws -> Outcome {
        var outcome = Outcome()
        try await TestDatabase.withServer(migrated: false) { coordinator, first in
            try await TestDatabase.withServer(migrated: false) { server, cell in
                for (database, number) in [(first, 1), (cell, 3)] {
                    let connection = try await database.connect()
                    try await connection.query("CREATE DATABASE cell_\(number)", cached: false)
                    await connection.close()
                }
                let own = TestDatabase(url: coordinator.url(database: "cell_1"))
                let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: Logger(label: "test.migrate"))
                try await Cluster(first.configuration, migrator: migrator)
                    .form([own.url, cell.url, server.url(database: "cell_3")], coordinatorTakesEvents: true)
                let rig = MoveServers(coordinator, server, app: try await TestApp.make("first", in: first))
                do {
                    for number in 0..<2 { try await rig.startService(number) }
                    try await run(on: rig, with: [first, own], &outcome)
                } catch {
                    await rig.tearDown()
                    throw FaultFailure("seed \(seed), after \(outcome.moves.map(\.victim)): \(error)")
                }
                let databases = [first, own] + rig.databases
                outcome.violations = outcome.ledger.violations + outcome.leavers.violations
                for (cell, database) in databases.enumerated() {
                    outcome.violations += try await StoreSearch.places(of: [FaultLeavers.prefix], in: database).map {
                        "an erased device is still in \($0) of cell \(cell)"
                    }
                }
                outcome.verdict = try await within(.seconds(600), "the verdict") { [ledger = outcome.ledger] in
                    try await FaultVerdict.find(ledger, in: databases)
                }
                await rig.tearDown()
            }
        }
        return outcome
    }

    /// - Parameter databases: those besides the rig's.
    private func run(
        on rig: MoveServers,
        with databases: [TestDatabase],
        _ outcome: inout Outcome
    ) async throws {
        let load = FaultClients(ports: rig.ports, key: rig.app.write, seed: seed)
        let leavers = FaultLeavers(ports: rig.ports, app: rig.app, seed: seed)
        let working = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await load.run(clients) }
                group.addTask { await leavers.run() }
            }
        }
        defer { working.cancel() }
        try await recover(rig, load, "at the start")
        var random = LawRandom(seed: seed)
        var victims: [MoveVictim] = []
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end || outcome.moves.count < leastMoves {
            if victims.isEmpty { victims = MoveVictim.allCases.shuffled(using: &random) }
            let delay = Duration.milliseconds(Int.random(in: 0...2500, using: &random))
            let begun = ContinuousClock.now
            let (victim, service) = (victims.removeLast(), Int.random(in: 0..<2, using: &random))
            var step = try await rig.move(killing: victim, service, after: delay)
            outcome.takers += try await rig.leave()
            try await recover(rig, load, "after a move with \(victim) killed")
            step.whole = ContinuousClock.now - begun
            outcome.moves.append(step)
            progress(step)
        }
        try await eventually("an erased device", within: .seconds(120)) { leavers.state.erased > 0 }
        load.stop()
        leavers.stop()
        try await within(.seconds(120), "the last acknowledgements") { await working.value }
        outcome.ledger = [load.ledger, leavers.ledger].map(\.state).reduce(into: .init()) { $0.add($1) }
        outcome.leavers = leavers.state
        try await erasuresEnd(in: databases + rig.databases)
        for number in rig.ports.indices { await rig.killService(number) }
    }

    /// Waits until no cell has an erasure left. One that was asked for twice may be under way once more, and one that was broken
    /// off is tried again after a minute.
    ///
    /// It ends in the device's cell before it does in others: between two looks that find none, none can have begun there.
    private func erasuresEnd(in databases: [TestDatabase]) async throws {
        var looks = 0
        try await eventually("every erasure has come to its end", within: .seconds(300)) {
            var pending: Int64 = 0
            for database in databases {
                pending += try await Connection.with(database.configuration) {
                    try await $0.value("SELECT count(*) FROM log.erasure_pending")
                }
            }
            looks = pending == 0 ? looks + 1 : 0
            return looks == 2
        }
    }

    /// Waits until every service has acknowledged a request that was made from now on.
    private func recover(_ rig: MoveServers, _ load: FaultClients, _ what: String) async throws {
        let start = ContinuousClock.now
        for service in rig.ports.indices {
            try await eventually("an acknowledgement of service \(service) \(what)") {
                load.ledger.lastSuccess(of: service).map { $0 >= start } ?? false
            }
        }
    }
}

/// The servers and services of a run. Used by its one task.
private final class MoveServers: @unchecked Sendable {
    let app: TestApp
    private let coordinator: PrivatePostgres
    /// The server that has the cells, with the folder of its data where this run made it.
    private var current: (server: PrivatePostgres, folder: String?)
    private var standby: (server: PrivatePostgres, folder: String)?
    private var services: [ServiceProcess?] = []
    private(set) var ports: [UInt16] = []

    init(_ coordinator: PrivatePostgres, _ server: PrivatePostgres, app: TestApp) {
        self.coordinator = coordinator
        self.app = app
        current = (server, nil)
    }

    /// Of the cells that move.
    var databases: [TestDatabase] {
        [current.server.url(), current.server.url(database: "cell_3")].map { TestDatabase(url: $0) }
    }

    func startService(_ number: Int) async throws {
        let port = ports.indices.contains(number) ? Int(ports[number]) : 0
        let service = try await ServiceProcess.start(
            database: coordinator.url(),
            settings: ["log.level": "warning"],
            port: port
        )
        guard port == 0 else { return services[number] = service }
        services.append(service)
        ports.append(UInt16(service.url.split(separator: ":").last ?? "") ?? 0)
    }

    func killService(_ number: Int) async {
        await services[number]?.kill()
        services[number] = nil
    }

    /// Moves the cells to a new standby, however often that takes.
    func move(killing victim: MoveVictim, _ service: Int, after delay: Duration) async throws -> CellMoveRun.Step {
        var step = CellMoveRun.Step(victim: victim, killedAfter: delay, commands: 1, standbys: 1, whole: .zero)
        try await makeStandby()
        if victim == .command {
            _ = try await NotilogCommand.runKilled(arguments, environment: [:], after: delay)
        } else {
            async let first = NotilogCommand.run(arguments)
            try await ContinuousClock().sleep(for: delay)
            try await kill(victim, service)
            if try await first.status == 0 { return step }
        }
        var last = ""
        do {
            try await eventually("a move", within: .seconds(180)) {
                step.commands += 1
                let again = try await NotilogCommand.run(arguments)
                last = again.errors
                // Of a command that was killed at its very end.
                if again.status == 0 || last.contains("no cell is on") { return true }
                guard last.contains("no standby any more") else { return false }
                step.standbys += 1
                for cell in ["2", "3"] {
                    let take = ["cluster", "move", cell, "--reopen", "--database-url", coordinator.url()]
                    _ = try await NotilogCommand.run(take)
                }
                try await discardStandby()
                try await makeStandby()
                return false
            }
        } catch {
            throw FaultFailure("\(error), with \(victim) killed after \(delay): \(last)")
        }
        return step
    }

    /// Leaves the server that had the cells, for the one that has them now.
    ///
    /// - Returns: how many of its databases still take events.
    func leave() async throws -> Int {
        guard let standby else { return 0 }
        var takers = 0
        for database in databases {
            let takes: Bool = try await Connection.with(database.configuration) { connection in
                try await connection.query("SELECT NOT closed AND NOT is_standby FROM log.moving()").only().get(0)
            }
            if takes { takers += 1 }
        }
        try await current.server.stop(.immediate)
        if let folder = current.folder { try? FileManager.default.removeItem(atPath: folder) }
        (current, self.standby) = ((standby.server, standby.folder), nil)
        return takers
    }

    func tearDown() async {
        for number in services.indices { await killService(number) }
        try? await discardStandby()
        try? await current.server.stop(.immediate)
        if let folder = current.folder { try? FileManager.default.removeItem(atPath: folder) }
    }

    private var arguments: [String] {
        let server = databases[0].configuration.server ?? ""
        return ["cluster", "drain", server, standby?.server.url() ?? "", "--database-url", coordinator.url()]
    }

    private func makeStandby() async throws {
        standby = try await MovedLog.replica(of: current.server, isSynchronous: false)
    }

    private func discardStandby() async throws {
        guard let standby else { return }
        try? await standby.server.stop(.immediate)
        try? FileManager.default.removeItem(atPath: standby.folder)
        self.standby = nil
    }

    /// Kills as a crash does, and starts again what an operator or systemd starts again.
    private func kill(_ victim: MoveVictim, _ service: Int) async throws {
        switch victim {
        case .service:
            await killService(service)
            try await startService(service)
        case .coordinator: try await restart(coordinator)
        case .oldServer: try await restart(current.server)
        case .newServer: if let standby { try await restart(standby.server) }
        case .command, .nobody: break
        }
    }

    private func restart(_ server: PrivatePostgres) async throws {
        try await server.stop(.immediate)
        try await server.launch()
    }
}
