import EventLog
import Foundation
import Postgres
import Reports
import Schema
import Testing

/// What an analyst finds who connects as a reader: explained, readable by any tool, and as the documentation says.
@Suite("Roles: analysts", .serialized)
struct AnalystTests {
    @Test("nothing that a reader may read or call lacks a comment")
    func comments() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            let relations = try await connection.texts(
                """
                SELECT c.oid::regclass::text FROM pg_class c
                WHERE c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition AND obj_description(c.oid, 'pg_class') IS NULL
                  AND c.relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
                  AND has_table_privilege('notilog_reader', c.oid, 'SELECT')
                """
            )
            #expect(relations == [])
            let columns = try await connection.texts(
                """
                SELECT c.oid::regclass || '.' || a.attname FROM pg_class c
                JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                WHERE c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition AND col_description(c.oid, a.attnum) IS NULL
                  AND c.relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
                  AND has_table_privilege('notilog_reader', c.oid, 'SELECT')
                """
            )
            #expect(columns == [])
            let functions = try await connection.texts(
                """
                SELECT p.oid::regprocedure::text FROM pg_proc p
                WHERE p.pronamespace::regnamespace::text IN ('report', 'reporting', 'readable', 'notilog', 'log', 'projection')
                  AND coalesce(obj_description(p.oid, 'pg_proc'), '') = ''
                """
            )
            #expect(functions == [])
            // A column's own line, a report's header, and what compares projections goes by.
            let said = try await connection.texts(
                """
                SELECT col_description('projection.notification'::regclass, attnum) FROM pg_attribute
                WHERE attrelid = 'projection.notification'::regclass AND attname = 'scheduled_for'
                UNION ALL
                SELECT col_description('readable.received'::regclass, attnum) FROM pg_attribute
                WHERE attrelid = 'readable.received'::regclass AND attname = 'last_position'
                UNION ALL
                SELECT substring(obj_description('report.authorization'::regproc, 'pg_proc') FROM '  granted, [^:]*')
                """
            )
            #expect(
                said == [
                    "earliest scheduled_for, shifted with its event's clock", "book-keeping",
                    "  granted, bigint, devices",
                ]
            )
            await connection.close()
        }
    }

    @Test("a comment says of a column what a reader finds there")
    func commentsOfViews() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            let infinite = try await connection.texts(
                """
                SELECT a.attrelid::regclass || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                WHERE c.relnamespace = 'readable'::regnamespace AND a.attnum > 0
                  AND col_description(c.oid, a.attnum) ~ 'infinity' AND col_description(c.oid, a.attnum) !~ 'readable null'
                """
            )
            #expect(infinite == [])
            let said = try await connection.texts(
                """
                SELECT format('%s.%s: %s', c.relname, a.attname, col_description(c.oid, a.attnum))
                FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                WHERE c.relnamespace = 'readable'::regnamespace AND (c.relname, a.attname) IN (('annotation', 'at'),
                  ('app', 'made_by'), ('notification', 'delivery_observable'), ('notification', 'shown_at'), ('saved_view', 'position'))
                ORDER BY c.relname, a.attname
                """
            )
            #expect(
                said == [
                    "annotation.at: the time that it is about",
                    "app.made_by: the app whose key created this one, by its number; null if an operator did",
                    "notification.delivery_observable: sent with mutable_content to a device that has ever sent a delivery"
                        + " from a service extension and whose settings did not say denied; in counts, the number",
                    "notification.shown_at: start of the time to a response; null if unknown",
                    "saved_view.position: the settled position of the log when this definition was saved",
                ]
            )
            await connection.close()
        }
    }

    @Test("the schema report holds reports, and nothing else")
    func reportsAlone() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            let catalogue = try ReportCatalogue(folder: ReleaseFolder.locate())
            let reports = catalogue.reports + catalogue.listings
            var expected: [String] = reports.map(\.name)
            for report in reports {
                for parameter in report.parameters where parameter.kind == .dimensions {
                    let dimensions = parameter.accepted.filter { $0 != "none" && $0 != ReportDefinition.ownDimension }
                    try #require(!dimensions.isEmpty)
                    expected += dimensions.map { "\(report.name)_by_\($0)" }
                }
            }
            let found = try await connection.texts(
                "SELECT proname::text FROM pg_proc WHERE pronamespace = 'report'::regnamespace"
            )
            #expect(found.sorted() == expected.sorted())
            await connection.close()
        }
    }

    @Test(
        "views for readers hold no infinity and no bytea, and every example of docs/sql.md runs",
        .timeLimit(.minutes(5))
    )
    func reading() async throws {
        try await TwoApps.with { apps in
            try await TestLogin.with([], in: apps.database) { login in
                let granted = try await NotilogCommand.run(
                    ["apps", "grant", apps.first.name, "--to", login.name],
                    environment: ["NOTILOG_DATABASE_URL": apps.database.url]
                )
                try #require(granted.status == 0, "\(granted.errors)")
                let reader = try await login.database.connect()
                try await noBytesAndNoInfinity(reader)
                let owner = try await apps.database.connect()
                try await owner.query(
                    "SELECT notilog.save_view($1, 'news by week', 'engagement', '{\"by\": [\"category\"]}')",
                    [.app(apps.first.id)]
                )
                await owner.close()
                try await examples(reader, app: apps.first)
                try await why(reader, apps)
                for (report, dimension) in [
                    ("engagement", "trigger"), ("response_times", "category"), ("experiment", "campaign"),
                ] {
                    let arguments = "app => $1, as_of => '2030-01-01', \"from\" => '2020-01-01'"
                    let named = try await reader.texts(
                        "SELECT (to_jsonb(r) - '\(dimension)' || jsonb_build_object('by_1', \(dimension), 'by_2', null))::text "
                            + "FROM report.\(report)_by_\(dimension)(\(arguments)) r",
                        [.text(apps.first.name)]
                    )
                    let plain = try await reader.texts(
                        "SELECT to_jsonb(r)::text FROM report.\(report)(\(arguments), \"by\" => '{\(dimension)}') r",
                        [.text(apps.first.name)]
                    )
                    #expect(!plain.isEmpty && named == plain, "\(report)")
                }
                await reader.close()
            }
        }
    }

    private func noBytesAndNoInfinity(_ reader: Connection) async throws {
        let bytes = try await reader.texts(
            """
            SELECT a.attrelid::regclass || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            WHERE c.relnamespace = 'readable'::regnamespace AND a.atttypid = 'bytea'::regtype
            """
        )
        #expect(bytes == [])
        let times = try await reader.query(
            """
            SELECT c.relname::text, string_agg(format('NOT isfinite(%I)', a.attname), ' OR ')
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            WHERE c.relnamespace = 'readable'::regnamespace AND a.atttypid = 'timestamptz'::regtype
            GROUP BY 1
            """
        )
        try #require(times.count > 15)
        for time in times {
            let (view, isInfinite): (String, String) = (try time.get(0), try time.get(1))
            let infinite = try await reader.texts("SELECT count(*)::text FROM readable.\(view) WHERE \(isInfinite)")
            #expect(infinite == ["0"], "readable.\(view)")
        }
        // Where there was something to be changed.
        let held = try await reader.texts(
            """
            SELECT count(*)::text FROM projection.notification WHERE NOT isfinite(occurrence) HAVING count(*) > 0
            UNION ALL SELECT count(*)::text FROM readable.notification WHERE occurrence IS NULL HAVING count(*) > 0
            UNION ALL SELECT 'hex' FROM readable.device_token WHERE token ~ '^[0-9a-f]{64}$' HAVING count(*) > 0
            UNION ALL SELECT 'claim' FROM readable.notification_ending WHERE last_rejection ~ '^(rejected: |dead_token$)' HAVING count(*) > 0
            """
        )
        #expect(held.count == 4)
    }

    private func why(_ reader: Connection, _ apps: TwoApps) async throws {
        let links = "count(*)::text FROM readable.why($1, $2, $3)"
        for (app, expected) in [(apps.first, "7"), (apps.second, nil)] {
            let owner = try await apps.database.connect()
            let one = try await owner.query(
                "SELECT device_id, notification_id FROM readable.notification WHERE app_id = $1 AND cohort_at IS NOT NULL LIMIT 1",
                [.app(app.id)]
            ).only()
            let ids: [Parameter] = [.text(try one.get(0)), .text(try one.get(1))]
            #expect(try await owner.texts("SELECT \(links)", [.text(app.name)] + ids) == ["7"])
            let said = try? await reader.texts("SELECT \(links)", [.text(app.name)] + ids)
            #expect(said?.first == expected)
            // Not by its number either.
            let chain = "SELECT count(*)::text FROM notilog.verdict($1, $2, $3)"
            #expect(try await reader.texts(chain, [.app(app.id)] + ids) == [expected ?? "0"])
            await owner.close()
        }
        let silent = try await reader.texts(
            """
            SELECT DISTINCT w.link || ' ' || w.verdict || ' ' || w.reason FROM readable.notification n
            CROSS JOIN readable.why($1, n.device_id, n.notification_id, n.occurrence) w WHERE w.sentence = w.link || ': ' || w.verdict
            """,
            [.text(apps.first.name)]
        )
        #expect(silent == [], "reasons without a sentence")
    }

    private func examples(_ reader: Connection, app: TestApp) async throws {
        let text = try ReleaseFolder.locate().readShared("docs/sql.md")
        let examples = text.components(separatedBy: "```sql\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        try #require(examples.count >= 8)
        for example in examples {
            try await reader.query(example.replacingOccurrences(of: "'shop'", with: "'\(app.name)'"), cached: false)
        }
    }
}
