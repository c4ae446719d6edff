import ArgumentParser
import Postgres

/// `notilog doctor`: checks everything that the service depends on, and says what to do.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the database and the log, and say what to do.",
        usage: "notilog doctor [<options>]",
        discussion: """
            Checks connection, version, schema, settings, clock, disk, connections, idle
            transactions, replication slots, rights, settling, partitions, retention,
            quarantine, keys, projections, cells, the standby for reports, alerts and
            digests, their deliveries and the TLS certificate; of a cluster, each of its
            cells. Run it as the service's login, with its settings. The exit code is 1 if
            something must be fixed; warnings alone exit with 0.

            Example:
              notilog doctor --json
            """
    )

    @OptionGroup var options: SettingsOptions

    @Flag(name: .customLong("json"), help: "Write the findings as JSON.")
    var asJSON = false

    func run() async throws {
        let settings = try await options.settings()
        let findings = await Examination(settings: settings).findings()
        if asJSON {
            try JSONOutput.print(findings)
        } else {
            for finding in findings { Console.print(finding.line) }
        }
        let failed = findings.filter { $0.verdict == .fail }.map(\.check)
        guard failed.isEmpty else {
            Console.note("must be fixed: \(failed.joined(separator: ", "))")
            throw ExitCode(1)
        }
    }
}

/// The result of one check.
struct Finding: Encodable, Sendable {
    /// Its verdict.
    enum Verdict: String, Encodable, Sendable {
        case ok, warn, fail
    }

    var check: String
    var verdict: Verdict
    /// The facts.
    var found: String
    /// What to do; nil if nothing is wrong.
    var advice: String?

    static func ok(_ check: String, _ found: String) -> Finding {
        Finding(check: check, verdict: .ok, found: found)
    }

    static func warn(_ check: String, _ found: String, _ advice: String) -> Finding {
        Finding(check: check, verdict: .warn, found: found, advice: advice)
    }

    static func fail(_ check: String, _ found: String, _ advice: String) -> Finding {
        Finding(check: check, verdict: .fail, found: found, advice: advice)
    }

    /// The same, under the number of the cell that it is of.
    func of(cell: Int16) -> Finding {
        var copy = self
        copy.check = "\(check) (cell \(cell))"
        return copy
    }

    var line: String {
        let mark = verdict.rawValue.padded(to: 4)
        return "\(mark)  \(check.padded(to: 12))  \(found)"
            + (advice.map { "\n      \("".padded(to: 12))  → \($0)" } ?? "")
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
