internal import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Stops the server when this process ends, however it ends.
///
/// A shell reads from a pipe whose other end only this process holds. When that end closes, even by `kill -9`, the shell
/// stops the server and removes what was temporary. It ignores the signals of the terminal that this process gets.
final class Watchdog: Sendable {
    /// One at a time, so that no child is born between a pipe's making and its mark to be closed in children.
    private static let spawning = Mutex(())

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
        (child, writeEnd) = try Self.spawning.withLock { _ throws(PrivatePostgresError) in
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw PrivatePostgresError("no pipe could be made") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            defer { close(ends[0]) }
            do throws(PrivatePostgresError) {
                return (try ChildProcess.spawn(arguments, folder: "/", input: ends[0], outputPath: nil), ends[1])
            } catch {
                close(ends[1])
                throw error
            }
        }
    }

    /// Closes the pipe and waits for the server's end.
    deinit {
        close(writeEnd)
        _ = child.wait()
    }
}
