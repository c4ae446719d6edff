internal import CSpawn

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Stops the server when this process ends, however it ends.
///
/// A shell reads from a pipe whose other end only this process holds. When that end closes, even after `kill -9`, the shell
/// stops the server and removes temporary folders. It ignores the signals of the terminal.
final class Watchdog: Sendable {
    private let writeEnd: Int32
    private let child: ChildProcess

    private static let script = """
        trap '' INT TERM HUP
        cat >/dev/null
        running() {
          pid=$(head -n 1 "$1/postmaster.pid" 2>/dev/null) && kill -0 "$pid" 2>/dev/null
        }
        tries=0
        while running "$1" && [ $tries -lt 100 ]; do
          if [ $tries -lt 50 ]; then kill -INT "$pid"; else kill -QUIT "$pid"; fi
          sleep 0.1
          tries=$((tries + 1))
        done
        for folder in "$2" "$3"; do
          if [ -n "$folder" ]; then rm -rf "$folder"; fi
        done
        """

    /// - Parameters:
    ///   - dataFolder: the server's.
    ///   - temporary: folders to remove at the end.
    init(dataFolder: String, temporary: [String]) throws(PrivatePostgresError) {
        let folders = (temporary + ["", ""]).prefix(2)
        let arguments = ["/bin/sh", "-c", Self.script, "notilog-postgres-watchdog", dataFolder] + folders
        var ends: [Int32] = [-1, -1]
        // Another thread may start a child at any moment.
        guard pipe_close_on_exec(&ends) == 0 else { throw PrivatePostgresError("no pipe could be created") }
        defer { close(ends[0]) }
        do {
            child = try ChildProcess.spawn(arguments, folder: "/", input: ends[0], outputPath: nil)
            writeEnd = ends[1]
        } catch {
            close(ends[1])
            throw error
        }
    }

    /// Closes the pipe and waits for the server's end.
    deinit {
        close(writeEnd)
        _ = child.wait()
    }
}
