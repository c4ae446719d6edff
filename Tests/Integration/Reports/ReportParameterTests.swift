import Postgres
import Reports
import Testing

@testable import NotificationEvents

/// Reports without data, and with parameters that they do not accept.
@Suite("Parameters of reports")
struct ReportParameterTests {
    static let reports = [
        "authorization", "categories", "extensions", "frequency", "opt_outs", "push_results", "removals",
    ]

    @Test(arguments: reports) func withoutData(name: String) async throws {
        try await ReportsDatabase.with { database in
            let report = try database.runner.catalogue.report(name)
            for interval in report.parameter("interval")?.accepted ?? [] {
                let pairs: KeyValuePairs = ["interval": interval, "from": "2026-03-01", "tz": "Asia/Kathmandu"]
                #expect(try await database.run(name, pairs).rows.isEmpty)
            }
            #expect(try await database.run(name, ["from": "1970-01-01", "to": "9999-12-31"]).rows.isEmpty)
        }
    }

    @Test(arguments: reports) func whatIsNotAcceptedIsSaid(name: String) async throws {
        try await ReportsDatabase.with { database in
            func refused(_ pairs: KeyValuePairs<String, String>) async -> ReportError? {
                await #expect(throws: ReportError.self) { try await database.run(name, pairs) }
            }
            let unknown = await refused(["intervall": "day"])
            #expect(unknown?.code == .unknownParameter && unknown?.accepted.contains("interval") == true)
            let interval = await refused(["interval": "minute"])
            #expect(interval?.code == .invalidParameter && interval?.message.contains("week, month") == true)
            #expect(await refused(["from": "2026-03-02", "to": "2026-03-01"])?.parameter == "from")
            #expect(await refused(["tz": "Mars/Olympus"])?.parameter == "tz")
            #expect(await refused(["from": "yesterday"])?.parameter == "from")
            let absurd = await refused(["interval": "week", "from": "0001-01-01", "to": "9000-01-01"])
            #expect(absurd?.parameter == "interval")
            // From SQL, a filter that does not exist.
            let error = await #expect(throws: PostgresError.self) {
                try await database.connection.query(
                    "SELECT * FROM report.\(name)('demo', filters => '{\"colour\": [\"red\"]}')",
                    cached: false
                )
            }
            #expect(error?.sqlState == "RP400" && error?.message.contains("accepted: ") == true)
        }
    }
}

/// Filters of dimensions whose values are known.
@Suite("Parameters of reports: closed vocabularies")
struct ReportVocabularyTests {
    @Test(
        "a value that no event can carry is refused, with those that it can",
        arguments: [
            ("engagement", "platform", "iOS"), ("funnel", "trigger", "pushh"),
            ("reachability", "interruption_level", "timeSensitive"),
            ("opt_outs", "authorization_status", "Denied"), ("tokens", "provider", "APNS"),
            ("push_results", "environment", "prod"),
        ]
    )
    func unknownValue(report: String, dimension: String, value: String) async throws {
        try await ReportsDatabase.with { database in
            let error = await #expect(throws: ReportError.self) { try await database.run(report, [dimension: value]) }
            #expect(error?.code == .invalidParameter && error?.parameter == dimension)
            #expect(error?.message.contains("\"\(value)\"; accepted: ") == true, "\(error?.message ?? "")")
        }
    }

    @Test("every dimension may be asked for none; what no snapshot tells is unknown")
    func none() async throws {
        try await ReportsDatabase.with { database in
            for pairs: KeyValuePairs in [
                ["show_previews": "unknown"], ["show_previews": ""], ["platform": "", "category": "whatever"],
            ] {
                let rows = try await database.run("engagement", pairs).rows
                #expect(rows.isEmpty)
            }
        }
    }

    @Test(
        "the values are those that events are checked against",
        arguments: [
            ("platform", Enumeration.platform), ("trigger", .triggerType), ("interruption_level", .interruptionLevel),
            ("environment", .environment),
        ]
    )
    func values(dimension: String, enumeration: Enumeration) async throws {
        try await ReportsDatabase.with { database in
            let known: [String] = try await database.connection.query(
                "SELECT unnest(reporting.known_values($1))",
                [.text(dimension)]
            ).map { try $0.get(0) }
            #expect(known.sorted() == enumeration.cases.map(\.name).sorted())
        }
    }
}
