import Foundation
import Synchronization
import Testing

/// A self-signed certificate of a test's own, made by openssl.
struct TestCertificate: Sendable {
    let certificate: String
    let key: String

    static func make(_ name: String, in folder: URL, days: Int = 30) async throws -> TestCertificate {
        let made = TestCertificate(
            certificate: folder.appendingPathComponent("\(name).pem").path,
            key: folder.appendingPathComponent("\(name).key.pem").path
        )
        let result = try await OpenSSL.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", made.key, "-out", made.certificate, "-days", String(days), "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
        ])
        try #require(result.status == 0, "\(result.output)")
        return made
    }

    /// What a service is set up with.
    var settings: [String: String] { ["tls.certificate": certificate, "tls.key": key] }

    /// Puts this one where another one is.
    func replace(_ other: TestCertificate) throws {
        for (from, to) in [(key, other.key), (certificate, other.certificate)] {
            try Data(contentsOf: URL(fileURLWithPath: from)).write(to: URL(fileURLWithPath: to))
        }
    }

    static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }
}

/// The openssl command.
enum OpenSSL {
    struct Result: Sendable {
        var status: Int32
        var output: String
    }

    /// Runs it to its end, at most 20 seconds.
    static func run(_ arguments: [String], input: String = "") async throws -> Result {
        let process = process(arguments)
        let (input_, output) = (Process.pipe(), Process.pipe())
        process.standardInput = input_
        process.standardOutput = output
        process.standardError = output
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                do {
                    try process.begin()
                    try input_.fileHandleForWriting.write(contentsOf: Data(input.utf8))
                    try input_.fileHandleForWriting.close()
                    let data = try output.fileHandleForReading.readToEnd() ?? Data()
                    process.waitUntilExit()
                    continuation.resume(
                        returning: Result(
                            status: process.terminationStatus,
                            output: String(decoding: data, as: UTF8.self)
                        )
                    )
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    static func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["timeout", "20", "openssl"] + arguments
        return process
    }

    /// The arguments for a client that trusts one certificate alone.
    static func client(_ url: String, trusting certificate: TestCertificate) -> [String] {
        [
            "s_client", "-connect", url.replacingOccurrences(of: "https://", with: ""), "-servername", "localhost",
            "-CAfile", certificate.certificate, "-verify_return_error", "-verify_hostname", "localhost", "-quiet",
        ]
    }

    /// One request over TLS.
    static func get(_ path: String, _ url: String, trusting certificate: TestCertificate) async throws -> Result {
        try await run(
            client(url, trusting: certificate),
            input: "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
    }
}

/// A connection over TLS that stays open.
final class OpenTLSConnection: Sendable {
    private let process: Process
    private let input = Process.pipe()
    private let received = Mutex("")

    init(_ url: String, trusting certificate: TestCertificate) throws {
        process = OpenSSL.process(OpenSSL.client(url, trusting: certificate))
        let output = Process.pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.begin()
        Thread.detachNewThread { [self] in
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                received.withLock { $0 += String(decoding: data, as: UTF8.self) }
            }
        }
    }

    /// Sends a request, and says whether so many answers in all have come within some seconds.
    func get(_ path: String, answers: Int) async throws -> Bool {
        try input.fileHandleForWriting.write(
            contentsOf: Data("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        )
        let deadline = ContinuousClock.now + .seconds(10)
        while received.withLock({ $0.components(separatedBy: "HTTP/1.1 200").count - 1 }) < answers {
            guard ContinuousClock.now < deadline else { return false }
            try await ContinuousClock().sleep(for: .milliseconds(10))
        }
        return true
    }

    func close() {
        try? input.fileHandleForWriting.close()
        process.terminate()
    }
}
