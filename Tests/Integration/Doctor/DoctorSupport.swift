import Foundation
import Testing

/// What `notilog doctor --json` says.
struct DoctorReport: Sendable {
    struct Finding: Decodable, Sendable {
        var check: String
        var verdict: String
        var found: String
        var advice: String?
    }

    var status: Int32
    var findings: [Finding]

    static func run(_ url: String, environment: [String: String] = [:]) async throws -> DoctorReport {
        let result = try await NotilogCommand.run(
            ["doctor", "--json"],
            environment: environment.merging(["NOTILOG_DATABASE_URL": url]) { given, _ in given }
        )
        let findings = try JSONDecoder().decode([Finding].self, from: Data(result.output.utf8))
        return DoctorReport(status: result.status, findings: findings)
    }

    /// Expects a finding whose sentence and advice hold these words, and the exit code that goes with a failure.
    func expect(
        _ verdict: String,
        _ check: String,
        _ found: String,
        advice: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let candidates = findings.filter { $0.check == check }
        let isThere = candidates.contains {
            $0.verdict == verdict && $0.found.contains(found) && advice.map(($0.advice ?? "").contains) ?? true
        }
        #expect(isThere, "\(check): \(candidates)", sourceLocation: sourceLocation)
        if verdict == "fail" { #expect(status == 1, sourceLocation: sourceLocation) }
    }

    func verdict(_ check: String) -> String? {
        findings.first { $0.check == check }?.verdict
    }
}
