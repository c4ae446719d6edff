import EventLog
import Foundation
import Postgres
import Testing

/// A reader's role sees its apps and nothing of others, in every report and every table.
@Suite("Roles: readers", .serialized)
struct ReaderTests {
    @Test("two readers crossed on every report function and every table", .timeLimit(.minutes(15)))
    func crossed() async throws {
        try await TwoApps.with { apps in
            let owner = try await apps.database.connect()
            let tables = try await owner.texts(
                """
                SELECT c.oid::regclass::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'app_id'
                WHERE c.relnamespace::regnamespace::text IN ('notilog', 'log', 'projection', 'readable')
                  AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition ORDER BY 1
                """
            )
            let reports = try await owner.texts(
                "SELECT proname::text FROM pg_proc WHERE pronamespace = 'report'::regnamespace AND proargnames[1] = 'app' "
                    + "AND proretset ORDER BY 1"
            )
            try #require(tables.count >= 15 && reports.count >= 5)
            for (own, other) in [(apps.first, apps.second), (apps.second, apps.first)] {
                try await TestLogin.with([], in: apps.database) { login in
                    let granted = try await NotilogCommand.run(
                        ["apps", "grant", own.name, "--to", login.name],
                        environment: ["NOTILOG_DATABASE_URL": apps.database.url]
                    )
                    #expect(granted.status == 0, "\(granted.errors)")
                    let reader = try await login.database.connect()
                    for table in tables {
                        try await compare(table, own: own, owner: owner, reader: reader)
                    }
                    var answered = 0
                    // The same for both: some rows say where a range that ends now begins.
                    let asOf = try #require(try await owner.texts("SELECT now()::text").first)
                    for report in reports {
                        let call = "SELECT r::text FROM report.\(report)(app => $1, as_of => $2::timestamptz) r"
                        let rows = try await reader.texts(call, [.text(own.name), .text(asOf)])
                        #expect(
                            try await rows == owner.texts(call, [.text(own.name), .text(asOf)]),
                            "report.\(report)"
                        )
                        if !rows.isEmpty { answered += 1 }
                        await #expect(throws: PostgresError.self, "report.\(report) of another app") {
                            try await reader.texts(call, [.text(other.name), .text(asOf)])
                        }
                    }
                    #expect(answered >= 5)
                    let command = try await NotilogCommand.run(
                        ["report", "engagement", "--by", "category", "--app", own.name],
                        environment: ["NOTILOG_DATABASE_URL": login.database.url]
                    )
                    #expect(command.status == 0 && !command.output.isEmpty, "\(command.errors)")
                    await reader.close()
                }
            }
            await owner.close()
        }
    }

    /// What of the log and of Notilog's own tables readers may see; of projections it is all.
    private static let open = [
        "log.event", "log.quarantine", "log.tally", "log.upcast_event", "log.upcast_snapshot", "notilog.app",
        "notilog.push_console", "notilog.annotation", "notilog.saved_view", "notilog.reader_app",
    ]

    /// A table is refused, or shows all rows of the reader's app and none of another's.
    private func compare(_ table: String, own: TestApp, owner: Connection, reader: Connection) async throws {
        guard table.hasPrefix("projection.") || table.hasPrefix("readable.") || Self.open.contains(table) else {
            #expect(try await reader.refusal("SELECT * FROM \(table)") == "42501", "\(table) is open to readers")
            return
        }
        let expected: Int64 = try await owner.value("SELECT count(*) FROM \(table) WHERE app_id = \(own.id)")
        let seen: Int64 = try await reader.value("SELECT count(*) FROM \(table)")
        let others: Int64 = try await reader.value("SELECT count(*) FROM \(table) WHERE app_id <> \(own.id)")
        #expect(others == 0, "\(table)")
        #expect(seen == expected, "\(table)")
    }

    @Test("a function in the condition never gets to see another app's rows")
    func leakyFunction() async throws {
        try await TestDatabase.withDatabase { database in
            let first = try await TestApp.make("first", in: database)
            let second = try await TestApp.make("second", in: database)
            try await TestLog.with(database) { log in
                _ = try await log.log.append(SampleEvents.batch(5, device: "mine"), app: first.id)
                _ = try await log.log.append(SampleEvents.batch(5, device: "secret"), app: second.id)
            }
            let owner = try await database.connect()
            try await TestLogin.with(["notilog_reader"], in: database) { login in
                try await owner.query("SELECT notilog.grant_reader('first', $1)", [.text(login.name)])
                let reader = try await login.database.connect()
                try await reader.execute(
                    script: """
                        CREATE TEMP TABLE seen (device_id text);
                        CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001
                          AS 'BEGIN INSERT INTO pg_temp.seen VALUES ($1); RETURN true; END';
                        SELECT FROM log.event WHERE pg_temp.leak(device_id);
                        SELECT FROM log.event a JOIN log.event b USING (position) WHERE pg_temp.leak(a.device_id);
                        """
                )
                #expect(try await reader.texts("SELECT DISTINCT device_id FROM pg_temp.seen") == ["mine"])
                await reader.close()
            }
            await owner.close()
        }
    }

    @Test("a reader without an app sees nothing; a grant and its end count at once, and an unknown role or app is said")
    func grants() async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("first", in: database)
            try await TestLog.with(database) { log in
                _ = try await log.log.append(SampleEvents.batch(4), app: app.id)
            }
            let environment = ["NOTILOG_DATABASE_URL": database.url]
            try await TestLogin.with(["notilog_reader"], in: database) { login in
                let reader = try await login.database.connect()
                let count = "SELECT count(*) FROM log.event"
                #expect(try await reader.value(count) == 0 as Int64)
                _ = try await NotilogCommand.run(
                    ["apps", "grant", "first", "--to", login.name],
                    environment: environment
                )
                #expect(try await reader.value(count) == 4 as Int64)
                let list = try await NotilogCommand.run(["apps", "readers", "--json"], environment: environment)
                #expect(list.output.contains(login.name))
                let revoked = try await NotilogCommand.run(
                    ["apps", "revoke", "first", "--from", login.name],
                    environment: environment
                )
                #expect(revoked.status == 0)
                #expect(try await reader.value(count) == 0 as Int64)
                let again = try await NotilogCommand.run(
                    ["apps", "revoke", "first", "--from", login.name],
                    environment: environment
                )
                #expect(again.status == 1)
                #expect(again.errors.contains("notilog apps readers"))
                await reader.close()
            }
            let noRole = try await NotilogCommand.run(
                ["apps", "grant", "first", "--to", "nobody"],
                environment: environment
            )
            #expect(noRole.status == 1)
            #expect(noRole.errors.contains("CREATE ROLE nobody LOGIN"))
            // All readers are members of it: the app would be open to each of them.
            for role in ["notilog_reader", "notilog_writer", "notilog_projector", "notilog_owner", ""] {
                let own = try await NotilogCommand.run(
                    ["apps", "grant", "first", "--to", role],
                    environment: environment
                )
                #expect(own.status == 1 && own.errors.contains("name the login that may read the app"), "\(own.errors)")
            }
            let noApp = try await NotilogCommand.run(
                ["apps", "grant", "none", "--to", "nobody"],
                environment: environment
            )
            #expect(noApp.errors.contains("notilog apps create none"))
        }
    }

    @Test(
        "a schema that is made at runtime comes out with the same rights, and keeps them when it takes the other's place"
    )
    func rebuiltSchema() async throws {
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            try await owner.query("INSERT INTO notilog.app (name) VALUES ('first'), ('second')")
            try await TestLogin.with(["notilog_projector"], in: database) { service in
                let projector = try await service.database.connect(settings: ["role": "notilog_projector"])
                try await projector.execute(
                    script: """
                        CREATE SCHEMA projection_next;
                        SET search_path = projection_next;
                        CREATE TABLE token_accepted (LIKE projection.token_accepted INCLUDING ALL);
                        CREATE VIEW accepted AS SELECT app_id, provider FROM token_accepted;
                        CREATE TABLE inner_working (n integer);
                        SELECT notilog.grant_projection('projection_next');
                        SELECT notilog.grant_projection('projection_next');
                        INSERT INTO token_accepted SELECT a, 'apns', 't', now(), 'd', gen_random_uuid() FROM generate_series(1, 2) a;
                        ALTER SCHEMA projection RENAME TO projection_old;
                        ALTER SCHEMA projection_next RENAME TO projection;
                        """
                )
                await projector.close()
            }
            try await TestLogin.with(["notilog_writer"], in: database) { login in
                let writer = try await login.database.connect()
                #expect(try await writer.value("SELECT count(*) FROM projection.accepted") == 2 as Int64)
                #expect(try await writer.refusal("DELETE FROM projection.token_accepted") == "42501")
                await writer.close()
            }
            try await TestLogin.with(["notilog_reader"], in: database) { login in
                try await owner.query("SELECT notilog.grant_reader('second', $1)", [.text(login.name)])
                let reader = try await login.database.connect()
                #expect(try await reader.texts("SELECT app_id::text FROM projection.token_accepted") == ["2"])
                #expect(try await reader.texts("SELECT app_id::text FROM projection.accepted") == ["2"])
                #expect(try await reader.refusal("SELECT * FROM projection.inner_working") == "42501")
                await reader.close()
            }
            await owner.close()
        }
    }

    @Test(
        "a reader stores nothing outside tables, and doctor says where nobody could forbid it",
        arguments: ["lo_create(0)", "lo_creat(-1)", "lo_from_bytea(0, 'x')", "pg_logical_emit_message(true, 'x', 'x')"]
    )
    func storing(_ call: String) async throws {
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            try await TestLogin.with(["notilog_reader"], in: database) { login in
                let reader = try await login.database.connect()
                #expect(try await reader.refusal("SELECT \(call)") == "42501")
                #expect(try await DoctorReport.run(database.url).findings.allSatisfy { $0.check != "readers" })
                let function = call.prefix { $0 != "(" }
                try await owner.query(
                    "DO $$ DECLARE f regprocedure; BEGIN FOR f IN SELECT oid FROM pg_proc WHERE proname = '\(function)' LOOP EXECUTE 'GRANT EXECUTE ON FUNCTION ' || f || ' TO PUBLIC'; END LOOP; END $$",
                    cached: false
                )
                try await DoctorReport.run(database.url).expect(
                    "warn",
                    "readers",
                    "may fill the disk",
                    advice: "superuser"
                )
                await reader.close()
            }
            await owner.close()
        }
    }

    @Test(
        "row security costs the service nothing: its plans are those of the owner",
        arguments: [
            "SELECT count(*) FROM log.event WHERE position > 5 AND position <= 90 AND kind IN ('request', 'delivery')",
            "SELECT * FROM log.event WHERE app_id = 1 AND device_id = 'd' ORDER BY effective_at LIMIT 50",
            "SELECT category, count(*) FROM projection.notification WHERE app_id = 1 AND cohort_at >= now() - interval '1 day' GROUP BY 1",
            "SELECT * FROM projection.device_token t JOIN projection.token_event e USING (app_id, token) WHERE t.app_id = 1",
        ]
    )
    func plans(_ sql: String) async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            try await connection.query("SELECT log.ensure_partitions(now() - interval '1 month', now())")
            let expected = try await connection.texts("EXPLAIN (COSTS OFF) " + sql)
            for role in ["notilog_writer", "notilog_projector"] {
                try await connection.set(["role": role])
                #expect(try await connection.texts("EXPLAIN (COSTS OFF) " + sql) == expected, "\(role)")
                try await connection.set(["role": "none"])
            }
            await connection.close()
        }
    }
}
