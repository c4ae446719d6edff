import Administration
import EventLog
import Foundation
import PlainHTTP
import Postgres
import Testing

/// An app is deleted with all that is its, in every schema, and no other's.
@Suite(.serialized)
struct AppDeletionTests {
    /// How many rows each table has of an app, tables without any left out.
    private func rows(of app: AppID, in database: TestDatabase) async throws -> [String: Int64] {
        let connection = try await database.connect()
        let tables = try await connection.query(
            """
            SELECT format('%I.%I', table_schema, table_name) FROM information_schema.columns
            JOIN information_schema.tables USING (table_schema, table_name)
            WHERE column_name = 'app_id' AND table_type = 'BASE TABLE' AND table_schema <> 'pg_catalog'
            """
        )
        var counts: [String: Int64] = [:]
        for table in tables {
            let name: String = try table.get(0)
            let count: Int64 = try await connection.query(
                "SELECT count(*) FROM \(name) WHERE app_id = $1",
                [.app(app)],
                cached: false
            ).only().get(0)
            if count > 0 { counts[name] = count }
        }
        await connection.close()
        return counts
    }

    private func delete(_ app: String, _ more: String..., in database: TestDatabase) async throws -> CommandResult {
        try await NotilogCommand.run(
            ["apps", "delete", app] + more,
            environment: ["NOTILOG_DATABASE_URL": database.url]
        )
    }

    /// Traffic of every kind, quarantine, an erased device, a cursor, a reader and a projection beside the one that serves.
    private func fill(_ service: ServiceFixture, _ app: TestApp) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("deletion-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let environment = ["NOTILOG_DATABASE_URL": service.database.url]
        for arguments in [
            [
                "simulate", "--devices", "20", "--days", "5", "--url", service.service.url, "--key", app.write,
                "--provider-key", app.provider,
            ],
            ["apps", "grant", app.name, "--to", "deletion_reader"],
            [
                "export", "notifications", "--cursor", "deletion-\(app.name)", "--app", app.name, "--output",
                folder.path,
            ],
        ] {
            let result = try await NotilogCommand.run(arguments, environment: environment)
            #expect(result.status == 0, "\(arguments): \(result.errors)")
        }
        let answer = try await service.client.post(
            "[\(Sample.action(device: "gone")), {\"kind\":\"delivery\"}]",
            key: app.write
        )
        #expect(answer.status == 200)
        let position = try #require(try answer.events.position)
        let asked = "/v1/reports/engagement?min_position=\(position)"
        #expect(try await service.client.get(asked, key: app.read).status == 200)
        let erased = try await NotilogCommand.run(
            ["devices", "erase", "--app", app.name, "gone"],
            environment: environment
        )
        #expect(erased.status == 0, "\(erased.errors)")
    }

