import Foundation

/// What stands for the server of a document: sudo, its folders, its PostgreSQL.
struct DocumentedMachine {
    let folder: URL
    let socket: String

    /// As sudo: another user of the machine is another role of PostgreSQL, by peer authentication.
    func prepare() throws {
        let sudo = folder.appendingPathComponent("sudo")
        try Data("#!/bin/sh\nif [ \"$1\" = -u ]; then export PGUSER=\"$2\"; shift 2; fi\nexec \"$@\"\n".utf8).write(
            to: sudo
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: sudo.path)
    }

    private var environment: [String: String] {
        let command = URL(fileURLWithPath: NotilogCommand.path).deletingLastPathComponent().path
        return ["PATH": "\(folder.path):\(command):/usr/bin:/bin", "PGHOST": socket, "HOME": folder.path]
    }

    /// Runs a block of the document.
    ///
    /// - Parameter replacing: what the document writes, and what it is here.
    func run(_ text: String, replacing: [String: String]) async throws -> CommandResult {
        let here = replacing.reduce(text) { $0.replacing($1.key, with: $1.value) }
        let variables = environment.map { "\($0.key)=\($0.value)" }
        return try await NotilogCommand.runProgram("/usr/bin/env", ["-i"] + variables + ["sh", "-euc", here])
    }
}
