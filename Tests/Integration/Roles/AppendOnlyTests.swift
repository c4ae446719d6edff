import EventLog
import Postgres
import Testing

/// Guarantee 15: the log is append-only for every role but the owner's own functions.
@Suite("Roles: the log is append-only")
struct AppendOnlyTests {
    private static let tables = ["log.event", "log.identity", "log.quarantine", "log.tally", "notilog.api_key"]

    /// Statements that nobody of the service or its readers may run.
    private static let forbidden: [String] =
        tables.flatMap { table in
            [
                "DELETE FROM \(table)", "TRUNCATE \(table)", "DROP TABLE \(table)",
                "ALTER TABLE \(table) ADD COLUMN x integer",
                "ALTER TABLE \(table) OWNER TO CURRENT_USER", "UPDATE \(table) SET app_id = 1",
                "CREATE INDEX ON \(table) (app_id)",
                "CREATE RULE r AS ON INSERT TO \(table) DO INSTEAD NOTHING",
            ]
        } + [
            "UPDATE log.event SET data = '{}'", "UPDATE log.event SET effective_at = now()",
            "UPDATE log.identity SET position = 1", "UPDATE log.quarantine SET item = '{}'",
            "INSERT INTO log.event SELECT * FROM log.event", "INSERT INTO log.identity SELECT * FROM log.identity",
            "ALTER TABLE log.event DISABLE ROW LEVEL SECURITY", "DROP POLICY reader ON log.event",
            "CREATE POLICY mine ON log.event USING (true)",
            "UPDATE log.state SET incarnation = gen_random_uuid()", "DELETE FROM log.state", "DROP SCHEMA log CASCADE",
            "SELECT setval('log.position', 1)", "ALTER SEQUENCE log.position RESTART", "DROP FUNCTION log.is_surrogate",
            "CREATE OR REPLACE FUNCTION lock.held_table(lock_name text) RETURNS text LANGUAGE sql AS 'SELECT lock_name'",
            "CREATE TABLE log.mine ()", "CREATE FUNCTION report.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
            "INSERT INTO notilog.reader_app SELECT current_user, app_id FROM notilog.app",
            "UPDATE notilog.reader_app SET role_name = current_user", "INSERT INTO notilog.app (name) VALUES ('mine')",
            "UPDATE notilog.app SET keep_reply_text = true", "UPDATE migration.applied SET checksum = ''",
            "SET ROLE notilog_owner",
        ]

    @Test(
        "changing or removing what is in the log is refused, with every right of the service and the readers together",
        arguments: [
            ["notilog_writer"], ["notilog_projector"], ["notilog_reader"],
            ["notilog_writer", "notilog_projector", "notilog_reader"],
        ]
    )
    func refused(_ roles: [String]) async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database) { log in
                _ = try await log.log.append(SampleEvents.batch(3), app: 1)
            }
            let owner = try await database.connect()
            let partitions = try await owner.texts(
                "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'log.event'::regclass LIMIT 1"
            )
            try #require(partitions.count == 1)
            try await TestLogin.with(roles, in: database) { login in
                let connection = try await login.database.connect()
                let onPartition = partitions.flatMap {
                    [
                        "DELETE FROM \($0)", "UPDATE \($0) SET data = '{}'", "TRUNCATE \($0)", "DROP TABLE \($0)",
                        "INSERT INTO \($0) SELECT * FROM \($0)", "ALTER TABLE log.event DETACH PARTITION \($0)",
                    ]
                }
                // A partition has no row security of its own.
                let reading = roles == ["notilog_reader"] ? partitions.map { "SELECT * FROM \($0)" } : []
                for sql in Self.forbidden + onPartition + reading {
                    #expect(try await connection.refusal(sql) == "42501", "\(roles) may: \(sql)")
                }
                await connection.close()
            }
            #expect(try await owner.value("SELECT count(*) FROM log.event") == 3 as Int64)
            await owner.close()
        }
    }

    @Test("what a role needs it may do")
    func allowed() async throws {
        let jobs: [String: [String]] = [
            "notilog_writer": [
                "SELECT count(*) FROM log.event", "SELECT * FROM notilog.api_key",
                "SELECT count(*) FROM projection.notification",
                "SELECT log.ensure_partitions(now(), now())", "SELECT checksum FROM migration.applied",
                "UPDATE log.quarantine SET replayed_at = now()", "SELECT last_value FROM log.position",
            ],
            "notilog_projector": [
                "SELECT count(*) FROM log.event", "DELETE FROM projection.notification",
                "TRUNCATE projection.engagement",
                "UPDATE projection.checkpoint SET position = 0", "UPDATE log.state SET epoch = epoch + 1",
                "CREATE SCHEMA projection_made", "CREATE TEMP TABLE t AS SELECT FROM projection.notification",
                "ANALYZE projection.notification", "ALTER SCHEMA projection RENAME TO projection_old",
            ],
            "notilog_reader": [
                "SELECT * FROM projection.device_settings", "SELECT * FROM projection.notification",
                "SELECT * FROM log.event",
                "SELECT * FROM projection.checkpoint",
            ],
        ]
        try await TestDatabase.withDatabase { database in
            for (role, statements) in jobs {
                try await TestLogin.with([role], in: database) { login in
                    let connection = try await login.database.connect()
                    for sql in statements {
                        #expect(try await connection.refusal(sql) == nil, "\(role) may not: \(sql)")
                    }
                    await connection.close()
                }
            }
        }
    }
}
