import Foundation
import PlainHTTP
import Testing

/// `notilog dev`: everything in one folder, and again on what is there.
@Suite(.serialized)
struct DevTests {
    @Test(.timeLimit(.minutes(15)))
    func devServesAndTakesUpWhatIsThere() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-dev-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // The server's user must be able to come in.
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
        let first = try await session(folder) { url, keys in
            let client = try await ServiceClient.connect(url)
            #expect(try await client.post(Sample.action(), key: keys["write"]).status == 200)
            for scope in ["read", "admin"] {
                #expect(try await client.get("/v1/devices/d1", key: keys[scope]).status == 200)
            }
            #expect(try await client.get("/v1/reports", key: try await makeKey(folder, app: "demo")).status == 200)
            await client.connection.close()
        }
        #expect(first["app"] == "demo")
        // The store is not running: it is for as long as the command needs it.
        let made = try await NotilogCommand.run(["apps", "create", "second", "--data", folder])
        #expect(made.status == 0, "\(made.errors)")
        try await readAtRest(folder)
        let key = try await makeKey(folder, app: "second")
        let second = try await session(folder) { url, keys in
            let client = try await ServiceClient.connect(url)
            #expect(try await client.get("/v1/devices/d1/events", key: keys["read"]).status == 200)
            #expect(try await client.get("/v1/devices/d1/events", key: key).status == 404)
            await client.connection.close()
        }
        #expect(first == second)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/keys.json")
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test func aFolderWithoutAStoreIsSaid() async throws {
        let nothing = try await NotilogCommand.run(["apps", "list", "--data", "/nonexistent"])
        #expect(nothing.status == 1 && nothing.errors.contains("--data"))
        let both = try await NotilogCommand.run(["keys", "list", "--data", "/tmp", "--database-url", "postgresql:///x"])
        #expect(both.status == 64, "\(both.errors)")
    }

    @Test func anotherDatabaseIsRefused() async throws {
        let result = try await NotilogCommand.run([
            "dev", "--data", "/nonexistent", "--database-url", "postgresql:///x",
        ])
        #expect(result.status == 64 && result.errors.contains("notilog serve"), "\(result.errors)")
    }

    @Test(.timeLimit(.minutes(5))) func devEndsWithItsDatabase() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-dev-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        let service = try await ServiceProcess.start(["dev", "--data", folder.path, "--port", "0"], environment: [:])
        let file = folder.appendingPathComponent("postgres/data/postmaster.pid")
        let text = try String(contentsOf: file, encoding: .utf8)
        let postmaster = try #require(text.split(separator: "\n").first.flatMap { Int32($0) })
        kill(postmaster, SIGINT)
        #expect(await service.wait() == 1)
        #expect(service.log.contains("has ended: start `notilog dev` again"), "\(service.log)")
    }

    /// What reads an app's data reads that of a store that is not running.
    private func readAtRest(_ folder: String) async throws {
        let options = ["--app", "demo", "--data", folder]
        let report = try await NotilogCommand.run(["report", "activity", "--format", "json"] + options)
        #expect(report.status == 0 && report.output.contains("\"rows\""), "\(report.errors)")
        let export = try await NotilogCommand.run(
            ["export", "events", "--cursor", "rest", "--output", folder + "/exported"] + options
        )
        #expect(export.status == 0, "\(export.errors)")
        let why = try await NotilogCommand.run(["why", "d1", "unknown"] + options)
        #expect(why.status == 1 && why.errors.contains("app demo has no event of this notification"), "\(why.errors)")
    }

    private func makeKey(_ folder: String, app: String) async throws -> String {
        let made = try await NotilogCommand.run(["keys", "create", "--app", app, "--scope", "read", "--data", folder])
        #expect(made.status == 0, "\(made.errors)")
        return made.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func session(
        _ folder: String,
        _ body: (String, [String: String]) async throws -> Void
    ) async throws -> [String: String] {
        let service = try await ServiceProcess.start(["dev", "--data", folder, "--port", "0"], environment: [:])
        let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/keys.json"))
        let keys = try JSONDecoder().decode([String: String].self, from: data)
        do {
            try await body(service.url, keys)
        } catch {
            await service.stop()
            throw error
        }
        #expect(await service.stop() == 0)
        return keys
    }
}
