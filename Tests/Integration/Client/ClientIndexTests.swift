import Foundation
import NotilogClient
import Testing

/// What a recorder remembers of notifications, where two processes share it.
struct ClientIndexTests {
    static let each = 100

    @Test("An app and its extension that change the index of notifications at once lose none of each other's changes")
    func twoProcesses() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let processes = try ["app", "extension"].map { role in
            try WaitingProcess(["index", folder.path, role, String(Self.each)])
        }
        defer { processes.forEach { $0.kill() } }
        try await within(.seconds(60), "two processes' requests") {
            for process in processes { await process.isReady() }
            for process in processes { process.go() }
            for process in processes { #expect(await process.status() == 0) }
        }
        var options = Notilog.Options()
        options.folder = folder
        options.sendsAutomatically = false
        let notilog = Notilog(url: folder, writeKey: "key", options: options)
        #expect(notilog.status().events == 2 * Self.each)
        // Whatever is in the index, and nothing else, is told to be taken back.
        let receipts = notilog.recordRemoval(pending: nil)
        #expect(receipts.count == 2 * Self.each)
        #expect(receipts.allSatisfy { $0.isQueued })
        #expect(notilog.recordRemoval(pending: nil).isEmpty)
    }
}

/// The tests' app as a process that says when it is ready, and begins when it is told to.
private final class WaitingProcess: Sendable {
    private let process: Process
    private let input = Process.pipe()
    private let output = Process.pipe()

    init(_ arguments: [String]) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: NotilogCommand.path).deletingLastPathComponent()
            .appendingPathComponent("client-process")
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.begin()
    }

    func isReady() async {
        await onThread { [output] in _ = output.fileHandleForReading.availableData }
    }

    func go() {
        input.fileHandleForWriting.write(Data("\n".utf8))
    }

    func status() async -> Int32 {
        await onThread { [process] in
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    func kill() {
        if process.isRunning { process.terminate() }
    }

    /// Waits on a thread of its own, as waiting would stand in the way of other tests on one of the pool's.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}
