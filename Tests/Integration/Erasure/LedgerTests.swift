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
            do { try process.run() } catch { continuation.resume(throwing: error) }
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
            #expect(try await service.client.post(body, key: service.app.provider).events.accepted == 12)
            _ = try await service.client.post(subject.rejected[0], key: service.app.provider)
            try #require(try await service.caughtUp())
            try await run("pg_dump", ["-Fc", "-f", dump, service.database.url])

            let erased = try await notilog(
                ["devices", "erase", "--app", "first", subject.device, "--json"],
                service.database,
                secret: secret
            )
            #expect(erased.status == 0 && erased.output.contains("\"events\" : 11"), "\(erased.errors)")
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
