import EventLog
import Foundation
import Logging
import PlainHTTP
import Postgres
import Schema
import Testing

/// The service does its whole work as the least of the roles.
@Suite("Roles: the service", .serialized)
struct LeastRightsTests {
    private func work(_ login: TestLogin, _ owner: TestDatabase) async throws {
        let app = try await TestApp.make("first", in: owner)
        let service = try await ServiceProcess.start(database: login.database.url)
        let client = try await ServiceClient.connect(service.url)
        let event = Sample.action(id: "018f3f5e-0000-7000-8000-000000000003")
        let written = try await client.post(event, key: app.write).events
        #expect(written.accepted == 1)
        #expect(try await client.post(event, key: app.write).events.duplicate == 1)
        let bad = #"{"kind":"action_response","device_id":"d1","occurred_at":"yesterday"}"#
        #expect(try await client.post(bad, key: app.write).status == 422)
        let position = try #require(written.position)
        for path in [
            "/v1/reports/engagement?min_position=\(position)", "/v1/reports/activity", "/v1/reports/tokens",
            "/v1/devices/d1", "/v1/devices/d1/events", "/v1/notifications/d1/n1",
        ] {
            let answer = try await client.get(path, key: app.read)
            #expect(answer.status == 200, "\(path): \(answer.text)")
        }
        #expect(try await client.get("/readyz").status == 200)
        #expect(try await client.get("/metrics").text.contains("notilog_database_up 1"))
        let connection = try await owner.connect()
        #expect(try await connection.value("SELECT count(*) FROM log.quarantine") == 1 as Int64)
        let deadline = ContinuousClock.now + .seconds(10)
        while try await connection.value("SELECT count(*) FROM log.tally", as: Int64.self) < 2,
            ContinuousClock.now < deadline
        { try await ContinuousClock().sleep(for: .milliseconds(20)) }
        #expect(try await connection.value("SELECT count(*) FROM log.tally") == 2 as Int64)
        #expect(
            try await connection.value(
                "SELECT count(*) FROM pg_inherits WHERE inhparent = 'log.event'::regclass",
                as: Int64.self
            ) >= 4
        )
        await connection.close()
        await client.connection.close()
        #expect(await service.stop() == 0)
        // Not the number alone: an identifier of a request may hold it.
        for refusal in ["ERROR 42501", "\"level\":\"error\""] {
            #expect(!service.log.contains(refusal), "\(service.log)")
        }
    }

    @Test(
        "events, projections, reports, quarantine, counts and partitions, as a login with no more than memberships",
        .timeLimit(.minutes(15)),
        arguments: ["", "NOINHERIT"]
    )
    func endToEnd(_ attributes: String) async throws {
        try await TestDatabase.withDatabase { database in
            let roles = ["notilog_writer", "notilog_projector"]
            try await TestLogin.with(roles, in: database, attributes: attributes) { login in
                try await work(login, database)
            }
        }
    }

    @Test("a superuser's service takes the least roles, too", .timeLimit(.minutes(15)))
    func superuser() async throws {
        try await ServiceFixture.run { fixture in
            let superuser = try await fixture.database.connect()
            try await superuser.execute(
                script: """
                    CREATE TABLE public.wrote (by name);
                    GRANT INSERT ON public.wrote TO PUBLIC;
                    CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN INSERT INTO public.wrote VALUES (current_user); RETURN NULL; END $$;
                    CREATE TRIGGER note AFTER INSERT ON projection.notification EXECUTE FUNCTION public.note();
                    """
            )
            _ = try await fixture.client.post(Sample.action(), key: fixture.app.write)
            #expect(try await fixture.eventually("SELECT least(count(*), 1) FROM public.wrote", is: 1))
            #expect(try await fixture.number("SELECT count(*) FROM public.wrote WHERE by <> 'notilog_projector'") == 0)
            await superuser.close()
        }
    }

    @Test("a login that may not settle the log is told of once, with what to grant")
    func withoutProjector() async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("first", in: database)
            let owner = try await database.connect()
            try await TestLogin.with(["notilog_writer"], in: database) { login in
                let service = try await ServiceProcess.start(database: login.database.url)
                let client = try await ServiceClient.connect(service.url)
                #expect(try await client.post(Sample.action(), key: app.write).status == 200)
                let message = "this login may not settle the log: GRANT notilog_projector"
                try await eventually("a warning") { service.log.contains(message) }
                var sessions: Set<Int32> = []
                try await eventually("three attempts to settle") {
                    let rows = try await owner.query(
                        "SELECT pid FROM pg_stat_activity WHERE application_name = 'notilog settle' AND datname = current_database()"
                    )
                    sessions.formUnion(try rows.map { try $0.get(0, as: Int32.self) })
                    return sessions.count >= 3
                }
                await client.connection.close()
                await service.stop()
                #expect(service.log.components(separatedBy: message).count == 2, "\(service.log)")
                #expect(!service.log.contains("settled again"), "\(service.log)")
            }
            await owner.close()
        }
    }

    @Test("a rebuild that a superuser began and that ended between its swap and its clean-up does not stop an erasure")
    func erasureBesideAnOldVersion() async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("first", in: database)
            let superuser = try await database.connect()
            let discard: String = try await superuser.value(
                "SELECT pg_get_functiondef('projection.discard'::regproc)"
            )
            let ending = """
                BEGIN
                  IF version LIKE 'projection_old_%' AND to_regnamespace(version) IS NOT NULL THEN
                    RAISE EXCEPTION 'ended here';
                  END IF;
                """
            try await superuser.execute(script: discard.replacing("BEGIN\n", with: ending, maxReplacements: 1))
            let rebuilding = ["projections", "rebuild", "device_token"]
            let environment = ["NOTILOG_DATABASE_URL": database.url]
            let rebuilt = try await NotilogCommand.run(rebuilding, environment: environment)
            #expect(rebuilt.errors.contains("ended here"), "\(rebuilt.errors)")
            try await TestLogin.with(["notilog_writer"], in: database) { login in
                _ = try await Erasure(login.database.configuration).erase("d1", app: app.id)
            }
            try await superuser.execute(script: discard)
            let again = try await NotilogCommand.run(rebuilding, environment: environment)
            #expect(again.status == 0, "\(again.errors)")
            await superuser.close()
        }
    }

    @Test("where roles cannot be made, migrate says what to run, and the owner's service works without them")
    func withoutRoles() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            try await TestLogin.with([], in: database) { login in
                let superuser = try await database.connect()
                let name: String = try await superuser.value("SELECT current_database()::text")
                try await superuser.query("ALTER DATABASE \(name) OWNER TO \(login.name)", cached: false)
                let environment = ["NOTILOG_DATABASE_URL": login.database.url]
                let migrated = try await NotilogCommand.run(["migrate"], environment: environment)
                #expect(migrated.status == 0, "\(migrated.errors)")
                #expect(migrated.errors.contains("roles.sql"), "\(migrated.errors)")
                try await work(login, database)
                // As told: a superuser applies the file; then the next migrate has nothing to say.
                let roles = try ReleaseFolder.locate().read("roles.sql")
                try await superuser.execute(script: roles)
                try await superuser.query("GRANT notilog_owner TO \(login.name)", cached: false)
                let again = try await NotilogCommand.run(["migrate"], environment: environment)
                #expect(again.status == 0)
                #expect(!again.errors.contains("roles.sql"), "\(again.errors)")
                try await superuser.query("ALTER DATABASE \(name) OWNER TO postgres", cached: false)
                await superuser.close()
            }
        }
    }

    @Test("the service's login is told that it could not migrate, not that roles are missing")
    func migratingAsTheService() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLogin.with(["notilog_writer", "notilog_projector"], in: database) { login in
                let environment = ["NOTILOG_DATABASE_URL": login.database.url]
                let migrated = try await NotilogCommand.run(["migrate"], environment: environment)
                #expect(migrated.status == 0 && migrated.output == "the schema is up to date\n", "\(migrated)")
                #expect(migrated.errors.contains("use one that is a member of notilog_owner"), "\(migrated.errors)")
                #expect(!migrated.errors.contains("roles.sql"), "\(migrated.errors)")
                // Where something is missing, what mends it is said as before.
                let owner = try await database.connect()
                try await owner.query("REVOKE SELECT ON log.event FROM notilog_projector", cached: false)
                let lacking = try await NotilogCommand.run(["migrate"], environment: environment)
                #expect(lacking.errors.contains("roles.sql"), "\(lacking.errors)")
                await owner.close()
            }
        }
    }

    @Test("an administrator who is no superuser migrates, makes apps and keys, and grants readers")
    func administrator() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            try await TestLogin.with([], in: database, attributes: "CREATEROLE") { login in
                let superuser = try await database.connect()
                let name: String = try await superuser.value("SELECT current_database()::text")
                try await superuser.query("ALTER DATABASE \(name) OWNER TO \(login.name)", cached: false)
                let environment = ["NOTILOG_DATABASE_URL": login.database.url]
                for command in [
                    ["migrate"], ["apps", "create", "shop"], ["keys", "create", "--app", "shop", "--scope", "write"],
                ] {
                    let result = try await NotilogCommand.run(command, environment: environment)
                    #expect(result.status == 0, "\(command): \(result.errors)")
                    #expect(!result.errors.contains("roles.sql"), "\(result.errors)")
                }
                try await TestLogin.with([], in: database) { reader in
                    let result = try await NotilogCommand.run(
                        ["apps", "grant", "shop", "--to", reader.name],
                        environment: environment
                    )
                    #expect(result.status == 0, "\(result.errors)")
                }
                try await TestLogin.with(["notilog_writer"], in: database) { service in
                    let refused = try await NotilogCommand.run(
                        ["apps", "create", "mine"],
                        environment: ["NOTILOG_DATABASE_URL": service.database.url]
                    )
                    #expect(refused.status == 1)
                    #expect(refused.errors.contains("notilog_owner"))
                }
                #expect(
                    try await superuser.value("SELECT count(*) FROM pg_class WHERE relowner = '\(login.name)'::regrole")
                        == 0 as Int64
                )
                try await superuser.query("ALTER DATABASE \(name) OWNER TO postgres", cached: false)
                await superuser.close()
            }
        }
    }
}
