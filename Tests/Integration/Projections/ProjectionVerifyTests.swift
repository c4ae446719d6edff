import Foundation
import Postgres
import Projections
import Schema
import Testing

@Suite("Projections: verify")
struct ProjectionVerifyTests {
    @Test(
        "a row changed, gone or added behind its back is found, by table, column and digest of its key; a rebuild mends it"
    )
    func tampered() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(1_000)
            try await fixture.runner(batch: 70).catchUp()
            try await fixture.expectVerified()
            try await fixture.connection.execute(
                script: """
                    UPDATE projection.notification SET opened = NOT opened, campaign = 'x' WHERE notification_id = 'n-7';
                    DELETE FROM projection.device_period
                      WHERE (device_id, first_at) = (SELECT device_id, min(first_at) FROM projection.device_period
                        WHERE device_id = 'device-3' AND series = 'settings' GROUP BY 1) AND series = 'settings';
                    INSERT INTO projection.device_extension VALUES (1, 'nobody');
                    """
            )
            let report = try await fixture.verify("engagement")
            let broken = Dictionary(uniqueKeysWithValues: report.tables.filter { !$0.isEqual }.map { ($0.name, $0) })
            #expect(broken.keys.sorted() == ["device_extension", "device_period", "notification"])
            #expect(broken["notification"]?.different == 1)
            #expect(broken["notification"]?.columns == ["campaign", "opened"])
            #expect(broken["device_period"]?.missing == 1)
            #expect(broken["device_extension"]?.extra == 1)
            let keys = broken.values.flatMap(\.keys)
            #expect(keys.count == 3)
            #expect(keys.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{12}/) != nil })
            #expect(try await fixture.schemasBeside().isEmpty)
            _ = try await fixture.rebuild("notification").run { _ in }
            try await fixture.expectVerified()
        }
    }

    @Test("live goes on while it is verified, and what comes meanwhile is no difference")
    func whileLive() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(2_000)
            let running = Task { [runner = fixture.runner(batch: 100)] in await runner.run() }
            let ingest = Task {
                while !Task.isCancelled {
                    try await fixture.fill(20)
                    try await ContinuousClock().sleep(for: .milliseconds(50))
                }
            }
            defer {
                running.cancel()
                ingest.cancel()
            }
            for _ in 0..<3 { try await fixture.expectVerified() }
            let before = try await fixture.status().position
            try await eventually("live goes on") { try await fixture.status().position > before }
        }
    }

    @Test("one that is interrupted drops its version", .timeLimit(.minutes(5)))
    func interrupted() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(400)
            try await fixture.runner().catchUp()
            // It waits until no batch of the version in use is under way.
            let batch = try await fixture.database.connect()
            try await batch.query("BEGIN")
            try await batch.query("SELECT projection.lock_version('projection', 'received')")
            let verify = NotilogCommand.process(
                ["projections", "verify", "received"],
                environment: ["NOTILOG_DATABASE_URL": fixture.database.url]
            )
            verify.standardError = FileHandle.nullDevice
            try verify.begin()
            defer { if verify.isRunning { kill(verify.processIdentifier, SIGKILL) } }
            try await eventually("it waits for the batch") {
                try await fixture.count(
                    "pg_stat_activity WHERE datname = current_database() AND application_name = 'notilog lock' AND wait_event_type = 'Lock'"
                ) == 1
            }
            #expect(try await !fixture.schemasBeside().isEmpty)
            kill(verify.processIdentifier, SIGTERM)
            try await eventually("it ends") { !verify.isRunning }
            #expect(verify.terminationStatus == 1)
            #expect(try await fixture.schemasBeside().isEmpty)
            await batch.close()
        }
    }

    @Test("the commands: list, verify, rebuild, pause, resume, retry")
    func commands() async throws {
        try await ProjectionFixture.with { fixture in
            func run(_ arguments: String...) async throws -> CommandResult {
                try await NotilogCommand.run(
                    ["projections"] + arguments,
                    environment: ["NOTILOG_DATABASE_URL": fixture.database.url]
                )
            }
            try await fixture.fill(400)
            try await fixture.runner().catchUp()
            let whole = try await run("verify")
            #expect(
                whole.status == 0 && whole.output.contains(/\nequal to a rebuild: [0-9]+ projections\n/),
                "\(whole.output)"
            )
            try await fixture.connection.query("DELETE FROM projection.device_token WHERE device_id = 'device-4'")
            let broken = try await run("verify", "device_token")
            #expect(broken.status == 1 && !broken.output.contains("equal to a rebuild"))
            #expect(broken.errors.contains("notilog projections rebuild device_token"))
            #expect(!broken.output.contains("device-4") && !broken.errors.contains("device-4"))
            #expect(try await run("verify", "device_token", "--json").output.contains("\"equal\" : false"))
            let rebuilt = try await run("rebuild", "device_token")
            #expect(rebuilt.status == 0)
            #expect(rebuilt.output == "rebuilt device_token up to position 400\n")
            let group = try await run("rebuild", "engagement")
            #expect(group.errors.contains("rebuilding category, device_period, notification, "))
            #expect(group.errors.contains("engagement, presence and repeated, which are applied together"))
            #expect(try await run("verify").status == 0)

            #expect(try await run("pause", "category").output.contains("paused category, device_period, notification"))
            #expect(try await run("list", "--json").output.contains("\"state\" : \"paused\""))
            #expect(try await run("resume", "category").status == 0)
            #expect(try await run("retry", "notification").output == "applied 0 of 0 events set aside\n")
            #expect(try await run("list", "--set-aside").status == 0)
            let unknown = try await run("rebuild", "nonsense")
            #expect(unknown.status == 64 && unknown.errors.contains("choose one of"), "\(unknown.errors)")
        }
    }

    @Test("a rebuild of all groups, side by side: each once, and one that fails stops no other")
    func rebuildOfAll() async throws {
        try await ProjectionFixture.with { fixture in
            func run(_ arguments: String...) async throws -> CommandResult {
                try await NotilogCommand.run(
                    ["projections", "rebuild"] + arguments,
                    environment: ["NOTILOG_DATABASE_URL": fixture.database.url]
                )
            }
            try await fixture.fill(400)
            try await fixture.runner().catchUp()
            let groups = fixture.catalogue.groups
            func versions() async throws -> [String: Int64] {
                let rows = try await fixture.connection.query(
                    "SELECT leader, version_id FROM projection.version WHERE schema_name = 'projection'"
                )
                return try Dictionary(uniqueKeysWithValues: rows.map { (try $0.get(0), try $0.get(1)) })
            }
            let before = try await versions()
            let all = try await run("--all", "--at-once", "3")
            #expect(all.status == 0, "\(all.errors)")
            #expect(all.output.split(separator: "\n").count == groups.count)
            #expect(try await versions().allSatisfy { $0.value != before[$0.key] })

            let two = try await run("engagement", "notification", "received", "--json")
            struct Rebuilt: Decodable { let projections: [String] }
            let rebuilt = try JSONDecoder().decode([Rebuilt].self, from: Data(two.output.utf8))
            #expect(Set(rebuilt.map(\.projections.count)) == [1, 8], "\(two.output)")

            let build = try await HeldLock.take("build of projection_next_received", fixture.database.configuration)
            let lock = try #require(build)
            let failed = try await run("--all", "--at-once", "2")
            await lock.release()
            #expect(failed.status == 1 && failed.errors.contains("a rebuild of received is under way"))
            #expect(failed.output.split(separator: "\n").count == groups.count - 1, "\(failed.output)")
            for wrong in [["--all", "received"], [], ["received", "--at-once", "0"]] {
                let result = try await NotilogCommand.run(["projections", "rebuild"] + wrong)
                #expect(result.status == 64, "\(wrong)")
            }
        }
    }
}
