import Foundation
import PrivatePostgres

/// PostgreSQL's own programs, run to their end.
enum Programs {
    /// - Parameters:
    ///   - name: such as `pg_dump`.
    ///   - asServer: run by the user that a private server runs as, as root would own what that must read.
    static func run(_ name: String, _ arguments: [String], asServer: Bool = false) async throws {
        var command = ["\(try ServerPrograms.find().folder)/\(name)"] + arguments
        if asServer, geteuid() == 0 {
            let ids = try serverIDs()
            command = ["/usr/bin/setpriv", "--reuid=\(ids.user)", "--regid=\(ids.group)", "--clear-groups"] + command
        }
        try await run(name, command: command)
    }

    /// Runs a line of the shell, with its arguments from `$0` on.
    static func shell(_ line: String, _ arguments: String...) async throws {
        try await run("sh", command: ["/bin/sh", "-c", line] + arguments)
    }

    private static func run(_ program: String, command: [String]) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = FileManager.default.temporaryDirectory
        let errors = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString).log")
        guard FileManager.default.createFile(atPath: errors.path, contents: nil) else {
            throw SocketFailure(errors.path)
        }
        defer { try? FileManager.default.removeItem(at: errors) }
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardOutput = FileHandle.nullDevice
        let ended = ProcessEnd(process)
        try process.begin()
        // As long as a machine that does more than this test may take to copy a server.
        try await within(.seconds(240), program) { await ended.wait() }
        guard process.terminationStatus == 0 else {
            let text = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
            throw FaultFailure("\(program) failed: \(text)")
        }
    }

    /// Makes a folder that the server's user can write.
    static func makeFolder(_ prefix: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(prefix)\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        if geteuid() == 0 {
            let ids = try serverIDs()
            guard chown(folder, ids.user, ids.group) == 0 else { throw SocketFailure("chown") }
        }
        return folder
    }

    private static func serverIDs() throws -> (user: uid_t, group: gid_t) {
        guard let entry = getpwnam("postgres") else { throw FaultFailure("there is no user postgres") }
        return (entry.pointee.pw_uid, entry.pointee.pw_gid)
    }
}

/// Says when a process has ended, also to who asks afterwards.
private final class ProcessEnd: Sendable {
    private let stream: AsyncStream<Void>

    init(_ process: Process) {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        self.stream = stream
        process.terminationHandler = { _ in continuation.finish() }
    }

    func wait() async {
        for await _ in stream {}
    }
}
