import Foundation
import Schema
import Synchronization
import Testing

/// A program in Python that writes a line of JSON for each thing that it checked.
struct ProgramRun {
    struct Line: Decodable {
        var check: String?
        var failure: String?
        var seconds: Double?
    }

    var checks: [String: Line] = [:]
    var status: Int32 = -1
    var errors = ""

    /// The repository, beside whose SQL files the programs stand.
    static func repository() throws -> URL {
        URL(fileURLWithPath: try ReleaseFolder.locate().path).deletingLastPathComponent()
    }

    /// Where `.ci/dependencies tests` puts packages of Python.
    static func packages() throws -> String {
        let given = ProcessInfo.processInfo.environment["NOTILOG_TEST_PACKAGES"]
        return try given ?? repository().appendingPathComponent(".build/python").path
    }

    /// Debian's own, which sees Debian's packages.
    static var python: String {
        let debian = "/usr/bin/python3"
        return FileManager.default.isExecutableFile(atPath: debian) ? debian : "/usr/local/bin/python3"
    }

    /// Runs a program below `Tests` to its end; kills it where it does not come to one.
    static func run(_ program: String, environment: [String: String], limit: Duration) async throws -> ProgramRun {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = [try repository().appendingPathComponent("Tests/" + program).path]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
            .merging(["PYTHONPATH": try packages(), "PYTHONDONTWRITEBYTECODE": "1"]) { _, new in new }
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (Process.pipe(), Process.pipe())
        process.standardOutput = output
        process.standardError = errors
        let (ended, end) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in end.finish() }
        try process.begin()
        let lines = read(output)
        let said = read(errors)
        do {
            try await within(limit, program) { for await _ in ended {} }
            // A cancelled task waits for nothing more.
            if process.isRunning { throw CancellationError() }
        } catch {
            process.terminate()
            throw error
        }
        var run = ProgramRun(status: process.terminationStatus, errors: await said.value)
        for line in await lines.value.split(separator: "\n") {
            guard let decoded = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)) else { continue }
            if let check = decoded.check { run.checks[check] = decoded }
        }
        return run
    }

    /// Reads a pipe to its end, on a thread that may wait.
    private static func read(_ pipe: Pipe) -> Task<String, Never> {
        let handle = pipe.fileHandleForReading
        return Task {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(returning: String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self))
                }
            }
        }
    }

    /// Each check passed, and there were these, no fewer and no more.
    func expect(_ names: [String]) {
        #expect(status == 0, "\(errors)")
        for name in names where checks[name] == nil { Issue.record("\(name) was not checked: \(errors)") }
        for (name, line) in checks {
            if let failure = line.failure { Issue.record("\(name): \(failure)") }
            if !names.contains(name) { Issue.record("\(name) is not among the checks that are expected") }
        }
    }
}
