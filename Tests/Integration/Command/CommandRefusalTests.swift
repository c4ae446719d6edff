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
            for arguments in [["keys", "list"], ["quarantine", "list"]] {
                let list = try await run(arguments, service.database)
                #expect(list.status == 0 && list.output.split(separator: "\n").count > 1, "\(list.errors)")
                let controls = list.output.unicodeScalars.filter {
                    $0 != "\n" && ($0.properties.generalCategory == .control || (0x202A...0x202E).contains($0.value))
                }
                #expect(controls.isEmpty, "\(arguments): \(controls)")
            }
        }
    }
}
