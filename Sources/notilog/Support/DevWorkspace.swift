import Administration
import Foundation
import NotificationEvents
import Postgres
import PrivatePostgres

/// A key of each scope, and their app, as in `keys.json`.
struct DevKeys: Codable, Sendable {
    var app: String
    var write: String
    var provider: String
    var read: String
    var admin: String

    var all: [(scope: Scope, text: String)] {
        [(.write, write), (.provider, provider), (.read, read), (.admin, admin)]
    }
}

/// The folder of `notilog dev`.
struct DevWorkspace: Sendable {
    let folder: String

    static let database = "notilog"
    static let app = "demo"

    var keysFile: String { folder + "/keys.json" }

    /// Durable as in production; memory for a laptop.
    static let serverSettings = [
        "shared_buffers": "512MB", "max_wal_size": "4GB", "checkpoint_timeout": "15min", "wal_compression": "on",
    ]

    /// - Throws: ``CommandFailure`` if the folder cannot be created.
    init(folder: String) throws {
        self.folder = URL(fileURLWithPath: folder).standardizedFileURL.path
        do {
            try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure("the folder \(folder) cannot be created: choose another with --data")
        }
    }

    /// The folder of the private server's data: inside the workspace, unless the server's user cannot enter it, as with a
    /// folder under root's home. Then it is outside, and the workspace has a link to it.
    ///
    /// - Throws: ``CommandFailure`` if neither can be created.
    func serverFolder() throws -> String {
        let inside = folder + "/postgres"
        if let elsewhere = try? FileManager.default.destinationOfSymbolicLink(atPath: inside) { return elsewhere }
        guard geteuid() == 0, !Self.canBeEntered(folder), !FileManager.default.fileExists(atPath: inside) else {
            return inside
        }
        let name = folder.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let elsewhere = "/var/lib/notilog/" + String(name, radix: 36)
        do {
            try FileManager.default.createDirectory(
                atPath: elsewhere,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755]
            )
            try FileManager.default.createSymbolicLink(atPath: inside, withDestinationPath: elsewhere)
        } catch {
            throw CommandFailure(
                "\(elsewhere) cannot be created: choose a folder that every user can enter with --data"
            )
        }
        return elsewhere
    }

    /// Whether any user may enter every folder of the path.
    private static func canBeEntered(_ path: String) -> Bool {
        var path = path
        while path != "/" {
            let mode = (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? NSNumber
            guard let mode, mode.intValue & 0o001 != 0 else { return false }
            path = URL(fileURLWithPath: path).deletingLastPathComponent().path
        }
        return true
    }

    /// Creates the database if it does not exist.
    func makeDatabase(on server: PrivatePostgres) async throws {
        let connection = try await Connection.connect(ConnectionConfiguration(connectionString: server.url()))
        let found = try await connection.query("SELECT FROM pg_database WHERE datname = $1", [.text(Self.database)])
        if found.isEmpty { try await connection.query("CREATE DATABASE \(Self.database)", cached: false) }
        await connection.close()
    }

    /// The keys of the file if they are valid, else new ones.
    func keys(_ administration: Administration) async throws -> DevKeys {
        let known = try? JSONDecoder().decode(DevKeys.self, from: Data(contentsOf: URL(fileURLWithPath: keysFile)))
        if let known, try await administration.areActive(known.all.map(\.text), app: Self.app) { return known }
        if try await !administration.apps().contains(where: { $0.name == Self.app }) {
            _ = try await administration.createApp(Self.app)
        }
        func make(_ scope: Scope) async throws -> String {
            try await administration.createKey(app: Self.app, scope: scope, label: "notilog dev").text
        }
        let keys = DevKeys(
            app: Self.app,
            write: try await make(.write),
            provider: try await make(.provider),
            read: try await make(.read),
            admin: try await make(.admin)
        )
        try write(keys)
        return keys
    }

    private func write(_ keys: DevKeys) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let written = FileManager.default.createFile(
            atPath: keysFile,
            contents: try encoder.encode(keys) + Data("\n".utf8),
            attributes: [.posixPermissions: 0o600]
        )
        guard written else { throw CommandFailure("\(keysFile) cannot be written: check the folder's permissions") }
    }
}
