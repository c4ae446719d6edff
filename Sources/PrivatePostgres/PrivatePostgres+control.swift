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
        /// Breaks sessions off, writes everything out.
        case fast
        /// Stops as in a crash (SIGQUIT); the next start recovers from the write-ahead log.
        case immediate
    }

    /// Stops the server. Its data stays until this process ends.
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
    /// - Throws: ``PrivatePostgresError`` where it does not run.
    public func kill() throws(PrivatePostgresError) {
        guard let processID, sendSignal(processID, SIGKILL) == 0 else {
            throw PrivatePostgresError("the private server does not run")
        }
    }

    /// Starts the server again after ``stop(_:)`` or ``kill()``, on the same data and at the same place.
    ///
    /// - Throws: ``PrivatePostgresError`` with the end of the server's log.
    public func restart() async throws {
        try await launch()
    }

    func launch() async throws {
        let arguments = [
            programs.path("pg_ctl"), "start", "--pgdata=\(dataFolder)", "--log=\(logFile)", "--wait", "--timeout=60",
            "--silent",
        ]
        // After a SIGKILL the old sessions hold the shared memory for a moment more.
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            do {
                try await Command.run(user.command(arguments), in: socketFolder)
                return
            } catch {
                let log = recentLog()
                guard log.contains("still in use"), ContinuousClock.now < deadline else {
                    throw PrivatePostgresError("PostgreSQL did not start: \(log.isEmpty ? "\(error)" : log)")
                }
                try await ContinuousClock().sleep(for: .milliseconds(100))
            }
        }
    }
}

private func sendSignal(_ process: pid_t, _ signal: Int32) -> Int32 {
    kill(process, signal)
}
