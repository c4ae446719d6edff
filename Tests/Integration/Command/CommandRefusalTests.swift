import EventLog
import Foundation
import Logging
import Postgres
import Schema
import Testing

/// What commands refuse to do, and what they say to do instead.
@Suite("Commands: refusals")
struct CommandRefusalTests {
    private func run(_ arguments: [String], _ database: TestDatabase) async throws -> CommandResult {
        try await NotilogCommand.run(arguments, environment: ["NOTILOG_DATABASE_URL": database.url])
    }

    @Test(
        "a schema that the service refuses is not written to by commands either",
        arguments: [
            ["apps", "create", "shop"], ["apps", "set", "first", "hash_ids", "on"],
            ["keys", "create", "--app", "first", "--scope", "read"], ["projections", "rebuild", "received"],
            ["projections", "verify", "received"], ["projections", "pause", "received"],
            ["devices", "erase", "--app", "first", "d1"], ["quarantine", "replay", "--all"],
            ["export", "events", "--app", "first", "--cursor", "c", "--output", "/nowhere/c"],
            ["export", "cursors", "drop", "c"], ["retention", "run"], ["log", "new-incarnation"],
            ["annotate", "--app", "first", "a release"],
        ]
    )
    func laterRelease(_ arguments: [String]) async throws {
        try await TestDatabase.withDatabase { database in
            _ = try await TestApp.make("first", in: database)
            let connection = try await database.connect()
            try await connection.query(
                "INSERT INTO migration.applied (version, file, checksum, oldest_service) VALUES (9999, '9999_later.sql', 'x', 9999)"
            )
            let refused = try await run(arguments, database)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("a later release migrated the database to 9999"), "\(refused.errors)")
            #expect(refused.errors.contains("use that release's `notilog`"), "\(refused.errors)")
            let list = try await run(["projections", "list"], database)
            #expect(list.status == 0, "\(list.errors)")
            // One that says that this release works with it.
            try await connection.query("UPDATE migration.applied SET oldest_service = 1 WHERE version = 9999")
            #expect(try await run(["apps", "create", "other"], database).status == 0)
            await connection.close()
        }
    }

    @Test("a new incarnation is the same up to a position that the log has")
    func incarnation() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            try await connection.query("SELECT setval('log.position', 7)")
            let beyond = try await run(["log", "new-incarnation", "--same-up-to", "8"], database)
            #expect(beyond.status == 1 && beyond.errors.contains("the log has no position 8"), "\(beyond.errors)")
            #expect(try await connection.value("SELECT count(*) FROM log.incarnation", as: Int64.self) == 1)
            let last = try await run(["log", "new-incarnation", "--same-up-to", "7"], database)
            #expect(last.status == 0, "\(last.errors)")
            await connection.close()
        }
    }

    @Test("no control character of a client's or a key's text reaches the terminal")
    func controlCharacters() async throws {
        try await ServiceFixture.run { service in
            let label = "a\u{1B}]0;owned\u{07}\u{9B}2J\u{202E}b"
            let made = try await run(
                ["keys", "create", "--app", service.app.name, "--scope", "read", "--label", label],
                service.database
            )
            #expect(made.status == 0, "\(made.errors)")
            let kind = #"{"kind":"x\u001b[2J","device_id":"d1","occurred_at":"2026-11-01T00:00:00Z"}"#
            _ = try await service.client.post(kind, key: service.app.write)
            // In JSON only those below a space have to be escaped.
            let item = "{\"kind\":\"y\u{9B}2J\u{202E}\",\"device_id\":\"d1\"}"
            _ = try await service.client.post(item, key: service.app.write)
            let time = Sample.time(7 * 86_400)
            let events = [
                #"{"kind":"request","device_id":"d1","notification_id":"n1","occurred_at":"\#(time)","error":"e\u001b\u009b2J"}"#,
                #"{"kind":"request","device_id":"d1","notification_id":"n2","occurred_at":"\#(time)","campaign_id":"c\u001b\u009b2J"}"#,
                #"{"kind":"token","device_id":"d1","occurred_at":"\#(time)","provider":"apns","environment":"production","#
                    + #""state":"registered","token":"\#(String(repeating: "ab", count: 32))","topic":"t\u202e\u009b2J"}"#,
            ]
            for event in events {
                #expect(try await service.client.post(event, key: service.app.write).events.accepted == 1)
            }
            try #require(try await service.caughtUp())
            let view = ["report", "save", "campaigns", "engagement", "--param", "by=campaign"]
            #expect(try await run(view, service.database).status == 0)
            struct Item: Decodable {
                var id: Int64
            }
            let listed = try await run(["quarantine", "list", "--json"], service.database).output
            let items = try JSONDecoder().decode([Item].self, from: Data(listed.utf8))
            #expect(items.count == 2)
            let shows = items.map { (["quarantine", "show", String($0.id)], "unknown_kind") }
            for (arguments, said) in [
                (["keys", "list"], "owned"), (["quarantine", "list"], "unknown_kind"), (["why", "d1", "n1"], "e  2J"),
                (["devices", "show", "d1"], "t  2J"), (["digest", "campaigns", "--weekly"], "c  2J"),
            ] + shows {
                let list = try await run(arguments, service.database)
                #expect(list.status == 0 && list.output.split(separator: "\n").count > 1, "\(list.errors)")
                #expect(list.output.contains(said), "\(arguments): \(list.output)")
                let controls = list.output.unicodeScalars.filter {
                    $0 != "\n" && ($0.properties.generalCategory == .control || (0x202A...0x202E).contains($0.value))
                }
                #expect(controls.isEmpty, "\(arguments): \(controls)")
            }
        }
    }

    @Test("a database that is read-only is said, as is one of another encoding, and a folder in place of a file")
    func messages() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            let name: String = try await connection.value("SELECT current_database()::text")
            let empty = try await run(["devices", "erase", "--app", "first", ""], database)
            #expect(empty.status == 64 && empty.errors.contains("give the device's id"), "\(empty.errors)")
            let folder = try await run(["import", "apns-csv", "/tmp", "--app", "first"], database)
            #expect(folder.status == 1 && folder.errors.contains("/tmp cannot be read"), "\(folder.errors)")
            #expect(!folder.errors.contains("NSError") && !folder.errors.contains("Domain"), "\(folder.errors)")
            try await connection.query("ALTER DATABASE \(name) SET default_transaction_read_only = on", cached: false)
            let standby = try await run(["apps", "create", "shop"], database)
            #expect(standby.status == 1 && standby.errors.contains("the database is read-only"), "\(standby.errors)")

            for encoding in ["LATIN1", "SQL_ASCII"] {
                let other = "\(name)_\(encoding.lowercased())"
                try await connection.query("SET default_transaction_read_only = off")
                try await connection.query(
                    "CREATE DATABASE \(other) ENCODING '\(encoding)' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
                    cached: false
                )
                let url = database.url.replacingOccurrences(of: name, with: other)
                let refused = try await run(["migrate"], TestDatabase(url: url))
                #expect(refused.status == 1, "\(encoding)")
                #expect(
                    refused.errors.contains("the database's encoding is \(encoding), and Notilog needs UTF8"),
                    "\(refused.errors)"
                )
                // As a dump that was restored into it.
                let restored = try await TestDatabase(url: url).connect()
                try await restored.query("CREATE SCHEMA migration CREATE TABLE applied (version integer)")
                await restored.close()
                for command in [["migrate"], ["serve", "--port", "0"]] {
                    let refused = try await run(command, TestDatabase(url: url))
                    #expect(
                        refused.status == 1 && refused.errors.contains("is \(encoding), and Notilog needs UTF8")
                            && refused.errors.contains("restore a dump into that"),
                        "\(refused.errors)"
                    )
                }
                try await connection.query("DROP DATABASE \(other) WITH (FORCE)", cached: false)
            }
            await connection.close()
        }
    }

    @Test("a level of the log that is none is refused by every command; a new store says no time of its projections")
    func smaller() async throws {
        try await TestDatabase.withDatabase { database in
            for arguments in [["apps", "list"], ["doctor"]] {
                let refused = try await run(arguments + ["--log-level", "foo"], database)
                let said = "log.level from option is none of these: trace, debug"
                #expect(refused.status == 64 && refused.errors.contains(said), "\(refused.errors)")
            }
            let list = try await run(["projections", "list"], database)
            #expect(list.status == 0 && !list.output.contains("1970"), "\(list.output)")
        }
    }

    @Test("the secret of the ledger is asked for in words")
    func ledgerSecret() async throws {
        try await TestDatabase.withDatabase { database in
            _ = try await TestApp.make("first", in: database)
            func erase(_ secret: String?) async throws -> CommandResult {
                var environment = ["NOTILOG_DATABASE_URL": database.url]
                environment["NOTILOG_ERASURE_SECRET"] = secret
                return try await NotilogCommand.run(
                    ["devices", "erase", "--app", "first", "d1"],
                    environment: environment
                )
            }
            #expect(try await erase("right").errors.contains("no such device"))
            for (secret, advice) in [(nil, "set NOTILOG_ERASURE_SECRET"), ("wrong", "is not the secret of the ledger")]
            {
                let refused = try await erase(secret)
                #expect(refused.status == 1 && refused.errors.contains(advice), "\(refused.errors)")
                #expect(!refused.errors.contains("ERROR 5"), "\(refused.errors)")
            }
        }
    }

    @Test("after a migration that was interrupted, serve names the command that goes on with it")
    func interruptedMigration() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let release = try ReleaseFolder.locate()
            let part = FileManager.default.temporaryDirectory.appendingPathComponent(
                "notilog-part-\(UUID().uuidString)"
            )
            defer { try? FileManager.default.removeItem(at: part) }
            for folder in ["migrator", "migrations"] {
                let inside = part.appendingPathComponent(folder)
                try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
                for file in release.list(folder) where folder == "migrator" || file == "0001_log.sql" {
                    let text = try release.read("\(folder)/\(file)")
                    try Data(text.utf8).write(to: inside.appendingPathComponent(file))
                }
            }
            let connection = try await database.connect()
            let logger = Logger(label: "test.migrate")
            try await Migrator(folder: ReleaseFolder(path: part.path), logger: logger).migrate(on: connection)
            let refused = try await run(["serve", "--port", "0"], database)
            #expect(refused.status == 1 && refused.errors.contains("run `notilog migrate`"), "\(refused.errors)")
            #expect(!refused.errors.contains("use a login"), "\(refused.errors)")
            await connection.close()
        }
    }
}
