import Foundation
import Logging
import Postgres
import Reports
import Schema
import Testing

/// A report is one file in `sql/reports`: nothing else has to know of it (docs/architecture.md).
struct AddedReportTests {
    private static let report = """
        -- report: installations
        -- purpose: Devices by the app's version, as each reported it last.
        -- reads: device_period
        --
        -- parameter: from | time | 30 days before to | a time | Devices that reported at or after this time
        -- parameter: to | time | now | a time | What they said before this time
        -- parameter: tz | zone | UTC | an IANA time zone | Time zone of dates
        -- filters:
        -- table: app_version, devices
        --
        -- column: app_version | text | | The version; null if unknown
        -- column: devices | bigint | devices | Devices whose newest context says this version
        CREATE OR REPLACE FUNCTION report.installations(
          app text, "from" text DEFAULT NULL, "to" text DEFAULT NULL, tz text DEFAULT 'UTC', filters jsonb DEFAULT '{}',
          as_of timestamptz DEFAULT now())
        RETURNS TABLE (app_version text, devices bigint)
        LANGUAGE plpgsql STABLE SET jit = off AS $$
        DECLARE
          app_number integer := reporting.app_id(app);
          period     record;
        BEGIN
          period := reporting.period("from", "to", tz, as_of);
          RETURN QUERY
            SELECT d.value->>'app_version', count(*)
            FROM (
              SELECT DISTINCT ON (p.device_id) p.value
              FROM projection.device_period p
              WHERE p.app_id = app_number AND p.series = 'context' AND p.first_at < period.to_at AND p.last_at >= period.from_at
              ORDER BY p.device_id, p.first_at DESC, p.first_id DESC
            ) d
            GROUP BY 1 ORDER BY 2 DESC, 1;
        END $$;
        """

    @Test func aFileIsAReport() async throws {
        try await ProjectionFolder.with { folder in
            let file = URL(fileURLWithPath: folder.sql.path).appendingPathComponent("reports/installations.sql")
            try Data(Self.report.utf8).write(to: file)
            try await ReportsDatabase.with { database in
                let migrator = Migrator(folder: folder.sql, logger: Logger(label: "test.architecture"))
                _ = try await migrator.migrate(on: database.connection)
                try await database.append([
                    ReportsDatabase.event(
                        "settings",
                        "A",
                        nil,
                        "2026-03-01T00:00:00Z",
                        ["context": ["app_version": "1"]]
                    ),
                    ReportsDatabase.event(
                        "settings",
                        "A",
                        nil,
                        "2026-03-02T00:00:00Z",
                        ["context": ["app_version": "2"]]
                    ),
                    ReportsDatabase.event(
                        "settings",
                        "B",
                        nil,
                        "2026-03-02T00:00:00Z",
                        ["context": ["app_version": "2"]]
                    ),
                ])
                try await database.apply()
                let runner = ReportRunner(catalogue: try ReportCatalogue(folder: folder.sql), pool: database.pool)
                let parameters = try ReportParameters(
                    [("from", "2026-03-01"), ("to", "2026-03-20")],
                    for: try runner.catalogue.report("installations")
                )
                let result = try await runner.run(parameters, app: "demo")
                #expect(result.rows == [[.text("2"), .integer(2)]])
            }
        }
    }
}
