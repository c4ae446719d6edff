import EventLog
import Foundation
import Logging
import NotificationEvents
import PlainHTTP
import Postgres
import PrivatePostgres
import Testing

/// The commands of docs/backup.md, in their order. Between backup and restore a device is erased: it does not come back.
@Suite("Backup and restore", .serialized)
struct BackupTests {
    private let erased = ErasureSubject("erased")
    private let kept = ErasureSubject("kept")
    /// A service has one where the operator set one: no dump holds it.
    private let secret = "a secret that no dump holds"

    /// Blocks of the document below a heading.
    private func blocks(_ heading: String) throws -> [DocumentedCommands.Block] {
        try DocumentedCommands(of: "docs/backup.md", below: heading).blocks
    }

    private func run(_ text: String, _ machine: DocumentedMachine) async throws {
        let here = ["/var/backups/notilog": machine.folder.path, "/etc/notilog": machine.folder.path]
        let result = try await machine.run(text, replacing: here)
        #expect(result.status == 0, "\(text)\n\(result.output)\(result.errors)")
    }

    /// Stores the events of both devices, in the database of the document.
    private func fill(_ server: PrivatePostgres, _ machine: DocumentedMachine) async throws -> TestApp {
        let here = try DocumentedCommands(of: "docs/deployment.md").blocks.filter { $0.text.contains("createdb") }
        let roles = try DocumentedCommands(of: "docs/deployment.md").blocks.filter { $0.text.contains("CREATE ROLE") }
        for block in here + roles { try await run(block.text, machine) }
        let database = TestDatabase(url: server.url(database: "notilog"))
        let app = try await TestApp.make("shop", in: database)
        try await withService(database) { client in
            for subject in [erased, kept] {
                let body = "[" + subject.events().joined(separator: ",") + "]"
                let answer = try await client.post(body, key: app.provider).events
                #expect(answer.accepted == subject.events().count)
            }
        }
        return app
    }

    private func withService(_ database: TestDatabase, _ body: (ServiceClient) async throws -> Void) async throws {
        let service = try await ServiceProcess.start(
            ["serve", "--port", "0"],
            environment: ["NOTILOG_DATABASE_URL": database.url, "NOTILOG_ERASURE_SECRET": secret]
        )
        let client = try await ServiceClient.connect(service.url)
        try await body(client)
        await client.connection.close()
        #expect(await service.stop() == 0)
    }

    /// Erases a device, and makes the copy of the ledger that the document asks for.
    private func erase(_ machine: DocumentedMachine) async throws {
        let erase = "sudo -u postgres notilog devices erase --app shop \(erased.device)"
        let settings = "--env-file /etc/notilog/notilog.env --database-url postgresql:///notilog"
        try await run("\(erase) \(settings)", machine)
        let ledger = try blocks("## Back up")[0].text.split(separator: "\n").last
        try await run(String(try #require(ledger)), machine)
    }

    private func check(_ database: TestDatabase, _ app: TestApp) async throws {
        let own = [erased.device, erased.notification, erased.request]
        #expect(try await StoreSearch.places(of: own, in: database) == [])
        #expect(try await StoreSearch.places(of: [kept.device], in: database).contains("log.event.device_id"))
        let connection = try await database.connect()
        let events: Int64 = try await connection.value("SELECT count(*) FROM log.event WHERE kind <> 'erasure'")
        #expect(events == Int64(erased.events().count + kept.events().count), "counts stay")
        await connection.close()
        try await withService(database) { client in
            let late = try await client.post(Sample.action(device: erased.device), key: app.write)
            #expect(try late.events.results.first?.error?.code == "erased")
            #expect(try await client.post(Sample.action(device: kept.device), key: app.write).events.accepted == 1)
        }
    }

    private func withMachine(_ body: (PrivatePostgres, DocumentedMachine) async throws -> Void) async throws {
        try await TestDatabase.withServer(migrated: false) { server, database in
            let folder = try Programs.makeFolder("notilog-backup-")
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let socket = try #require(database.url.split(separator: "host=").last)
            let machine = DocumentedMachine(folder: URL(fileURLWithPath: folder), socket: String(socket))
            try machine.prepare()
            let settings = URL(fileURLWithPath: "\(folder)/notilog.env")
            try Data("NOTILOG_ERASURE_SECRET=\"\(secret)\"\n".utf8).write(to: settings)
            try await body(server, machine)
        }
    }

    @Test("a dump and a newer ledger: what was erased in between stays erased", .timeLimit(.minutes(10)))
    func dump() async throws {
        try await withMachine { server, machine in
            let app = try await fill(server, machine)
            try await run(try blocks("## Back up")[0].text, machine)
            try await erase(machine)
            for block in try blocks("## Restore a dump") { try await run(block.text, machine) }
            try await check(TestDatabase(url: server.url(database: "restored")), app)
        }
    }

    @Test("a base backup and a newer ledger, too", .timeLimit(.minutes(10)))
    func baseBackup() async throws {
        try await withMachine { server, machine in
            let app = try await fill(server, machine)
            // Its files belong to the server's user.
            let command = try blocks("## Back up")[1].text.split(separator: " ")
            try #require(command.starts(with: ["sudo", "-u", "postgres", "pg_basebackup"]))
            let arguments: [String] = command.dropFirst(4).map {
                String($0).replacing("/var/backups/notilog/base", with: "\(machine.folder.path)/restored/data")
            }
            let connection = ["--host=\(machine.socket)", "--username=postgres"]
            try await Programs.run("pg_basebackup", arguments + connection, asServer: true)
            try await erase(machine)
            let restored = try await PrivatePostgres.start(
                .init(folder: "\(machine.folder.path)/restored", settings: ["fsync": "off"]),
                logger: Logger(label: "test.restored")
            )
            let there = DocumentedMachine(
                folder: machine.folder,
                socket: String(try #require(restored.url().split(separator: "host=").last))
            )
            let lines = try blocks("## Restore a dump")[0].text.split(separator: "\n").filter {
                $0.contains(" notilog ")
            }
            try #require(lines.count == 3)
            for line in lines { try await run(String(line).replacing("///restored", with: "///notilog"), there) }
            try await check(TestDatabase(url: restored.url(database: "notilog")), app)
            try await restored.stop(.immediate)
        }
    }
}
