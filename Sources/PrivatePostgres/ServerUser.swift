#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The user that the server runs as: PostgreSQL refuses to run as root.
struct ServerUser: Sendable {
    /// Nil if the server runs as this process's user.
    var name: String?
    var userID: uid_t
    var groupID: gid_t

    static func choose() throws(PrivatePostgresError) -> ServerUser {
        guard geteuid() == 0 else { return ServerUser(name: nil, userID: geteuid(), groupID: getegid()) }
        for name in ["postgres", "nobody"] {
            if let entry = getpwnam(name) {
                return ServerUser(name: name, userID: entry.pointee.pw_uid, groupID: entry.pointee.pw_gid)
            }
        }
        throw PrivatePostgresError("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")
    }

    /// The command as this user runs it; setpriv is part of util-linux, which Debian always has.
    func command(_ arguments: [String]) -> [String] {
        guard name != nil else { return arguments }
        return ["/usr/bin/setpriv", "--reuid=\(userID)", "--regid=\(groupID)", "--clear-groups"] + arguments
    }

    /// Creates a folder that only this user (and root) can enter.
    func makeFolder(_ path: String) throws(PrivatePostgresError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST, chown(path, userID, groupID) == 0, chmod(path, 0o700) == 0
        else {
            throw PrivatePostgresError("the folder \(path) cannot be created: \(String(cString: strerror(errno)))")
        }
    }

    /// Makes this user the owner of a file.
    func own(_ path: String) throws(PrivatePostgresError) {
        guard chown(path, userID, groupID) == 0 else {
            throw PrivatePostgresError(
                "\(path) cannot be given to the server's user: \(String(cString: strerror(errno)))"
            )
        }
    }
}
