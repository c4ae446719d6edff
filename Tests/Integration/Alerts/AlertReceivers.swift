import Foundation
import Testing

/// Receivers of alerts and digests, in a process of their own: Tests/Alerts/receiver.py.
final class AlertReceivers: Sendable {
    struct Receipt: Decodable, Sendable {
        struct Body: Decodable, Sendable {
            var timestamp: String?
            struct Message: Decodable, Sendable {
                struct Raised: Decodable, Sendable {
                    var id: Int64
                    var cell: [String: String]
                    var value: Double?
                    var volume: Int64
                    var bound: Double?
                    var usual: Double?
                    var low: Double?
                    var high: Double?
                }

                var app: String
                var rule: String
                var unit: String?
                var day: String
                var position: Int64
                var link: String
                var alerts_total: Int64
                var alerts: [Raised]
            }

            var type: String?
            var data: Message?
            var text: String?
        }

        struct Image: Decodable, Sendable {
            var id: String
            var width: Int
            var height: Int
            var colours: [String]
        }

        var path: String
        var id: String?
        var verified: Bool?
        var body: Body?
        var to: [String]?
        var subject: String?
        var text: String?
        var html: String?
        var types: [String]?
        var defects: [String]?
        var images: [Image]?
        var tls: Bool?
        var authenticated: Bool?
    }

    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    let folder: URL
    let plainPort: Int
    let securePort: Int
    let mailPort: Int
    private let process: Process
    private let input: Pipe

    private init(_ folder: URL, _ ports: [Int], _ process: Process, _ input: Pipe) {
        self.folder = folder
        (plainPort, securePort, mailPort) = (ports[0], ports[1], ports[2])
        self.process = process
        self.input = input
    }

    /// Starts them, and ends them after a test.
    static func with(_ body: (AlertReceivers) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: ProgramRun.python)
        let program = try ProgramRun.repository().appendingPathComponent("Tests/Alerts/receiver.py").path
        process.arguments = [program, folder.path, secret]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["PYTHONPATH": try ProgramRun.packages(), "PYTHONDONTWRITEBYTECODE": "1"]) { _, new in new }
        let (input, output) = (Process.pipe(), Process.pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.begin()
        defer {
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
        let line = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var line = Data()
                while let byte = try? output.fileHandleForReading.read(upToCount: 1), let first = byte.first,
                    first != 10
                {
                    line.append(first)
                }
                continuation.resume(returning: String(decoding: line, as: UTF8.self))
            }
        }
        let ports = line.split(separator: " ").dropFirst().compactMap { Int($0) }
        try #require(ports.count == 3, "\(line)")
        try await body(AlertReceivers(folder, ports, process, input))
    }

    /// What came so far.
    func receipts() throws -> [Receipt] {
        guard let data = try? Data(contentsOf: folder.appendingPathComponent("received.ndjson")) else { return [] }
        // The last line may be half written.
        let lines = data.split(separator: 10, omittingEmptySubsequences: false).dropLast()
        return try lines.map { try JSONDecoder().decode(Receipt.self, from: $0) }
    }

    /// Waits until what came is as it should be.
    func eventually(within duration: Duration = .seconds(30), _ isSo: ([Receipt]) -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + duration
        while try !isSo(receipts()) {
            guard ContinuousClock.now < deadline else { return false }
            try await ContinuousClock().sleep(for: .milliseconds(20))
        }
        return true
    }

    /// Settings of a service that delivers to them.
    var settings: [String: String] {
        [
            "delivery.webhook_secret": Self.secret, "delivery.private_receivers": "true",
            "delivery.attempt_seconds": "2",
            "delivery.certificate_authorities": folder.appendingPathComponent("certificate.pem").path,
            "delivery.page_url": "https://page.example", "mail.host": "localhost", "mail.port": String(mailPort),
            "mail.user": "notilog", "mail.password": "sesame", "mail.from": "notilog@example.com",
        ]
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(plainPort)\(path)" }
    func secureURL(_ path: String) -> String { "https://localhost:\(securePort)\(path)" }
}
