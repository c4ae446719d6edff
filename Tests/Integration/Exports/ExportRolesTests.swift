import EventLog
import Exports
import Foundation
import Postgres
import Testing

/// Exports under a login with no more rights than docs/deployment.md gives it, and under one with fewer.
struct ExportRolesTests {
    @Test func theServicesLoginExportsAndAReaderDoesNot() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 20)
            try await exports.append([
                [
                    "kind": "settings", "device": "device-1", "at": "2026-01-05T09:00:00Z",
                    "data": ["authorization_status": "authorized"],
                ],
                [
                    "kind": "token", "device": "device-1", "token": String(repeating: "ab", count: 32),
                    "at": "2026-01-05T08:00:00Z",
                    "data": ["state": "registered", "provider": "apns", "type": "alert", "environment": "production"],
                ],
            ])
            try await exports.project()
            func run(_ login: TestLogin, _ dataset: String) async throws -> CommandResult {
                try await NotilogCommand.run(
                    [
                        "export", dataset, "--cursor", "\(login.name)-\(dataset)", "--app", "demo", "--output",
                        exports.folder.path + "/\(login.name)-\(dataset)",
                    ],
                    environment: ["NOTILOG_DATABASE_URL": login.database.url]
                )
            }
            try FileManager.default.createDirectory(at: exports.folder, withIntermediateDirectories: true)
            try await TestLogin.with(["notilog_writer"], in: exports.database) { login in
                for dataset in Warehouse.datasets {
                    let result = try await run(login, dataset)
                    #expect(result.status == 0 && result.errors.contains("rows"), "\(dataset): \(result.errors)")
                }
                // An erasure, and a change, under the same login.
                _ = try await Erasure(exports.database.configuration).erase("device-1", app: 1)
                try await exports.append(many: 5)
                try await exports.project()
                for dataset in Warehouse.datasets {
                    let result = try await run(login, dataset)
                    #expect(result.status == 0, "\(dataset): \(result.errors)")
                }
                // Where the cursor stands only its own functions say.
                let connection = try await login.database.connect()
                for statement in [
                    "UPDATE export.cursor SET done = 0", "DELETE FROM export.cursor", "DELETE FROM export.tombstone",
                    "UPDATE export.feed SET change = 0", "DELETE FROM export.notifications_row",
                ] {
                    #expect(try await connection.refusal(statement) == "42501", "\(statement)")
                }
                await connection.close()
            }
            try await TestLogin.with(["notilog_reader"], in: exports.database) { login in
                let owner = try await exports.database.connect()
                try await owner.query("SELECT notilog.grant_reader('demo', $1)", [.text(login.name)])
                await owner.close()
                let result = try await run(login, "events")
                #expect(result.status == 1 && !result.output.contains("device-"), "\(result.errors)")
                #expect(result.errors.contains("use a login that is a member of notilog_writer"), "\(result.errors)")
                let connection = try await login.database.connect()
                for statement in [
                    "SELECT * FROM export.events(1)", "SELECT export.bound('events', 1)",
                    "TABLE export.notifications_row",
                    "TABLE export.cursor",
                ] {
                    #expect(try await connection.refusal(statement) == "42501", "\(statement)")
                }
                await connection.close()
            }
        }
    }
}
