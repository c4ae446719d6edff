import Foundation
import Logging
import Postgres
import Schema
import Testing

@Suite("PostgreSQL: migrations")
struct MigratorTests {
    private let logger = Logger(label: "test.migrate")

    /// A folder of SQL files to change at will, with the migrator's own scripts.
    private func withFolder(
        _ files: [String: String],
        _ body: (ReleaseFolder, (String, String?) throws -> Void) async throws -> Void
    ) async throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-sql-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let write: (String, String?) throws -> Void = { path, text in
            let file = root.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            if let text { try Data(text.utf8).write(to: file) } else { try FileManager.default.removeItem(at: file) }
        }
        let release = try ReleaseFolder.locate()
        for script in release.list("migrator") { try write("migrator/\(script)", release.read("migrator/\(script)")) }
        for (path, text) in files { try write(path, text) }
        try await body(ReleaseFolder(path: root.path), write)
    }

    private static let first =
        "CREATE SCHEMA notilog; CREATE SCHEMA log; CREATE SCHEMA projection; CREATE SCHEMA report;"

    @Test("the repository's own files migrate an empty database, once, and a second time do nothing")
    func ownFiles() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: logger)
            #expect(try await migrator.state(on: connection) == .missing)
            let plan = try await migrator.plan(on: connection)
            #expect(plan.migrations.first == "0001_log.sql")
            #expect(plan.reappliesFunctions)
            #expect(try await migrator.state(on: connection) == .missing, "a plan changes nothing")
            #expect(try await migrator.migrate(on: connection) == plan)
            #expect(try await migrator.state(on: connection) == .current)
            #expect(try await migrator.migrate(on: connection).isEmpty)
        }
    }

    @Test("many migrators at once apply each file once")
    func concurrent() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: logger)
            let plans = try await withThrowingTaskGroup(of: MigrationPlan.self) { group in
                for _ in 0..<6 {
                    group.addTask { try await migrator.migrate(on: try await database.connect()) }
                }
                return try await group.reduce(into: []) { $0 += [$1] }
            }
            let files = try ReleaseFolder.locate().list("migrations").filter { $0.hasSuffix(".sql") }
            #expect(plans.flatMap(\.migrations).sorted() == files.sorted())
            #expect(plans.count(where: \.reappliesFunctions) == 1)
        }
    }

    @Test("behind, ahead, changed and foreign schemas are distinguished, each with what mends it")
    func states() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            try await withFolder(["migrations/0001_first.sql": Self.first]) { folder, write in
                let migrator = Migrator(folder: folder, logger: logger)
                try await migrator.migrate(on: connection)
                try write("migrations/0002_second.sql", "-- oldest service: 1\nCREATE TABLE notilog.b ()")
                let older = try await migrator.state(on: connection)
                #expect(older == .older(pending: 1))
                #expect(older.problem?.contains("notilog migrate") == true)
                #expect(!older.isUsable)
                #expect(try await migrator.migrate(on: connection).migrations == ["0002_second.sql"])
                try write("migrations/0002_second.sql", nil)
                #expect(try await migrator.state(on: connection) == .newer(version: 2))
                await #expect(throws: SchemaError.self) { try await migrator.migrate(on: connection) }
                try write("migrations/0001_first.sql", Self.first + " ")
                guard case .foreign = try await migrator.state(on: connection) else {
                    Issue.record("a changed file was not noticed")
                    return
                }
                await #expect(throws: SchemaError.self) { try await migrator.migrate(on: connection) }
            }
        }
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            try await connection.execute(script: "CREATE SCHEMA notilog")
            let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: logger)
            let state = try await migrator.state(on: connection)
            #expect(!state.isUsable)
            guard case .foreign = state else {
                Issue.record("somebody else's schema was taken for Notilog's")
                return
            }
        }
    }

    @Test("functions are replaced when a file changes, also with another result, and go when their file goes")
    func functions() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            try await withFolder([
                "migrations/0001_first.sql": Self.first,
                "log/a.sql": "CREATE FUNCTION log.a() RETURNS int LANGUAGE sql AS 'SELECT log.b()'",
                "log/b.sql": "CREATE FUNCTION log.b() RETURNS int LANGUAGE sql AS 'SELECT 1'",
                "projections/p/table.sql": "CREATE TABLE IF NOT EXISTS rows (n int)",
                "projections/p/apply.sql":
                    "CREATE FUNCTION projection.p_apply() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM rows'",
                "reports/r.sql":
                    "CREATE FUNCTION report.r() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM rows'",
            ]) { folder, write in
                let migrator = Migrator(folder: folder, logger: logger)
                try await migrator.migrate(on: connection)
                #expect(try await connection.query("SELECT log.a()").only().get(0) == 1)
                #expect(try await connection.query("SELECT count(*) FROM projection.rows").only().get(0) == 0)
                try write("log/b.sql", "CREATE FUNCTION log.b() RETURNS bigint LANGUAGE sql AS 'SELECT 2::bigint'")
                try write("log/a.sql", "CREATE FUNCTION log.a() RETURNS bigint LANGUAGE sql AS 'SELECT log.b()'")
                try write("reports/r.sql", nil)
                #expect(try await migrator.state(on: connection) == .functionsDiffer)
                let plan = try await migrator.migrate(on: connection)
                #expect(plan.migrations.isEmpty)
                #expect(plan.reappliesFunctions)
                #expect(try await connection.query("SELECT log.a()").only().get(0) == 2)
                await #expect(throws: PostgresError.self) { try await connection.query("SELECT report.r()") }
                #expect(try await migrator.state(on: connection) == .current)
            }
        }
    }

    @Test("a view of which routines return rows may get other columns, and goes when its file goes")
    func rowShapes() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            let claim = "CREATE OR REPLACE FUNCTION notilog.claim() RETURNS SETOF notilog.shape LANGUAGE sql AS "
            try await withFolder([
                "migrations/0001_first.sql": Self.first,
                "notilog/_shape.sql": "CREATE OR REPLACE VIEW notilog.shape AS SELECT 1 AS a, 2 AS b",
                "notilog/claim.sql": claim + "'SELECT * FROM notilog.shape'",
            ]) { folder, write in
                let migrator = Migrator(folder: folder, logger: logger)
                try await migrator.migrate(on: connection)
                #expect(try await connection.query("SELECT a + b FROM notilog.claim()").only().get(0) == 3)
                // Of the same columns: replaced, not dropped at the end.
                try write("notilog/_shape.sql", "CREATE OR REPLACE VIEW notilog.shape AS SELECT 5 AS a, 2 AS b")
                try await migrator.migrate(on: connection)
                #expect(try await connection.query("SELECT a + b FROM notilog.claim()").only().get(0) == 7)
                try write("notilog/_shape.sql", "CREATE OR REPLACE VIEW notilog.shape AS SELECT 'x'::text AS c")
                try await migrator.migrate(on: connection)
                #expect(try await connection.query("SELECT c FROM notilog.claim()").only().get(0) == "x")
                try write("notilog/claim.sql", nil)
                try write("notilog/_shape.sql", nil)
                try await migrator.migrate(on: connection)
                let left = "SELECT to_regclass('notilog.shape') IS NULL"
                #expect(try await connection.query(left).only().get(0, as: Bool.self))
            }
        }
    }

    @Test("a migration that fails leaves nothing, and its file is named")
    func failure() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            try await withFolder([
                "migrations/0001_first.sql": Self.first,
                "migrations/0002_bad.sql": "CREATE TABLE notilog.half (); SELECT 1/0;",
            ]) { folder, _ in
                let migrator = Migrator(folder: folder, logger: logger)
                await #expect {
                    try await migrator.migrate(on: connection)
                } throws: { error in
                    (error as? PostgresError)?.message.contains("0002_bad.sql") == true
                }
                let state = try await migrator.state(on: connection)
                #expect(state == .older(pending: 1))
                #expect(try await connection.query("SELECT to_regclass('notilog.half') IS NULL").only().get(0))
                #expect(await !connection.isInTransaction)
            }
        }
    }
}
