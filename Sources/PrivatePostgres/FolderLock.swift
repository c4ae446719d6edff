internal import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Marks a folder as used by a living process: the kernel releases the lock when the process ends, however it ends.
final class FolderLock: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    static func path(_ folder: String) -> String { "\(folder)/lock" }

    /// Whether it is a folder of this process's user, and no link to one. Where temporary folders are, any user of the machine may make
    /// what looks like ours, and have this process stop another server or remove another folder.
    static func isOwn(_ folder: String) -> Bool {
        var status = stat()
        return lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }

    /// Locks a folder; nil while another process holds its lock.
    static func take(_ folder: String) throws(PrivatePostgresError) -> FolderLock? {
        let descriptor = open(path(folder), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw PrivatePostgresError("\(path(folder)) cannot be opened: \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return FolderLock(descriptor)
    }

    /// Creates a folder together with its lock, atomically for others.
    static func makeTemporaryFolder(prefix: String) throws(PrivatePostgresError) -> (path: String, lock: FolderLock) {
        var random = SystemRandomNumberGenerator()
        let parent = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        let name = String(UInt64.random(in: 0...UInt64.max, using: &random), radix: 36)
        let hidden = "\(parent)/.\(prefix)\(name)"
        let path = "\(parent)/\(prefix)\(name)"
        guard mkdir(hidden, 0o711) == 0 else {
            throw PrivatePostgresError("\(hidden) cannot be created: \(String(cString: strerror(errno)))")
        }
        guard let lock = try take(hidden), rename(hidden, path) == 0 else {
            throw PrivatePostgresError("\(path) cannot be created: \(String(cString: strerror(errno)))")
        }
        return (path, lock)
    }
}
