internal import Foundation
internal import Logging

extension PrivatePostgres {
    /// Creates the data folder if it does not exist, and writes this start's settings.
    func prepare(_ options: Options) async throws {
        try user.makeFolder("\(socketFolder)/socket")
        try user.makeFolder(dataFolder)
        if user.name != nil {
            do {
                try await Command.run(user.command(["/usr/bin/test", "-x", dataFolder]), in: socketFolder)
            } catch {
                throw PrivatePostgresError(
                    "the server's user \(user.name ?? "") cannot reach \(folder): choose a folder that every user can enter"
                )
            }
        }
        if !FileManager.default.fileExists(atPath: "\(dataFolder)/PG_VERSION") { try await initialise(options) }
        var settings = [
            "listen_addresses": options.port == nil ? "" : "127.0.0.1",
            "port": String(options.port ?? 5432),
            "unix_socket_directories": "\(socketFolder)/socket",
            "max_connections": "200",
            "timezone": "UTC",
            "log_timezone": "UTC",
            "lc_messages": "C",
        ]
        settings.merge(options.settings) { $1 }
        let lines = settings.sorted { $0.key < $1.key }
            .map {
                "\($0.key) = '\($0.value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'\n"
            }
        try write(lines.joined(), to: "\(dataFolder)/notilog.conf")
    }

    private func initialise(_ options: Options) async throws {
        logger.info("creating a database", metadata: ["folder": "\(dataFolder)"])
        let password = "\(socketFolder)/password"
        try write(Self.randomPassword(), to: password)
        #if os(Linux)
            let locale = ["--locale=C.UTF-8", "--lc-collate=C"]
        #else
            let locale = ["--locale=C"]
        #endif
        var arguments = [
            programs.path("initdb"), "--pgdata=\(dataFolder)", "--username=postgres", "--encoding=UTF8",
            // Only the server's own user reaches the socket; over TCP any user of the machine can connect.
            "--auth-local=trust", "--auth-host=scram-sha-256", "--pwfile=\(password)", "--no-instructions",
        ]
        arguments += locale
        if options.settings["fsync"] == "off" { arguments.append("--no-sync") }
        try await Command.run(user.command(arguments), in: socketFolder)
        try FileManager.default.moveItem(atPath: password, toPath: "\(dataFolder)/password")
        let configuration = "\(dataFolder)/postgresql.conf"
        let old = String(decoding: FileManager.default.contents(atPath: configuration) ?? Data(), as: UTF8.self)
        try write(old + "\ninclude = 'notilog.conf'\n", to: configuration)
    }

    private static func randomPassword() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        var random = SystemRandomNumberGenerator()
        return String((0..<32).map { _ in letters[Int.random(in: letters.indices, using: &random)] })
    }

    /// Writes a file that only the server's user can read.
    private func write(_ text: String, to path: String) throws {
        guard
            FileManager.default.createFile(
                atPath: path,
                contents: Data(text.utf8),
                attributes: [.posixPermissions: 0o600]
            )
        else { throw PrivatePostgresError("\(path) cannot be written") }
        try user.own(path)
    }

    /// Stops the servers of this user's dead processes, and removes their folders.
    func removeStale() async {
        let parent = URL(fileURLWithPath: socketFolder).deletingLastPathComponent().path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(Self.temporaryPrefix) {
            let folder = "\(parent)/\(name)"
            guard folder != socketFolder, FolderLock.isOwn(folder),
                FileManager.default.fileExists(atPath: FolderLock.path(folder)),
                let lock = try? FolderLock.take(folder)
            else { continue }
            await stopLeftover("\(folder)/data")
            try? FileManager.default.removeItem(atPath: folder)
            withExtendedLifetime(lock) {}
        }
        await stopLeftover(dataFolder)
    }

    private func stopLeftover(_ dataFolder: String) async {
        guard FileManager.default.fileExists(atPath: "\(dataFolder)/postmaster.pid") else { return }
        let arguments = [
            programs.path("pg_ctl"), "stop", "--pgdata=\(dataFolder)", "--mode=fast", "--wait", "--timeout=30",
        ]
        // Fails if the server is gone and only its file is left; the next start removes it.
        _ = try? await Command.run(user.command(arguments), in: socketFolder)
    }
}
