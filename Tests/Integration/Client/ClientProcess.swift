import Foundation
import Synchronization

/// The tests' app as a process: started, killed and started again until all its events are with the service.
final class ClientProcess: Sendable {
    struct Setup: Sendable {
        var url: String
        var key: String
        var folder: URL
        var role: String
        /// The time of the first event.
        var start: Int
        var events: Int
    }

    private struct State {
        /// Events whose receipts it has had.
        var receipts = 0
        var kills = 0
        var errors = ""
        var largest = 0
    }

    private let setup: Setup
    private let state = Mutex(State())

    init(_ setup: Setup) {
        self.setup = setup
    }

    var receipts: Int { state.withLock { $0.receipts } }
    var kills: Int { state.withLock { $0.kills } }
    var errors: String { state.withLock { $0.errors } }
    /// The most bytes that the queue's folder had.
    var largestQueue: Int { state.withLock { $0.largest } }

    /// Runs it to its end, killing it after numbers of receipts drawn from a seed.
    func run(kills: Int, seed: UInt64) async throws {
        var random = LawRandom(seed: seed)
        let average = setup.events / (kills + 1)
        for _ in 0..<kills {
            try await runOnce(killedAfter: Int(random.next() % UInt64(max(average * 2, 1))) + 1)
        }
        var status = try await runOnce(killedAfter: nil)
        while status != 0, receipts < setup.events { status = try await runOnce(killedAfter: nil) }
    }

    @discardableResult
    private func runOnce(killedAfter limit: Int?) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: NotilogCommand.path).deletingLastPathComponent()
            .appendingPathComponent("client-process")
        process.arguments = [
            setup.url, setup.key, setup.folder.path, setup.role, String(setup.start), String(receipts),
            String(setup.events),
        ]
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (Process.pipe(), Process.pipe())
        process.standardOutput = output
        process.standardError = errors
        let id = Mutex<Int32>(0)
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { _ in }
            do {
                try process.begin()
            } catch {
                continuation.resume(throwing: error)
                return
            }
            id.withLock { $0 = process.processIdentifier }
            let child = process.processIdentifier
            Thread.detachNewThread { [self] in
                while case let data = errors.fileHandleForReading.availableData, !data.isEmpty {
                    state.withLock { $0.errors += String(decoding: data.prefix(2000), as: UTF8.self) }
                }
            }
            Thread.detachNewThread { [self] in
                var lines = 0
                var isKilled = false
                while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                    let count = data.count { $0 == 10 }
                    lines += count
                    let size = queueBytes()
                    state.withLock { state in
                        state.receipts += count
                        state.largest = max(state.largest, size)
                    }
                    if let limit, lines >= limit, !isKilled {
                        kill(child, SIGKILL)
                        isKilled = true
                        state.withLock { $0.kills += 1 }
                    }
                }
                process.waitUntilExit()
                continuation.resume(returning: process.terminationStatus)
            }
        }
    }

    private func queueBytes() -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: setup.folder.path)) ?? []
        return names.reduce(0) { total, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: setup.folder.path + "/" + name)
            return total + (attributes?[.size] as? Int ?? 0)
        }
    }
}
