internal import Logging

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The files that the process may have open: each connection is one, and the process fails if it needs one too many.
enum OpenFiles {
    private static let most: rlim_t = 1_048_576

    /// Raises the soft limit to the hard one: the usual soft one is below the service's settings.
    ///
    /// - Returns: the limit, in files; nil if the system does not say.
    static func raiseLimit() -> Int? {
        var limit = rlimit()
        #if canImport(Darwin)
            let resource = RLIMIT_NOFILE
        #else
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        guard getrlimit(resource, &limit) == 0 else { return nil }
        let soft = limit
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, most))
        if setrlimit(resource, &limit) != 0 { limit = soft }
        return Int(exactly: limit.rlim_cur) ?? .max
    }
}

extension Connections.Limits {
    /// Files besides connections and sessions: what is read and written, and what is accepted before it has a seat.
    private static let otherFiles = 128
    /// Files of a session of PostgreSQL: its socket, and what wakes its thread.
    private static let filesOfSession = 3
    private static let least = 16

    /// The seats that there are files for.
    ///
    /// - Parameters:
    ///   - openFiles: the files that the process may have open; nil for any number.
    ///   - sessions: the most sessions of PostgreSQL.
    /// - Throws: ``ServiceError`` if there are hardly any.
    func fitting(openFiles: Int?, sessions: Int, _ logger: Logger) throws -> Self {
        let besides = Self.otherFiles + Self.filesOfSession * sessions + spare
        guard let openFiles, openFiles < all + besides else { return self }
        let room = openFiles - besides
        guard room >= Self.least else {
            throw ServiceError(
                "this process may have \(openFiles) files open, and needs \(besides + Self.least) at least: raise the limit with `ulimit -n`, or LimitNOFILE in its unit"
            )
        }
        logger.warning(
            "fewer connections than http.connections fit into the files that this process may have open: raise the limit with `ulimit -n`, or LimitNOFILE in its unit",
            metadata: [
                "http.connections": "\(all)", "allowed": "\(room)", "open_files": "\(openFiles)",
                "wanted": "\(all + besides)",
            ]
        )
        return Self(all: room, ofAddress: max(1, ofAddress * room / all), spare: spare)
    }
}
