import Foundation
import Postgres
import Schema
import Testing

/// The lines of docs/exports.md for schedulers, run as those run them.
struct ExportScheduleTests {
    private static func document(_ name: String) throws -> String {
        let folder = URL(fileURLWithPath: try ReleaseFolder.locate().path).deletingLastPathComponent()
        return try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    /// The command of an example, with this test's program, database and folder in place of the example's.
    private static func filled(_ line: String, _ exports: ExportsDatabase) -> String {
        line.replacing("/usr/local/bin/notilog", with: NotilogCommand.path)
            .replacing("postgresql:///notilog", with: "'\(exports.database.url)'")
            .replacing("/var/lib/notilog/events", with: exports.folder.path)
            .replacing("--cursor", with: "--app demo --cursor")
    }

    /// cron runs the sixth field by sh, with next to nothing in its environment.
    @Test func theCrontabLineRuns() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 5)
            let text = try Self.document("docs/exports.md")
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("*/15 * * * * ") })
            #expect(!line.contains("%"), "cron ends the command at a percent sign")
            let command = line.split(separator: " ", maxSplits: 5)[5]
            let arguments = [
                "-i", "HOME=/", "LOGNAME=cron", "PATH=/usr/bin:/bin", "SHELL=/bin/sh", "/bin/sh", "-c",
                Self.filled(String(command), exports),
            ]
            let first = try await NotilogCommand.runProgram("/usr/bin/env", arguments)
            #expect(first.status == 0 && first.output.hasSuffix(".ndjson.gz\n"), "\(first.errors)")
            try await exports.append(many: 2)
            #expect(try await NotilogCommand.runProgram("/usr/bin/env", arguments).status == 0)
            #expect(try await ExportedFolder(url: exports.folder).checkedLines().count == 7)
        }
    }

    /// What pg_cron runs is SQL, by the server.
    @Test func thePgCronStatementRuns() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 5)
            // The server's user is not always the test's.
            try FileManager.default.createDirectory(at: exports.folder, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: exports.folder.path)
            let text = try Self.document("docs/exports.md")
            let call = try #require(text.split(separator: "SELECT cron.schedule(").dropFirst().first)
            let parts = call.split(separator: "$$")
            #expect(parts[0] == "'notilog export', '*/15 * * * *', ")
            // In a literal of SQL, a quote is two.
            let statement = Self.filled(String(parts[1]), exports)
                .replacing("'\(exports.database.url)'", with: "''\(exports.database.url)''")
            try await exports.connection.query(statement, cached: false)
            let names = ExportedFolder(url: exports.folder).names
            #expect(names.contains { $0.hasSuffix(".ndjson.gz") }, "\(names)")
            #expect(try await ExportedFolder(url: exports.folder).checkedLines().count == 5)
        }
    }

    /// The folder of a dynamic user is below one that only root may enter.
    @Test func theUnitsFilesCanBeReadByItsGroup() throws {
        let unit = try Self.document("docs/systemd/notilog-export@.service").split(separator: "\n")
        func value(_ name: String) throws -> Substring {
            try #require(unit.first { $0.hasPrefix(name + "=") }, "\(name)").dropFirst(name.count + 1)
        }
        #expect(!unit.contains("DynamicUser=yes"))
        #expect(try value("StateDirectoryMode") == "0750" && value("UMask") == "0027")
        let folder = try #require(value("StateDirectory").split(separator: " ").last)
        #expect(try value("ExecStart").contains(" --output /var/lib/\(folder) "))
        let (user, text) = (try value("User"), try Self.document("docs/exports.md"))
        #expect(text.contains("useradd --system --no-create-home --user-group \(user)\n"))
        #expect(text.contains("usermod --append --groups \(user) loader\n"))
        #expect(text.contains("CREATE ROLE \(user) LOGIN IN ROLE notilog_writer"))
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze"), "needs systemd-analyze")
    )
    func theUnitsAreTakenBySystemd() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-units-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // As `make install` puts them in place, with the program that is there.
        for unit in ["notilog-export@.service", "notilog-export@.timer"] {
            let text = try Self.document("docs/systemd/\(unit)").replacing(
                "@PREFIX@/bin/notilog",
                with: NotilogCommand.path
            )
            try Data(text.utf8).write(to: folder.appendingPathComponent(unit))
        }
        let result = try await NotilogCommand.runProgram(
            "/usr/bin/systemd-analyze",
            ["verify", folder.path + "/notilog-export@events.service", folder.path + "/notilog-export@events.timer"]
        )
        let complaints = (result.output + result.errors).split(separator: "\n").filter { $0.contains("notilog") }
        #expect(complaints.isEmpty, "\(complaints)")
        let elapse = try await NotilogCommand.runProgram("/usr/bin/systemd-analyze", ["calendar", "*:0/15"])
        #expect(elapse.status == 0 && elapse.output.contains("*-*-* *:00/15:00"))
        #expect(try Self.document("docs/systemd/notilog-export@.timer").contains("OnCalendar=*:0/15\n"))
    }
}
