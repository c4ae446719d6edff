internal import CSpawn
internal import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A program started in a session of its own.
///
/// Foundation's `Process` considers a program running as long as any descendant lives, and so would wait for the server
/// that `pg_ctl start` leaves behind.
struct ChildProcess: Sendable {
    let processID: pid_t

    /// - Parameters:
    ///   - arguments: the program's path and its arguments.
    ///   - folder: its working directory.
    ///   - input: its standard input; nil for an empty one.
    ///   - outputPath: the file for its standard output and error; nil drops them.
    static func spawn(
        _ arguments: [String],
        folder: String,
        input: Int32?,
        outputPath: String?
    ) throws(PrivatePostgresError) -> ChildProcess {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 1, outputPath ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // A server that inherits the write end of a pipe would keep its reader waiting.
        spawn_close_from(&actions, 3)
        // A session of its own, so that Ctrl-C in the terminal reaches this process alone.
        #if canImport(Darwin)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSID | POSIX_SPAWN_CLOEXEC_DEFAULT))
        #else
            posix_spawnattr_setflags(&attributes, 0x80)  // POSIX_SPAWN_SETSID, which Glibc's module leaves out
        #endif

        // Without libpq's variables, which would redirect the server's programs, and with untranslated messages.
        let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PG") && $0.key != "LC_ALL" }
        let environment = inherited.map { "\($0.key)=\($0.value)" } + ["LC_ALL=C"]
        // posix_spawn has no portable way to change the folder.
        let inFolder = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder] + arguments
        var argv = inFolder.map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var processID: pid_t = 0
        let result = posix_spawn(&processID, inFolder[0], &actions, &attributes, &argv, &envp)
        guard result == 0 else {
            throw PrivatePostgresError("\(inFolder[0]) cannot be run: \(String(cString: strerror(result)))")
        }
        return ChildProcess(processID: processID)
    }

    /// Blocks until it ends; returns its exit status, or 128 plus the signal that ended it.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) == -1 && errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
