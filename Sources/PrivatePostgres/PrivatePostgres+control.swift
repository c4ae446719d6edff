internal import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension PrivatePostgres {
    /// How a server is stopped.
    public enum StopMode: String, Sendable {
        /// Ends sessions, and writes everything to disk.
        case fast
        /// Stops as in a crash (SIGQUIT); the next start recovers from the write-ahead log.
        case immediate
    }

    /// Stops the server. Its data is kept until this process ends.
    ///
    /// - Throws: ``PrivatePostgresError``.
    public func stop(_ mode: StopMode = .fast) async throws {
        guard processID != nil else { return }
        let arguments = [
            programs.path("pg_ctl"), "stop", "--pgdata=\(dataFolder)", "--mode=\(mode.rawValue)", "--wait",
        ]
        try await Command.run(user.command(arguments), in: socketFolder)
    }

    /// Kills the postmaster with SIGKILL, as the kernel does when memory runs out; its sessions follow by themselves.
    ///
    /// - Throws: ``PrivatePostgresError`` if it is not running.
    public func kill() throws(PrivatePostgresError) {
        guard let processID, sendSignal(processID, SIGKILL) == 0 else {
            throw PrivatePostgresError("the private server is not running")
        }
    }

    /// Returns when the server has ended without having been stopped by this process. A server that somebody starts again within
    /// some seconds has not.
    ///
    /// - Throws: `CancellationError`.
    public func ended() async throws {
        var misses = 0
        while misses < 3 {
            try await ContinuousClock().sleep(for: .seconds(1))
            misses = isRunning ? 0 : misses + 1
        }
    }

    /// Whether the postmaster runs; one that was killed and not reaped does not.
    private var isRunning: Bool {
        guard let processID, Self.isAlive(processID) else { return false }
        let stat = FileManager.default.contents(atPath: "/proc/\(processID)/stat").map {
            String(decoding: $0, as: UTF8.self)
        }
        return stat?.contains(") Z ") != true
    }

    /// Messages of a server that starts while processes of the previous one are still running.
    private static let mayPass = ["still in use", "already exists"]

    /// Removes the lock file of a killed postmaster that was not reaped, as in a container without an init: PostgreSQL takes
    /// such a zombie for a running server.
    private func removeLockOfTheDead() {
        guard let processID, let stat = FileManager.default.contents(atPath: "/proc/\(processID)/stat"),
            String(decoding: stat, as: UTF8.self).contains(") Z "), !hasProcesses
        else { return }
        try? FileManager.default.removeItem(atPath: "\(dataFolder)/postmaster.pid")
    }

    /// Whether any process uses the data folder, as all processes of a server do.
    private var hasProcesses: Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.contains { name in
            Int32(name) != nil
                && (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(name)/cwd")) == dataFolder
        }
    }

    /// Starts the server on its data and socket.
    ///
    /// - Throws: ``PrivatePostgresError`` with the end of the server's log.
    package func launch() async throws {
        let arguments = [
            programs.path("pg_ctl"), "start", "--pgdata=\(dataFolder)", "--log=\(logFile)", "--wait", "--timeout=60",
            "--silent",
        ]
        // After a SIGKILL the old sessions hold the shared memory until each has finished its statement.
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            removeLockOfTheDead()
            let begin = logLength
            do {
                try await Command.run(user.command(arguments), in: socketFolder)
                return
            } catch {
                // The whole log: messages of old sessions may be long, and come last.
                let log = recentLog(bytes: max(0, logLength - begin))
                guard Self.mayPass.contains(where: log.contains), ContinuousClock.now < deadline else {
                    throw PrivatePostgresError(
                        "PostgreSQL did not start: \(log.isEmpty ? "\(error)" : String(log.suffix(4000)))"
                    )
                }
                try await ContinuousClock().sleep(for: .milliseconds(100))
            }
        }
    }
}

extension PrivatePostgres {
    static func isAlive(_ process: pid_t) -> Bool {
        sendSignal(process, 0) == 0 || errno == EPERM
    }
}

private func sendSignal(_ process: pid_t, _ signal: Int32) -> Int32 {
    kill(process, signal)
}
