import EventLog
import Foundation
import NotificationEvents
import Postgres
import Projections
import Schema
import Testing

@Suite("Retention: the command")
struct RetentionCommandTests {
    @Test("says what it would do, does it, and says why it does not")
    func run() async throws {
        try await RetentionStore.with(days: 3) { store in
            func retention(_ arguments: String...) async throws -> CommandResult {
                try await NotilogCommand.run(
                    ["retention", "run", "--database-url", store.database.url, "--days", "1"] + arguments
                )
            }
            _ = try await store.log.append([SampleEvents.make(at: RetentionStore.start(of: 1))], app: 1)
            let held = try await retention()
            #expect(held.status == 1)
            #expect(held.output.contains("event_day_00"))
            #expect(held.errors.contains("partition event_day_01 is held by projection"))
            try await store.catchUp()

            let plan = try await retention("--dry-run", "--json")
            #expect(plan.status == 0)
            let steps = try JSONSerialization.jsonObject(with: Data(plan.output.utf8)) as? [[String: Any]]
            #expect(steps?.map { $0["partition"] as? String } == ["event_day_01", "event_day_02"])
            #expect(steps?.allSatisfy { $0["state"] as? String == "would be dropped" } == true)
            #expect(try await store.count("log.event") == 1)

            let done = try await retention()
            #expect(done.status == 0, "\(done.errors)")
            #expect(done.output.contains("dropped, 1 events"))
            #expect(try await store.count("log.event") == 0)
            #expect(try await retention().output.contains("nothing is older than the horizon"))
            #expect(try await NotilogCommand.run(["retention", "run", "--days", "0"]).status != 0)
        }
    }

    @Test("a login that may not is told the role that it needs")
    func rights() async throws {
        try await RetentionStore.with(days: 3) { store in
            try await TestLogin.with(["notilog_reader"], in: store.database) { login in
                let refused = try await NotilogCommand.run(
                    ["retention", "run", "--days", "1", "--database-url", login.database.url]
                )
                #expect(refused.status == 1)
                #expect(
                    refused.errors.contains("use a login that is a member of notilog_projector"),
                    "\(refused.errors)"
                )
            }
        }
    }

    @Test("the version of a verification that was killed holds no partition; one under way does, and the list shows it")
    func verification() async throws {
        try await RetentionStore.with(days: 3) { store in
            func run(_ arguments: String...) async throws -> CommandResult {
                try await NotilogCommand.run(arguments, environment: ["NOTILOG_DATABASE_URL": store.database.url])
            }
            _ = try await store.log.append([SampleEvents.make(at: RetentionStore.start(of: 1))], app: 1)
            try await store.catchUp()
            // As a verification begins.
            let group = try store.catalogue.group(named: "received")
            let version = "projection_verify_\(group.leader)"
            let files = try ProjectionFiles(group, in: try ReleaseFolder.locate())
            try await store.connection.withTransaction { connection in
                try await connection.execute(
                    script: "CREATE SCHEMA \(version); SET LOCAL search_path = \(version), projection, log, pg_catalog"
                )
                try await files.make(on: connection)
                try await files.register(schema: version, lanes: 1, on: connection)
                try await connection.query("SELECT projection.begin($1, $2)", [.text(version), .text(group.leader)])
            }
            let list = try await run("projections", "list")
            #expect(list.output.contains("verifying 0 %"), "\(list.output)")
            #expect(list.errors.contains("`notilog retention run` discards it"), "\(list.errors)")
            let builder = try #require(try await HeldLock.take("build of \(version)", store.database.configuration))
            let held = try await run("retention", "run", "--days", "1")
            #expect(held.status == 1)
            #expect(held.errors.contains("held by version \(version)"), "\(held.errors)")
            #expect(held.errors.contains("a verification is under way: wait for it, or stop it"), "\(held.errors)")
            await builder.release()
            let done = try await run("retention", "run", "--days", "1")
            #expect(done.status == 0, "\(done.errors)")
            #expect(done.output.contains("dropped, 1 events"), "\(done.output)")
            #expect(try await store.count("pg_namespace WHERE nspname = '\(version)'") == 0)
        }
    }
}
