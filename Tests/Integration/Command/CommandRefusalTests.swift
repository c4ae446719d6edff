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
