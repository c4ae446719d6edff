import Administration
import Foundation
import Logging
import Postgres
import PrivatePostgres
import Schema

/// PostgreSQL, two services and the lines between them, all of which can be harmed.
///
///     clients ── proxy ── service 0 ── proxy ── PostgreSQL
///     clients ── proxy ── service 1 ── socket ──┘
final class FaultRig: @unchecked Sendable {
    let server: PrivatePostgres
    let disk: DataDisk?
    let databaseLine: FaultProxy
    /// Before each service, for the clients.
    private(set) var clientLines: [FaultProxy] = []
    /// Used by the one task that carries faults out.
    private(set) var services: [ServiceProcess?] = []
    private var ports: [Int] = []
    /// What services that are gone had logged of requests that failed by a fault of theirs.
    private var failuresOfEnded: [String] = []
    let app: TestApp

    /// The databases that the log is in, the one that services are told of first.
    let databases: [TestDatabase]

    var database: TestDatabase { databases[0] }

    /// Starts everything.
    ///
    /// - Parameters:
    ///   - diskMegabytes: the size of the data disk, where this run may make one.
    ///   - vacuums: whether autovacuum runs; without it statistics stay as they were.
    ///   - cells: how many databases share the devices.
    static func start(diskMegabytes: Int, vacuums: Bool, cells: Int) async throws -> FaultRig {
        let disk = try await DataDisk.make(megabytes: diskMegabytes)
        let server = try await PrivatePostgres.start(
            .init(
                folder: disk.map { "\($0.path)/server" },
                settings: [
                    "shared_buffers": "64MB", "min_wal_size": "32MB", "max_wal_size": "96MB",
                    "deadlock_timeout": "200ms", "autovacuum": vacuums ? "on" : "off",
                ]
            ),
            logger: Logger(label: "test.faults")
        )
        do {
            let databases = try await makeDatabases(cells, on: server)
            let rig = try FaultRig(server, disk, databases, app: try await TestApp.make("first", in: databases[0]))
            try await rig.startServices()
            return rig
        } catch {
            try? await server.stop(.immediate)
            await disk?.remove()
            throw error
        }
    }

    private static func makeDatabases(_ cells: Int, on server: PrivatePostgres) async throws -> [TestDatabase] {
        let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: Logger(label: "test.migrate"))
        let first = TestDatabase(url: server.url())
        let connection = try await first.connect()
        var databases = [first]
        for number in 1..<cells {
            try await connection.query("CREATE DATABASE cell_\(number)", cached: false)
            databases.append(TestDatabase(url: server.url(database: "cell_\(number)")))
        }
        if cells == 1 { try await migrator.migrate(on: connection) }
        await connection.close()
        if cells > 1 {
            try await Cluster(first.configuration, migrator: migrator)
                .form(databases.dropFirst().map(\.url), coordinatorTakesEvents: true)
        }
        return databases
    }

    private init(_ server: PrivatePostgres, _ disk: DataDisk?, _ databases: [TestDatabase], app: TestApp) throws {
        self.server = server
        self.databases = databases
        self.disk = disk
        self.app = app
        let socket = server.url().split(separator: "=").last.map(String.init) ?? ""
        databaseLine = try FaultProxy(to: .socket(path: "\(socket)/.s.PGSQL.5432"))
    }

    private func startServices() async throws {
        for number in 0..<2 {
            ports.append(0)
            services.append(nil)
            try await startService(number)
            clientLines.append(try FaultProxy(to: .port(UInt16(ports[number]))))
        }
    }

    private func url(of service: Int) -> String {
        guard service == 0 else { return server.url() }
        return "postgresql://postgres@127.0.0.1:\(databaseLine.port)/postgres?sslmode=disable&gssencmode=disable"
    }

    func startService(_ number: Int) async throws {
        let (url, port) = (url(of: number), ports[number])
        let service = try await within(.seconds(30), "start of service \(number)") {
            // Small bounds, so that they are met.
            try await ServiceProcess.start(
                database: url,
                settings: ["http.body_seconds": "10", "log.level": "warning"],
                port: port
            )
        }
        services[number] = service
        ports[number] = Int(service.url.split(separator: ":").last ?? "") ?? 0
    }

    func killService(_ number: Int) async throws {
        guard let service = services[number] else { return }
        services[number] = nil
        failuresOfEnded += service.failures
        try await within(.seconds(10), "end of killed service \(number)") { await service.kill() }
    }

    /// Stops a service as an operator does, and gives how long it took.
    func stopService(_ number: Int) async throws -> Duration {
        guard let service = services[number] else { return .zero }
        services[number] = nil
        failuresOfEnded += service.failures
        let start = ContinuousClock.now
        let status = try await within(.seconds(30), "end of stopped service \(number)") { await service.stop() }
        guard status == 0 else {
            throw FaultFailure("service \(number) ended with \(status): \(service.log.suffix(2000))")
        }
        return ContinuousClock.now - start
    }

    /// What services logged of requests that were answered 500.
    var failures: [String] { failuresOfEnded + services.flatMap { $0?.failures ?? [] } }

    /// Process ids of the server's sessions, by their application name.
    func backends(_ name: String) async throws -> [Int32] {
        let database = database
        return try await within(.seconds(10), "list of sessions") {
            let connection = try await database.connect()
            let rows = try await connection.query(
                "SELECT pid FROM pg_stat_activity WHERE application_name LIKE $1 ORDER BY backend_start, pid",
                [.text(name)]
            )
            let list = try rows.map { try $0.get(0, as: Int32.self) }
            await connection.close()
            return list
        }
    }

    /// Makes everything whole, whatever was done to it.
    func heal() {
        disk?.clear()
        databaseLine.drop(false)
        databaseLine.delay(milliseconds: 0)
        for line in clientLines {
            line.drop(false)
            line.delay(milliseconds: 0)
        }
        for service in services.compactMap({ $0 }) { service.signal(SIGCONT) }
    }

    /// Ends everything.
    func tearDown() async {
        heal()
        for number in services.indices { try? await killService(number) }
        databaseLine.close()
        for line in clientLines { line.close() }
        try? await server.stop(.immediate)
        await disk?.remove()
    }
}

extension ServiceProcess {
    /// What it logged of requests that were answered 500.
    fileprivate var failures: [String] {
        log.split(separator: "\n").filter { $0.contains("a statement failed") || $0.contains("a request failed") }
            .map(String.init)
    }
}

/// Why a run under faults failed.
struct FaultFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
