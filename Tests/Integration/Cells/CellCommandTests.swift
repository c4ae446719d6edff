import Administration
import EventLog
import Foundation
import Logging
import Postgres
import Schema
import Testing

/// What commands say of a cluster.
@Suite("Cells: commands")
struct CellCommandTests {
    private struct OfCell: Decodable {
        var cell: Int16
    }

    /// A database that is the coordinator of another.
    private static func withCluster(_ body: (TestDatabase) async throws -> Void) async throws {
        try await TestDatabase.withDatabases(2) { databases in
            let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: Logger(label: "test.cells"))
            try await Cluster(databases[0].configuration, migrator: migrator)
                .form([databases[1].url], coordinatorTakesEvents: true)
            try await body(databases[0])
        }
    }

    private static func run(_ arguments: [String], _ database: TestDatabase) async throws -> CommandResult {
        try await NotilogCommand.run(arguments, environment: ["NOTILOG_DATABASE_URL": database.url])
    }

    @Test("the JSON of a command is one array, whose objects say of which cell they are")
    func json() async throws {
        try await Self.withCluster { database in
            for (arguments, cells) in [
                (["log", "show"], [0, 1]), (["migrate"], [1, 0]), (["projections", "retry", "notification"], [0, 1]),
                (["retention", "run"], []), (["export", "cursors", "list"], []),
            ] as [([String], [Int16])] {
                let result = try await Self.run(arguments + ["--json"], database)
                #expect(result.status == 0, "\(arguments): \(result.errors)")
                let found = try JSONDecoder().decode([OfCell].self, from: Data(result.output.utf8))
                #expect(found.map(\.cell) == cells, "\(arguments): \(result.output)")
            }
            struct Projection: Decodable {
                var cell: Int16
                var name: String
            }
            let list = try await Self.run(["projections", "list", "--json"], database)
            let projections = try JSONDecoder().decode([Projection].self, from: Data(list.output.utf8))
            let names = ([0, 1] as [Int16]).map { cell in projections.filter { $0.cell == cell }.map(\.name) }
            #expect(names[0] == names[1] && names[0].contains("notification"), "\(names)")
        }
    }

    @Test("what makes a cluster says which cell has which lanes")
    func made() async throws {
        try await TestDatabase.withDatabases(2) { databases in
            let result = try await Self.run(["cluster", "init", databases[1].url, "--json"], databases[0])
            #expect(result.status == 0, "\(result.errors)")
            struct Made: Decodable {
                var cell: Int16
                var lanes: [Int16]
            }
            let cells = try JSONDecoder().decode([Made].self, from: Data(result.output.utf8))
            #expect(cells.map(\.cell) == [0, 1])
            #expect(cells.flatMap(\.lanes).sorted() == Array(0..<8), "\(result.output)")
        }
    }

    @Test("a cluster is made whole or not at all: after URLs that are of no use the right ones make it")
    func madeAfterWrongURLs() async throws {
        try await TestDatabase.withDatabases(3) { databases in
            let connection = try await databases[1].connect()
            // Its functions are applied again, which is no news.
            try await connection.query("UPDATE migration.replaceable SET checksum = 'another'")
            await connection.close()
            let last = try await databases[2].connect()
            let name: String = try await last.value("SELECT current_database()::text")
            await last.close()
            func expectRefusal(_ url: String, _ phrases: [String]) async throws {
                let result = try await Self.run(["cluster", "init", databases[1].url, url], databases[0])
                #expect(result.status == 1 && phrases.allSatisfy { result.errors.contains($0) }, "\(result.errors)")
                #expect(!result.errors.contains("functions applied"), "\(result.errors)")
            }
            let missing = databases[2].url.replacingOccurrences(of: name, with: "\(name)_missing")
            try await expectRefusal(missing, ["Error: cell 2: ", "\"\(name)_missing\" does not exist"])
            try await TestLogin.with(["notilog_writer", "notilog_projector"], in: databases[2]) { login in
                try await expectRefusal(login.database.url, ["Error: cell 2: permission denied", "notilog_owner"])
            }
            try await expectRefusal(databases[1].url, ["Error: cell 2: ", "a database of its own"])
            let made = try await Self.run(["cluster", "init", databases[1].url, databases[2].url], databases[0])
            #expect(made.status == 0, "\(made.errors)")
            let status = try await Self.run(["cluster", "status"], databases[0])
            #expect(status.status == 0, "\(status.errors)")
        }
    }

    @Test("what is asked of a cluster's coordinator says so of another database")
    func ofNoCoordinator() async throws {
        try await TestDatabase.withDatabase { database in
            for arguments in [["status"], ["move", "1", "--reopen"]] {
                let result = try await Self.run(["cluster"] + arguments, database)
                let said = "this database is no cluster's coordinator: give the coordinator's URL"
                #expect(result.status == 1 && result.errors.contains(said), "\(arguments): \(result.errors)")
            }
        }
    }

    @Test("a cell that is of no use is named on standard error")
    func status() async throws {
        try await Self.withCluster { database in
            #expect(try await Self.run(["cluster", "status"], database).status == 0)
            let connection = try await database.connect()
            try await connection.query("UPDATE notilog.cell SET url = $1 WHERE cell = 1", [.text(database.url)])
            await connection.close()
            let result = try await Self.run(["cluster", "status", "--json"], database)
            #expect(result.status == 1)
            #expect(result.errors.hasPrefix("Error: cell 1: it says of itself that it is cell 0"), "\(result.errors)")
            #expect(try JSONDecoder().decode([OfCell].self, from: Data(result.output.utf8)).count == 2)
        }
    }
}
