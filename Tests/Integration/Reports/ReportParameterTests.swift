import Postgres
import Reports
import Testing

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
