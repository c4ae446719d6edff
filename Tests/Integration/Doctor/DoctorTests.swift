import Administration
import EventLog
import Foundation
import Logging
import PlainHTTP
import Postgres
import PrivatePostgres
import Schema
import Testing

/// `notilog doctor` finds each thing that is broken, and says what to do.
@Suite("Doctor", .serialized)
struct DoctorTests {
    @Test("what is well is said to be well", .timeLimit(.minutes(15)))
    func healthy() async throws {
        let server = try await PrivatePostgres.start(
            .init(settings: ["max_wal_size": "4GB"]),
            logger: Logger(label: "test.postgres")
        )
        let database = TestDatabase(url: server.url())
        let migrated = try await NotilogCommand.run(["migrate"], environment: ["NOTILOG_DATABASE_URL": database.url])
        #expect(migrated.status == 0)
        let app = try await TestApp.make("first", in: database)
        try await TestLogin.with(["notilog_writer", "notilog_projector", "pg_monitor"], in: database) { login in
            let service = try await ServiceProcess.start(database: login.database.url)
            let client = try await ServiceClient.connect(service.url)
            let event = try await client.post(Sample.action(), key: app.write).events
            _ = try await client.get("/v1/reports/engagement?min_position=\(event.position ?? 0)", key: app.read)
            await client.connection.close()
            let report = try await DoctorReport.run(login.database.url, environment: ["NOTILOG_DOCTOR_FREE_GB": "0"])
            #expect(report.status == 0)
            #expect(
                report.findings.allSatisfy { $0.verdict == "ok" },
                "\(report.findings.filter { $0.verdict != "ok" })"
            )
            #expect(report.findings.count > 25)
            #expect(await service.stop() == 0)
        }
        try await server.stop(.immediate)
    }

    @Test("an instance needs a connection for each lane of its projections")
    func lanes() async throws {
        try await TestDatabase.withDatabase { database in
            var needed: [Int] = []
            for lanes in [2, 4] {
                let rebuilt = try await NotilogCommand.run(
                    ["projections", "rebuild", "notification", "--lanes", "\(lanes)"],
                    environment: ["NOTILOG_DATABASE_URL": database.url]
                )
                #expect(rebuilt.status == 0, "\(rebuilt.output)")
                let report = try await DoctorReport.run(database.url)
                let found = try #require(report.findings.first { $0.check == "connections" }?.found)
                needed.append(try #require(found.split(separator: " ").last.flatMap { Int($0) }, "\(found)"))
            }
            #expect(needed[1] - needed[0] == 2)
        }
    }

    @Test("each cell of a cluster is examined, under its number, and an instance needs its sessions too")
    func cells() async throws {
        try await TestDatabase.withDatabases(2) { databases in
            let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: Logger(label: "test.doctor"))
            try await Cluster(databases[0].configuration, migrator: migrator)
                .form([databases[1].url], coordinatorTakesEvents: true)
            let cell = try await databases[1].connect()
            try await cell.query("ALTER TABLE notilog.app SET (autovacuum_enabled = off)", cached: false)
            await cell.close()
            var needed: [Int] = []
            for lanes in [2, 4] {
                let rebuilt = try await NotilogCommand.run(
                    ["projections", "rebuild", "notification", "--lanes", "\(lanes)"],
                    environment: ["NOTILOG_DATABASE_URL": databases[0].url]
                )
                #expect(rebuilt.status == 0, "\(rebuilt.errors)")
                let report = try await DoctorReport.run(databases[0].url)
                report.expect("warn", "autovacuum (cell 1)", "off for notilog.app")
                report.expect("ok", "settling (cell 1)", "settled up to")
                #expect(report.verdict("notification (cell 1)") != nil)
                #expect(!report.findings.contains { $0.check == "autovacuum" && $0.verdict == "warn" })
                let found = try #require(report.findings.first { $0.check == "connections" }?.found)
                needed.append(try #require(found.split(separator: " ").last.flatMap { Int($0) }, "\(found)"))
            }
            #expect(needed[1] - needed[0] == 4, "both cells are on the server")
        }
    }

    @Test("the cells of a cluster are checked as the service's login, too")
    func cellsAsTheService() async throws {
        try await TestDatabase.withDatabases(2) { databases in
            let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: Logger(label: "test.doctor"))
            try await Cluster(databases[0].configuration, migrator: migrator)
                .form([databases[1].url], coordinatorTakesEvents: true)
            try await TestLogin.with(["notilog_writer", "notilog_projector"], in: databases[0]) { login in
                let cells = try await DoctorReport.run(login.database.url).findings.filter { $0.check == "cells" }
                #expect(cells.map(\.verdict) == ["ok", "ok"], "\(cells)")
                let owner = try await databases[0].connect()
                try await owner.query("UPDATE dblink.cell SET url = 'postgresql://nobody@127.0.0.1:1/nothing'")
                await owner.close()
                let report = try await DoctorReport.run(login.database.url)
                report.expect("fail", "cells", "cell 1 does not answer", advice: "password file")
                report.expect("fail", "cells", "127.0.0.1", advice: "password file")
            }
        }
    }

    @Test func aDatabaseThatDoesNotAnswerOrHoldsNothing() async throws {
        let away = try await DoctorReport.run("postgresql://nobody@127.0.0.1:1/nothing")
        away.expect("fail", "connection", "no answer", advice: "NOTILOG_DATABASE_URL")
        try await TestDatabase.withDatabase(migrated: false) { database in
            try await DoctorReport.run(database.url).expect(
                "fail",
                "schema",
                "no Notilog schema",
                advice: "notilog migrate"
            )
            try await TestLogin.with([], in: database) { login in
                try await DoctorReport.run(login.database.url)
                    .expect("fail", "privileges", "may not create a schema", advice: "GRANT CREATE ON DATABASE")
            }
        }
    }

    @Test func schemasThatAreBehindOrAhead() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            func report() async throws -> DoctorReport { try await DoctorReport.run(database.url) }
            try await connection.query("INSERT INTO migration.applied VALUES (9001, '9001_next.sql', '', now(), 1)")
            try await report().expect("warn", "schema", "a later release migrated it to 9001", advice: "one by one")
            try await connection.query("UPDATE migration.applied SET oldest_service = 9001 WHERE version = 9001")
            try await report().expect(
                "fail",
                "schema",
                "services older than 9001 cannot work on it",
                advice: "that release"
            )
            try await connection.query("DELETE FROM migration.applied WHERE version = 9001")
            try await connection.query("UPDATE migration.replaceable SET checksum = 'another'")
            try await report().expect("fail", "schema", "functions are not those", advice: "notilog migrate")
            try await connection.query(
                "DELETE FROM migration.applied WHERE version = (SELECT max(version) FROM migration.applied)"
            )
            try await report().expect("fail", "schema", "1 migration behind", advice: "notilog migrate")
            try await connection.query("UPDATE migration.applied SET checksum = 'another'")
            try await report().expect("fail", "schema", "has changed since", advice: "the release that migrated it")
            await connection.close()
        }
    }

    @Test func loginsAndRights() async throws {
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            let healthy = try await DoctorReport.run(database.url)
            healthy.expect("warn", "privileges", "postgres is a superuser", advice: "IN ROLE notilog_writer")
            #expect(healthy.verdict("grants") == "ok" && healthy.verdict("append_only") == "ok", "\(healthy.findings)")
            try await TestLogin.with(["notilog_owner"], in: database) { login in
                try await DoctorReport.run(login.database.url)
                    .expect(
                        "warn",
                        "privileges",
                        "has all privileges of the log's owner",
                        advice: "IN ROLE notilog_writer"
                    )
            }
            try await TestLogin.with(["notilog_writer"], in: database) { login in
                try await DoctorReport.run(login.database.url).expect(
                    "fail",
                    "privileges",
                    "is not a member of notilog_projector",
                    advice: "GRANT notilog_projector TO"
                )
            }
            try await owner.execute(
                script: """
                    REVOKE SELECT ON log.event FROM notilog_projector;
                    REVOKE EXECUTE ON FUNCTION log.ensure_partitions(timestamptz, timestamptz) FROM notilog_writer;
                    GRANT DELETE ON log.event TO PUBLIC;
                    GRANT UPDATE ON log.identity TO notilog_writer;
                    ALTER TABLE projection.notification DISABLE ROW LEVEL SECURITY;
                    INSERT INTO notilog.app (name) VALUES ('first');
                    INSERT INTO notilog.reader_app SELECT role, app_id FROM notilog.app, unnest('{gone,postgres}'::text[]) role;
                    """
            )
            let report = try await DoctorReport.run(database.url)
            report.expect("fail", "grants", "may not", advice: "notilog migrate")
            report.expect("fail", "append_only", "and 2 more", advice: "REVOKE")
            report.expect(
                "warn",
                "readers",
                "gone has a grant to an app but does not exist",
                advice: "notilog apps revoke"
            )
            report.expect("warn", "readers", "postgres sees every app", advice: "notilog_reader alone")
            let missing = try await owner.texts("SELECT notilog.missing_rights()")
            #expect(missing.contains("notilog_projector may not SELECT log.event"), "\(missing)")
            #expect(
                missing.contains { $0.hasPrefix("notilog_writer may not call log.ensure_partitions") },
                "\(missing)"
            )
            let superfluous = try await owner.texts("SELECT notilog.superfluous_rights()")
            #expect(
                Set(superfluous) == [
                    "everybody may DELETE log.event", "notilog_writer may UPDATE log.identity",
                    "readers see the rows of every app in projection.notification",
                ]
            )
            // The advice helps.
            #expect(
                try await NotilogCommand.run(["migrate"], environment: ["NOTILOG_DATABASE_URL": database.url]).status
                    == 0
            )
            let mended = try await DoctorReport.run(database.url)
            #expect(mended.verdict("grants") == "ok", "\(mended.findings)")
            await owner.close()
        }
    }

    @Test func settingsOfTheDatabaseAndTheLogin() async throws {
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            let name: String = try await owner.value("SELECT current_database()::text")
            for setting in [
                "default_transaction_isolation = 'repeatable read'",
                "synchronous_commit = off", "idle_session_timeout = '10min'",
            ] { try await owner.query("ALTER DATABASE \(name) SET \(setting)", cached: false) }
            try await owner.execute(
                script: """
                    CREATE SCHEMA wrong;
                    CREATE FUNCTION wrong.clock_timestamp() RETURNS timestamptz LANGUAGE sql
                      AS $$ SELECT pg_catalog.clock_timestamp() + interval '90 seconds' $$;
                    ALTER TABLE projection.notification SET (autovacuum_enabled = off);
                    GRANT USAGE ON SCHEMA wrong TO PUBLIC;
                    """
            )
            try await TestLogin.with(
                ["notilog_writer", "notilog_projector"],
                in: database,
                attributes: "CONNECTION LIMIT 4"
            ) { login in
                try await owner.query("ALTER ROLE \(login.name) SET search_path = wrong, pg_catalog", cached: false)
                try await owner.query("ALTER ROLE \(login.name) SET default_transaction_read_only = on", cached: false)
                let report = try await DoctorReport.run(
                    login.database.url,
                    environment: ["NOTILOG_DOCTOR_FREE_GB": "100000000"]
                )
                report.expect("fail", "isolation", "repeatable read", advice: "log.append")
                report.expect(
                    "fail",
                    "writable",
                    "default_transaction_read_only is on",
                    advice: "nothing can be stored"
                )
                report.expect("warn", "commits", "synchronous_commit is off", advice: "set it to on")
                report.expect("warn", "idle_session_timeout", "600000", advice: "close idle sessions of the pool")
                report.expect("fail", "connections", "of 4 in use", advice: "CONNECTION LIMIT")
                report.expect("warn", "autovacuum", "projection.notification", advice: "RESET (autovacuum_enabled)")
                report.expect("warn", "clock", "ms behind the database's", advice: "NTP")
                // Who may not see the data folder cannot see its disk; the tests' superuser can.
                report.expect("warn", "disk", "its free space is not seen", advice: "GRANT pg_monitor TO")
                try await DoctorReport.run(database.url, environment: ["NOTILOG_DOCTOR_FREE_GB": "100000000"])
                    .expect("warn", "disk", "GB are free", advice: "free some space")
            }
            await owner.close()
        }
    }

    @Test func theLogAndWhatIsComputedFromIt() async throws {
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            let app = try await TestApp.make("first", in: database)
            try await TestLog.with(database) { log in
                _ = try await log.log.append(SampleEvents.batch(3), app: app.id)
            }
            var report = try await DoctorReport.run(database.url)
            report.expect("fail", "settling", "is not settled", advice: "projections.enabled")
            report.expect("fail", "partitions", "none for this month", advice: "notilog serve")
            report.expect("warn", "notification", "3 events", advice: "notilog serve")

            // An append that is held open keeps its epoch from being drained.
            let holder = try await database.connect()
            try await holder.query("BEGIN")
            try await holder.query("SELECT lock.shared('epoch_' || epoch % 2) FROM log.state")
            try await owner.query("UPDATE log.state SET epoch = epoch + 1")
            report = try await DoctorReport.run(database.url, environment: ["NOTILOG_DOCTOR_IDLE_SECONDS": "0"])
            report.expect("fail", "settling", "an append is still open", advice: "see idle_transactions")
            report.expect("warn", "idle_transactions", "idle in a transaction", advice: "pg_terminate_backend(")
            await holder.close()

            try await owner.execute(
                script: """
                    SELECT log.ensure_partitions(now(), now());
                    SELECT log.ensure_partitions(now() - interval '3 years', now() - interval '3 years');
                    CREATE TABLE log.event_default PARTITION OF log.event DEFAULT;
                    INSERT INTO log.event (position, received_at, occurred_at, effective_at, id, app_id, utc_offset,
                      schema_version, time_clamped, kind, device_id, data)
                    VALUES (nextval('log.position'), '2040-01-01', now(), now(), gen_random_uuid(), 1, 0, 1, false, 'delivery', 'd', '{}');
                    INSERT INTO log.quarantine (app_id, key_id, received_at, code, pointer, message, length, digest)
                    SELECT 1, '', now(), 'c', '', '', 1, gen_random_uuid() FROM generate_series(1, 1001);
                    INSERT INTO projection.checkpoint (name, position, failure) VALUES ('notification', 1, 'division by zero');
                    INSERT INTO projection.checkpoint (name, position, paused) VALUES ('device_token', 1, true);
                    INSERT INTO projection.set_aside (schema_name, leader, position, sqlstate, error)
                    VALUES ('projection', 'device_token', 2, '22012', 'a poison event');
                    """
            )
            report = try await DoctorReport.run(database.url)
            report.expect("warn", "partitions", "days ahead", advice: "log.ensure_partitions")
            report.expect("warn", "default_partition", "log.event_default holds", advice: "move the events")
            report.expect("warn", "retention", "the oldest partition ended", advice: "notilog retention run")
            report.expect("warn", "quarantine", "1001 in the last day", advice: "notilog quarantine list")
            // As much as a service keeps of an app: what comes is lost.
            try await owner.execute(
                script: """
                    INSERT INTO notilog.app (name) VALUES ('full');
                    INSERT INTO log.quarantine_usage (app_id, code, items, bytes)
                    SELECT app_id, 'c', 100000, 1000 FROM notilog.app WHERE name = 'full';
                    """
            )
            try await DoctorReport.run(database.url)
                .expect("fail", "quarantine", "full for full", advice: "notilog quarantine list")
            report.expect("fail", "notification", "division by zero", advice: "retries by itself")
            report.expect(
                "warn",
                "device_token",
                "1 event set aside, the first at position 2: a poison event",
                advice: "notilog projections"
            )
            report.expect("warn", "device_token", "paused", advice: "notilog projections resume device_token")

            try await owner.query("UPDATE projection.checkpoint SET position = 1000000 WHERE name = 'notification'")
            try await DoctorReport.run(database.url)
                .expect("fail", "incarnation", "notification continued to 1000000", advice: "went back in time")
            try await owner.query("SELECT setval('log.position', 1)")
            try await DoctorReport.run(database.url).expect(
                "fail",
                "incarnation",
                "its sequence is at 1",
                advice: "setval('log.position', 4)"
            )
            await owner.close()
        }
    }

    @Test("an erasure that is unfinished, and a ledger whose secret is missing")
    func erasures() async throws {
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            try await owner.execute(script: "INSERT INTO notilog.app (name) VALUES ('first')")
            let sound = try await DoctorReport.run(database.url)
            sound.expect("ok", "erasure", "no erasure is unfinished")
            sound.expect("ok", "ledger", "can be identified")
            // A device was erased before there was a secret.
            try await owner.execute(script: "SELECT log.erasure_begin(1, 'early'); DELETE FROM log.erasure_pending")
            let late = try await DoctorReport.run(database.url, environment: ["NOTILOG_ERASURE_SECRET": "hush"])
            late.expect("warn", "ledger", "NOTILOG_ERASURE_SECRET has no effect", advice: "unset it")
            try await owner.execute(
                script:
                    "INSERT INTO log.erasure_pending VALUES (1, 'half'); UPDATE log.erasure_secret SET secret = NULL, proof = 'x'"
            )
            let report = try await DoctorReport.run(database.url)
            report.expect("warn", "erasure", "the erasure of 1 device is unfinished", advice: "notilog serve")
            report.expect("fail", "ledger", "secret", advice: "NOTILOG_ERASURE_SECRET")
            await owner.close()
        }
    }

    @Test func appsAndKeysAndTheCertificate() async throws {
        try await TestDatabase.withDatabase { database in
            try await DoctorReport.run(database.url).expect("warn", "keys", "there is no app", advice: "apps create")
            let owner = try await database.connect()
            try await owner.execute(
                script: """
                    INSERT INTO notilog.app (name, hash_ids) VALUES ('bare', false), ('strict', true), ('bold', false);
                    INSERT INTO notilog.api_key (key_id, app_id, scope, hash)
                    SELECT name, app_id, CASE name WHEN 'bold' THEN 'admin' ELSE 'write' END, sha256(name::bytea)
                    FROM notilog.app WHERE name <> 'bare';
                    """
            )
            try await TestCertificate.withFolder { folder in
                let soon = try await TestCertificate.make("soon", in: folder, days: 5)
                let other = try await TestCertificate.make("other", in: folder)
                let report = try await DoctorReport.run(
                    database.url,
                    environment: ["NOTILOG_TLS_CERTIFICATE": soon.certificate, "NOTILOG_TLS_KEY": soon.key]
                )
                report.expect("warn", "keys", "bare has no key", advice: "notilog keys create --app bare")
                report.expect("warn", "keys", "bold has only keys of scope admin", advice: "can be extracted")
                report.expect("fail", "keys", "strict stores ids as keyed hashes", advice: "NOTILOG_ID_HASH_SECRET")
                report.expect("warn", "tls", "is valid for 4 days", advice: "SIGHUP")
                try await DoctorReport.run(
                    database.url,
                    environment: ["NOTILOG_TLS_CERTIFICATE": soon.certificate, "NOTILOG_TLS_KEY": other.key]
                ).expect("fail", "tls", "is not the key of the certificate", advice: "does not start")
            }
            await owner.close()
        }
    }
}