    @Test(.timeLimit(.minutes(5))) func nothingOfItIsLeftAndEverythingOfOthers() async throws {
        try await ServiceFixture.run { service in
            let database = service.database
            let connection = try await database.connect()
            try await connection.query(
                "DO $$ BEGIN CREATE ROLE deletion_reader; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
                cached: false
            )
            // As of a version that is built beside the one that serves.
            try await connection.query("CREATE SCHEMA projection_next_example", cached: false)
            try await connection.query(
                "CREATE TABLE projection_next_example.example AS SELECT generate_series(1, 20000) AS n, \(service.app.id) AS app_id",
                cached: false
            )
            let other = try await TestApp.make("other", in: database)
            try await fill(service, service.app)
            try await fill(service, other)
            // Every projection, also those that no report above waits for.
            try #require(try await service.caughtUp())
            let before = try await rows(of: service.app.id, in: database)
            for table in [
                "log.event", "log.identity", "log.quarantine", "log.erasure", "projection.notification",
                "projection.engagement", "export.cursor", "notilog.api_key", "notilog.reader_app",
                "projection_next_example.example",
            ] { #expect(before[table] != nil, "\(table) is not tried") }
            let others = try await rows(of: other.id, in: database)

            let asked = try await delete(service.app.name, in: database)
            #expect(asked.status == 1 && asked.errors.contains("--yes"))
            #expect(try await rows(of: service.app.id, in: database) == before)

            let start = ContinuousClock.now
            let deleted = try await delete(service.app.name, "--yes", in: database)
            #expect(deleted.status == 0, "\(deleted.errors)")
            let longest = Administration.keyInterval + EventLog.longestAppend
            #expect(ContinuousClock.now - start > longest, "an append of a key that was just revoked may still come")
            #expect(try await rows(of: service.app.id, in: database).isEmpty)
            let left = try await rows(of: other.id, in: database)
            // What is written behind the answer may still come.
            #expect(left.filter { $0.key != "log.tally" } == others.filter { $0.key != "log.tally" })
            #expect(try await service.client.post(Sample.action(), key: service.app.write).status == 401)
            #expect(try await service.client.get("/v1/reports/engagement", key: other.read).status == 200)
            #expect(try await delete(service.app.name, "--yes", in: database).errors.contains("there is no app"))
            let verified = try await NotilogCommand.run(
                ["projections", "verify", "notification"],
                environment: ["NOTILOG_DATABASE_URL": database.url]
            )
            #expect(verified.status == 0, "\(verified.output) \(verified.errors)")
            try await connection.query("DROP SCHEMA projection_next_example CASCADE", cached: false)
            await connection.close()
        }
    }

    /// What a crash leaves is taken up by the same command: keys revoked, and some of it gone.
    @Test(.timeLimit(.minutes(5))) func brokenOffItGoesOn() async throws {
        try await ServiceFixture.run { service in
            try await fill(service, service.app)
            let connection = try await service.database.connect()
            try await connection.query("SELECT * FROM notilog.deletion_begin($1)", [.text(service.app.name)])
            let step = try await connection.query(
                "SELECT name, deleted FROM notilog.deletion_step($1, $2)",
                [.app(service.app.id), .int4(100)]
            ).only()
            #expect(try step.get(0, as: String.self) == "log.event" && step.get(1, as: Int64.self) == 100)
            let ended: Bool = try await connection.query(
                "SELECT notilog.deletion_end($1)",
                [.app(service.app.id)]
            ).only().get(0)
            #expect(!ended)
            #expect(try await delete(service.app.name, "--yes", in: service.database).status == 0)
            #expect(try await rows(of: service.app.id, in: service.database).isEmpty)
            await connection.close()
        }
    }

    @Test("what is left in a cell of an app that the coordinator no longer has stops no batches")
    func leftInACell() async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("gone", in: database)
            let connection = try await database.connect(settings: ["statement_timeout": "10s"])
            try await connection.query("UPDATE log.state SET cell = 1")
            try await connection.query(
                "INSERT INTO log.tally VALUES ($1, '2026-03-01T08:00:00Z', '', 'duplicate', 1)",
                [.app(app.id)]
            )
            let long = try await database.connect()
            try await long.query("BEGIN")
            try await long.query("SELECT lock.shared('background')")
            func mirror() async throws -> Int32 {
                try await connection.query("SELECT notilog.mirror_apps('[]')").only().get(0)
            }
            #expect(try await mirror() == 0, "without a wait for the long batch")
            try await long.query("ROLLBACK")
            await long.close()
            try await connection.query("DELETE FROM log.tally")
            #expect(try await mirror() == 1)
            #expect(try await mirror() == 0)
            await connection.close()
        }
    }

    @Test func aDeviceThatNothingIsKnownOfIsSaidToBe() async throws {
        try await ServiceFixture.run { service in
            let environment = ["NOTILOG_DATABASE_URL": service.database.url]
            #expect(try await service.client.post(Sample.action(device: "here"), key: service.app.write).status == 200)
            func erase(_ id: String, _ more: String...) async throws -> CommandResult {
                try await NotilogCommand.run(
                    ["devices", "erase", "--app", service.app.name, id] + more,
                    environment: environment
                )
            }
            let unknown = try await erase("her")
            #expect(unknown.status == 1 && unknown.errors.contains("has no such device"), "\(unknown.errors)")
            #expect(unknown.output.isEmpty)
            let refused = try await service.client.post(Sample.action(device: "her"), key: service.app.write)
            #expect(try refused.events.results.first?.error?.code == "erased")
            let erased = try await erase("here", "--json")
            #expect(erased.status == 0 && erased.output.contains(#""is_known" : true"#), "\(erased.output)")
            // Again is safe.
            #expect(try await erase("here").status == 0)
        }
    }
}
