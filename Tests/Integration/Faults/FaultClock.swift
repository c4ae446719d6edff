import Foundation

/// The clock of a process, set while it runs (`Tests/SetClock`).
final class FaultClock: Sendable {
    private let folder: URL
    private var file: URL { folder.appendingPathComponent("seconds") }
    private var library: URL { folder.appendingPathComponent("clock.so") }

    /// A clock that is right so far. Compiled on the spot, by the compiler that comes with Swift.
    init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-clock-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../SetClock/clock.c").standardized
        let compiled = try await NotilogCommand.runProgram(
            "/usr/bin/env",
            ["clang", "-O1", "-shared", "-fPIC", "-o", library.path, source.path, "-ldl"]
        )
        guard compiled.status == 0 else { throw FaultFailure("clang: \(compiled.errors)") }
        try Data(count: 8).write(to: file)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Sets it so many seconds ahead of the machine's, or behind it.
    func set(seconds: Int64) throws {
        // In place: the process has the file mapped.
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: withUnsafeBytes(of: seconds) { Data($0) })
        try handle.close()
    }

    /// What a process takes to follow it.
    var environment: [String: String] {
        ["LD_PRELOAD": library.path, "CLOCK_SECONDS_FILE": file.path]
    }
}
