import Foundation
import PrivatePostgres

/// A small disk in memory for a server's data, which can be filled. Only root may make one.
final class DataDisk: Sendable {
    private static let prefix = "notilog-fault-disk-"
    let path: String

    /// Whether this run may mount; where not, what needs it is skipped.
    static var isAllowed: Bool { geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/bin/mount") }

    private init(path: String) {
        self.path = path
    }

    /// Makes a disk, and first removes those of runs that were killed. Nil where mounting is not permitted.
    static func make(megabytes: Int) async throws -> DataDisk? {
        guard isAllowed else { return nil }
        await removeStale()
        let own = ProcessInfo.processInfo.processIdentifier
        let path = "\(FileManager.default.temporaryDirectory.path)/\(prefix)\(own)-\(UInt16.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let arguments = ["-t", "tmpfs", "-o", "size=\(megabytes)m,mode=755", "tmpfs", path]
        guard try await run("/bin/mount", arguments) == 0 else {
            try? FileManager.default.removeItem(atPath: path)
            return nil
        }
        return DataDisk(path: path)
    }

    /// Takes all the room that is left.
    func fill() {
        let descriptor = open("\(path)/ballast", O_WRONLY | O_CREAT, 0o600)
        guard descriptor >= 0 else { return }
        var size = 64 << 20
        var end: off_t = 0
        // In ever smaller pieces, until not even a page is left.
        while size >= 4096 {
            if posix_fallocate(descriptor, end, off_t(size)) == 0 { end += off_t(size) } else { size /= 2 }
        }
        Foundation.close(descriptor)
    }

    /// Makes room again.
    func clear() {
        try? FileManager.default.removeItem(atPath: "\(path)/ballast")
    }

    func remove() async {
        _ = try? await Self.run("/bin/umount", ["-l", path])
        try? FileManager.default.removeItem(atPath: path)
    }

    private static func removeStale() async {
        let folder = FileManager.default.temporaryDirectory.path
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(prefix) {
            guard let process = Int32(name.dropFirst(prefix.count).prefix { $0.isNumber }), kill(process, 0) != 0 else {
                continue
            }
            await DataDisk(path: "\(folder)/\(name)").remove()
        }
    }

    private static func run(_ program: String, _ arguments: [String]) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.begin()
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
