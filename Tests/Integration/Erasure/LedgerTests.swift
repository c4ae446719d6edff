import EventLog
import Foundation
import PlainHTTP
import Postgres
import PrivatePostgres
import Testing

/// The ledger outlives the database: after an older dump is restored it erases again.
@Suite("Erasure: ledger")
struct LedgerTests {
    /// Runs one of PostgreSQL's programs to its end.
    private func run(_ program: String, _ arguments: [String]) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try ServerPrograms.find().folder + "/" + program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.begin() } catch { continuation.resume(throwing: error) }
        }
        #expect(process.terminationStatus == 0, "\(program)")
    }

    private func notilog(_ arguments: [String], _ database: TestDatabase, secret: String?) async throws -> CommandResult
    {
        var environment = ["NOTILOG_DATABASE_URL": database.url]
        environment["NOTILOG_ERASURE_SECRET"] = secret
        return try await NotilogCommand.run(arguments, environment: environment)
    }

    @Test(
        "a dump older than the erasure is restored, the ledger applied, and the device is gone",
        arguments: [nil, "s3cret"]
    )
    func restore(secret: String?) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "notilog-ledger-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (dump, ledger) = (folder.path + "/old.dump", folder.path + "/ledger.ndjson")
        let subject = ErasureSubject("restored")
        let settings = secret.map { ["erasure.secret": $0] } ?? [:]
        try await ServiceFixture.run(settings) { service in
            let body = "[" + subject.events().joined(separator: ",") + "]"
            #expect(
                try await service.client.post(body, key: service.app.provider).events.accepted == subject.events().count
            )
            _ = try await service.client.post(subject.rejected[0], key: service.app.provider)
            try #require(try await service.caughtUp())
            try await run("pg_dump", ["-Fc", "-f", dump, service.database.url])

            let erased = try await notilog(
                ["devices", "erase", "--app", "first", subject.device, "--json"],
                service.database,
                secret: secret
            )
            #expect(
                erased.status == 0 && erased.output.contains("\"events\" : \(subject.events().count - 1)"),
                "\(erased.errors)"
            )
            let exported = try await notilog(
                ["devices", "ledger", "export", "--output", ledger],
                service.database,
                secret: secret
            )
            #expect(exported.status == 0, "\(exported.errors)")
            let text = try String(contentsOfFile: ledger, encoding: .utf8)
            #expect(!text.contains(subject.device) && text.contains("\"device\""))

            try await TestDatabase.withDatabase(migrated: false) { restored in
                try await run("pg_restore", ["--no-owner", "-d", restored.url, dump])
                #expect(
                    try await StoreSearch.places(of: [subject.device], in: restored).contains("log.event.device_id")
                )
                let imported = try await notilog(["devices", "ledger", "import", ledger], restored, secret: secret)
                #expect(imported.status == 0, "\(imported.errors)")
                #expect(imported.output.contains("2 new entries; erased 1 devices"))
                let own = [subject.device, subject.notification, subject.request]
                #expect(try await StoreSearch.places(of: own, in: restored) == [])
                let again = try await notilog(["devices", "ledger", "import", ledger], restored, secret: secret)
                #expect(again.output.contains("0 new entries; erased 0 devices"))

                let other = try await ServiceProcess.start(database: restored.url, settings: settings)
                let client = try await ServiceClient.connect(other.url)
                let late = try await client.post(Sample.action(device: subject.device), key: service.app.write)
                #expect(try late.events.results[0].error?.code == "erased")
                await client.connection.close()
                await other.stop()
            }
        }
    }

    @Test("a token that the restored log knows from another device's event alone goes as well")
    func tokensOfOthers() async throws {
        try await ServiceFixture.run { service in
            let token = String(repeating: "d4", count: 32)
            let events =
                #"[{"kind":"token","device_id":"gone","token":"\#(token)","occurred_at":"\#(Sample.time(9))"},"#
                + #"{"kind":"request","device_id":"stays","request_identifier":"n","origin":"provider","#
                + #""push":{"token":"\#(token)"},"occurred_at":"\#(Sample.time(8))"}]"#
            #expect(try await service.client.post(events, key: service.app.provider).events.accepted == 2)
            _ = try await service.erase("gone")
            let erasure = Erasure(service.database.configuration)
            let ledger = try await erasure.exportLedger()
            // As a dump has it that was made before the device registered its token.
            let connection = try await service.database.connect()
            try await connection.query(
                "UPDATE log.event SET token = sha256(convert_to($1, 'UTF8')) WHERE device_id = 'stays'",
                [.text(token)]
            )
            let digest: String = try await connection.query(
                "SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')",
                [.text(token)]
            ).only().get(0)
            await connection.close()
            #expect(try await StoreSearch.places(of: [digest], in: service.database) != [])
            let result = try await erasure.importLedger(ledger)
            #expect(result.added == 0 && result.devices == 0)
            #expect(try await StoreSearch.places(of: [digest], in: service.database) == [])
            let left = "SELECT count(*) FROM log.event WHERE device_id = 'stays' AND token IS NOT NULL"
            #expect(try await service.number(left) == 1)
        }
    }

    @Test("entries that would protect nobody are left out, and said: of an unknown app, and of one that was made anew")
    func leftOut() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).ndjson")
        defer { try? FileManager.default.removeItem(at: file) }
        try await TestDatabase.withDatabases(2) { databases in
            for name in ["gone", "shop"] {
                _ = try await TestApp.make(name, in: databases[0])
                _ = try await notilog(["devices", "erase", "--app", name, "d1"], databases[0], secret: "s3cret")
            }
            let exported = try await notilog(
                ["devices", "ledger", "export", "--output", file.path],
                databases[0],
                secret: "s3cret"
            )
            #expect(exported.status == 0, "\(exported.errors)")
            // Its number is that of the other app there.
            _ = try await TestApp.make("shop", in: databases[1])
            let importing = ["devices", "ledger", "import", file.path]
            let imported = try await notilog(importing, databases[1], secret: "s3cret")
            #expect(imported.status == 1)
            #expect(imported.output.contains("0 new entries"), "\(imported.output)")
            #expect(imported.errors.contains("left out 1 entries of gone: there is no such app"), "\(imported.errors)")
            #expect(imported.errors.contains("left out 1 entries of shop: the app was made anew"), "\(imported.errors)")
            let json = try await notilog(importing + ["--json"], databases[1], secret: "s3cret")
            #expect(
                json.output.contains("\"other_number\"") && json.output.contains("\"no_such_app\""),
                "\(json.output)"
            )
            // What an earlier release exported does not say the number, and is imported as before.
            let lines = try String(contentsOf: file, encoding: .utf8).replacing(#/"app_id": [0-9]+, /#, with: "")
            try Data(lines.utf8).write(to: file)
            let earlier = try await notilog(importing, databases[1], secret: "s3cret")
            #expect(earlier.status == 0 && earlier.output.contains("1 new entries"), "\(earlier.errors)")
        }
    }

    @Test("a line that is not of a ledger is named with its file and number")
    func brokenLine() async throws {
        try await ServiceFixture.run { service in
            _ = try await service.erase("somebody")
            let ledger = try await Erasure(service.database.configuration).exportLedger()
            try #require(ledger.count == 2)
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).ndjson")
            defer { try? FileManager.default.removeItem(at: file) }
            let broken: [(text: String, line: Int)] = [
                ("hello\n", 1), ("\(ledger[1])\n", 1), ("\(ledger[0])\n\n\(ledger[1].dropLast(9))\n", 3),
                ("\(ledger[0])\n{\"what\":\"device\"}\n", 2),
                ("\(ledger[0])\n\(ledger[1].replacing("device", with: "person"))\n", 2),
            ]
            for (text, line) in broken {
                try Data(text.utf8).write(to: file)
                let importing = ["devices", "ledger", "import", file.path]
                let result = try await notilog(importing, service.database, secret: nil)
                #expect(result.status == 1)
                #expect(
                    result.errors.contains("\(file.path): line \(line) is not of a ledger of erased devices"),
                    "\(result.errors)"
                )
            }
        }
    }

    @Test("a secret that is set after the first erasure has no effect, and the service says so once")
    func lateSecret() async throws {
        try await ServiceFixture.run { service in
            _ = try await service.erase("somebody")
            let settings = ["erasure.secret": "hush"]
            let late = try await ServiceProcess.start(database: service.database.url, settings: settings)
            let message = "NOTILOG_ERASURE_SECRET has no effect"
            try await eventually("a warning") { late.log.contains(message) }
            await late.stop()
            #expect(late.log.components(separatedBy: message).count == 2 && !late.log.contains("hush"))
            #expect(!service.service.log.contains(message), "it has no secret")
        }
    }

    @Test("without its secret, or with another, the service does not start and nothing is appended past the ledger")
    func anotherSecret() async throws {
        try await ServiceFixture.run(["erasure.secret": "the one"]) { service in
            _ = try await service.erase("somebody")
            let dumped = try await service.text("SELECT (s.secret IS NULL)::text FROM log.erasure_secret s")
            #expect(dumped == "true", "the secret is in no dump")
            for settings in [[:], ["erasure.secret": "another"]] {
                await #expect(throws: ServiceProcess.Failure.self) {
                    _ = try await ServiceProcess.start(database: service.database.url, settings: settings)
                }
            }
            let connection = try await service.database.connect()
            await #expect(throws: PostgresError.self) {
                try await connection.query("SELECT log.erased_ordinals('{1}', '{token}', '{somebody}', '{NULL}')")
            }
            await connection.close()
            let wrong = try await notilog(["devices", "ledger", "export"], service.database, secret: "another")
            #expect(wrong.status == 1 && wrong.errors.contains("NOTILOG_ERASURE_SECRET"))
        }
    }
}
