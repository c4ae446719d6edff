import Administration
import EventLog
import Logging
import PlainHTTP
import Postgres
import Schema

/// A service on a cluster of three cells, with one app.
struct CellFixture {
    /// That of the coordinator first.
    let databases: [TestDatabase]
    private let names: [String]
    let cells: Cells
    let service: ServiceProcess
    let app: TestApp
    let client: ServiceClient

    /// Runs a test against a service, and stops that afterwards.
    static func run(_ body: (CellFixture) async throws -> Void) async throws {
        try await TestDatabase.withDatabases(3) { databases in
            let logger = Logger(label: "test.cells")
            let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: logger)
            try await Cluster(databases[0].configuration, migrator: migrator)
                .form(databases.dropFirst().map(\.url), coordinatorTakesEvents: true)
            var names: [String] = []
            for database in databases {
                let connection = try await database.connect()
                names.append(try await connection.query("SELECT current_database()::text").only().get(0))
                await connection.close()
            }
            let app = try await TestApp.make("first", in: databases[0])
            let connection = try await databases[0].connect()
            let cells = try await Cells.read(databases[0].configuration, on: connection)
            await connection.close()
            let service = try await ServiceProcess.start(database: databases[0].url)
            let fixture = CellFixture(
                databases: databases,
                names: names,
                cells: cells,
                service: service,
                app: app,
                client: try await ServiceClient.connect(service.url)
            )
            do {
                try await body(fixture)
            } catch {
                await service.kill()
                throw error
            }
            await fixture.client.connection.close()
            await service.stop()
        }
    }

    /// How many rows a table of a database has.
    func count(_ table: String, in database: TestDatabase) async throws -> Int64 {
        let connection = try await database.connect()
        let count: Int64 = try await connection.query("SELECT count(*) FROM \(table)", cached: false).only().get(0)
        await connection.close()
        return count
    }

    /// A text that the coordinator gives.
    func text(_ sql: String) async throws -> String {
        let connection = try await databases[0].connect()
        let text: String = try await connection.query(sql, cached: false).only().get(0)
        await connection.close()
        return text
    }

    /// Every row of every table of a database, as text.
    func everything(in database: TestDatabase) async throws -> String {
        let connection = try await database.connect()
        let tables = try await connection.query(
            """
            SELECT format('SELECT r::text || E''\\t'' FROM %I.%I r', schemaname, tablename) FROM pg_tables
            WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
            """
        ).map { try $0.get(0, as: String.self) }
        var text = ""
        for table in tables {
            for row in try await connection.query(table, cached: false) {
                let row: String = try row.get(0)
                text += row.map { "(,)\"".contains($0) ? "\t" : $0 } + "\t\n"
            }
        }
        await connection.close()
        return text
    }

    /// Lets nobody connect to a database, and ends its sessions; or lets them again.
    func setConnectable(_ isConnectable: Bool, database number: Int) async throws {
        let connection = try await databases[0].connect()
        // The name is one of the tests' own.
        try await connection.query("ALTER DATABASE \(names[number]) ALLOW_CONNECTIONS \(isConnectable)", cached: false)
        try await connection.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND NOT $2",
            [.text(names[number]), .bool(isConnectable)]
        )
        await connection.close()
    }
}
