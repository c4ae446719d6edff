import Foundation
import Synchronization

/// The `notilog` command as a process of its own, as it was built beside the tests.
struct CommandResult {
    var status: Int32
    var output: String
    var errors: String
}

enum NotilogCommand {
    /// The executable: beside the test bundle, unless `NOTILOG_COMMAND` names another, such as a release build.
    static let path: String = {
        if let given = ProcessInfo.processInfo.environment["NOTILOG_COMMAND"] { return given }
        var candidates = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
            candidates.insert(URL(fileURLWithPath: own).deletingLastPathComponent(), at: 0)
        }
        let paths = candidates.map { $0.appendingPathComponent("notilog").path }
        return paths.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "notilog"
    }()

    static func process(_ arguments: [String], environment: [String: String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        var all = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("NOTILOG_") && !$0.key.hasPrefix("PG")
        }
        all.merge(environment) { _, new in new }
        process.environment = all
        process.standardInput = FileHandle.nullDevice
        return process
    }

    /// Runs a command to its end.
    static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> CommandResult {
        try await run(process(arguments, environment: environment))
    }

    /// Runs another program to its end.
    static func runProgram(_ path: String, _ arguments: [String], input: String = "") async throws -> CommandResult {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let pipe = Process.pipe()
        process.standardInput = pipe
        Thread.detachNewThread {
            try? pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try? pipe.fileHandleForWriting.close()
        }
        return try await run(process)
    }

    private static func run(_ process: Process) async throws -> CommandResult {
        let (output, errors) = (Process.pipe(), Process.pipe())
        process.standardOutput = output
        process.standardError = errors
        async let readOutput = Self.readAll(output)
        async let readErrors = Self.readAll(errors)
        try await runToEnd(process)
        return CommandResult(status: process.terminationStatus, output: await readOutput, errors: await readErrors)
    }

    /// Runs a command and kills it after a while. True where that cut it short.
    static func runKilled(
        _ arguments: [String],
        environment: [String: String],
        after moment: Duration
    ) async throws -> Bool {
        let process = process(arguments, environment: environment)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let timer = Task {
            try await ContinuousClock().sleep(for: moment)
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
        defer { timer.cancel() }
        try await runToEnd(process)
        return process.terminationReason == .uncaughtSignal
    }

    private static func runToEnd(_ process: Process) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.begin()
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Reads a pipe to its end, on a thread that may wait.
    private static func readAll(_ pipe: Pipe) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
                // By itself it stays open, and a long run has ever more of them.
                try? pipe.fileHandleForReading.close()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}

/// `notilog serve` as a process, to be talked to over HTTP, stopped and killed.
final class ServiceProcess: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private struct State {
        var isEnded = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        var log = ""
    }

    let url: String
    private let process: Process
    private let box: StateBox

    /// Starts the service on a database and waits until it answers.
    ///
    /// - Parameters:
    ///   - database: the database's URL.
    ///   - settings: settings by key, such as `limits.body_bytes`.
    ///   - port: 0 for a free one.
    static func start(database: String, settings: [String: String] = [:], port: Int = 0) async throws -> ServiceProcess
    {
        let sets = settings.sorted { $0.key < $1.key }.flatMap { ["--set", "\($0.key)=\($0.value)"] }
        return try await start(
            ["serve", "--port", String(port)] + sets,
            environment: ["NOTILOG_DATABASE_URL": database]
        )
    }

    /// Starts a command that serves, and waits until it answers.
    static func start(_ arguments: [String], environment: [String: String]) async throws -> ServiceProcess {
        let environment = environment.merging(["NOTILOG_LOG_FORMAT": "json"]) { given, _ in given }
        let process = NotilogCommand.process(arguments, environment: environment)
        let (output, errors) = (Process.pipe(), Process.pipe())
        process.standardOutput = output
        process.standardError = errors
        let box = StateBox()
        process.terminationHandler = { _ in box.end() }
        try process.begin()
        Thread.detachNewThread {
            // As it comes: read(upToCount:) would wait for that many bytes.
            while case let data = errors.fileHandleForReading.availableData, !data.isEmpty {
                box.state.withLock { $0.log += String(decoding: data, as: UTF8.self) }
            }
            for pipe in [output, errors] { try? pipe.fileHandleForReading.close() }
        }
        let line = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Self.readLine(output)) }
        }
        guard line.hasPrefix("ready http") else {
            process.terminate()
            throw Failure(description: "the service did not start: \(line) \(box.state.withLock { $0.log })")
        }
        return ServiceProcess(url: String(line.dropFirst("ready ".count)), process: process, box: box)
    }

    /// Shares the state with the process' callbacks.
    private final class StateBox: Sendable {
        let state = Mutex(State())

        func end() {
            let waiters = state.withLock { state in
                state.isEnded = true
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    private init(url: String, process: Process, box: StateBox) {
        self.url = url
        self.process = process
        self.box = box
    }

    deinit {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    /// What it has logged so far.
    var log: String { box.state.withLock { $0.log } }

    var processID: Int32 { process.processIdentifier }

    /// Sends a signal.
    func signal(_ signal: Int32) {
        Foundation.kill(process.processIdentifier, signal)
    }

    /// Waits for its end.
    ///
    /// - Returns: the exit status, or the signal that ended it, negative.
    func wait() async -> Int32 {
        await withCheckedContinuation { continuation in
            let isEnded = box.state.withLock { state in
                if !state.isEnded { state.waiters.append(continuation) }
                return state.isEnded
            }
            if isEnded { continuation.resume() }
        }
        return process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
    }

    /// Stops it as an operator would.
    @discardableResult
    func stop() async -> Int32 {
        signal(SIGTERM)
        return await wait()
    }

    /// Kills it as the kernel would.
    func kill() async {
        signal(SIGKILL)
        _ = await wait()
    }

    private static func readLine(_ pipe: Pipe) -> String {
        var line = Data()
        while let byte = try? pipe.fileHandleForReading.read(upToCount: 1), let first = byte.first, first != 10 {
            line.append(first)
        }
        return String(decoding: line, as: UTF8.self)
    }
}
