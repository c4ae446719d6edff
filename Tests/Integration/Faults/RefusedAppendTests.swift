import PlainHTTP
import Postgres
import Testing

/// A PostgreSQL that answers and takes no events: senders and `/readyz` are told why, and all goes on by itself afterwards.
@Suite("Faults: appends that PostgreSQL refuses", .serialized)
struct RefusedAppendTests {
    @Test("a read-only database, and that it takes writes again though no event comes", .timeLimit(.minutes(5)))
    func readOnly() async throws {
        try await ServiceFixture.run { fixture in
            let (client, key) = (fixture.client, fixture.app.write)
            #expect(try await client.get("/readyz").status == 200)
            let owner = try await fixture.database.connect()
            let name: String = try await owner.value("SELECT quote_ident(current_database())")
            try await owner.query("ALTER DATABASE \(name) SET default_transaction_read_only = on", cached: false)
            // Sessions keep the default that they began with, as before a restart.
            try await owner.query(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'notilog %' AND datname = current_database()"
            )
            try await eventually("a service that is not ready, before an event comes", within: .seconds(60)) {
                let ready = try await client.get("/readyz")
                return ready.status == 503 && ready.text.contains(#""append":"the database is read-only""#)
            }
            let refused = try await client.post(Sample.action(), key: key)
            #expect(refused.status == 503)
            let problem = try refused.problem
            #expect(problem.code == "database_unavailable")
            #expect(problem.detail == "the database is read-only: send the request again later, with the same ids")
            let ready = try await client.get("/readyz")
            #expect(ready.status == 503, "\(ready.text)")

            try await owner.query("ALTER DATABASE \(name) RESET default_transaction_read_only", cached: false)
            try await eventually("a service that is ready, before an event comes", within: .seconds(60)) {
                try await client.get("/readyz").status == 200
            }
            // A writer whose session began meanwhile is refused once more.
            try await eventually("a stored event", within: .seconds(60)) {
                try await client.post(Sample.action(), key: key).status == 200
            }
            try await eventually("a service that is ready", within: .seconds(60)) {
                try await client.get("/readyz").status == 200
            }
            await owner.close()
        }
    }

    @Test("a full disk, until an event is stored", .timeLimit(.minutes(5)))
    func fullDisk() async throws {
        try await ServiceFixture.run { fixture in
            let (client, key) = (fixture.client, fixture.app.write)
            #expect(try await client.post(Sample.action(), key: key).status == 200)
            let owner = try await fixture.database.connect()
            try await owner.execute(
                script: """
                    CREATE FUNCTION public.find_no_space() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN RAISE EXCEPTION 'could not extend file "base/1/2": No space left on device' USING ERRCODE = 'disk_full'; END $$;
                    CREATE TRIGGER find_no_space BEFORE INSERT ON log.event FOR EACH ROW EXECUTE FUNCTION public.find_no_space();
                    """
            )
            let refused = try await client.post(Sample.action(notification: "n2"), key: key)
            #expect(refused.status == 503)
            let detail = try refused.problem.detail
            #expect(detail == "the database's disk is full: send the request again later, with the same ids")
            try await eventually("a service that is not ready", within: .seconds(10)) {
                let ready = try await client.get("/readyz")
                return ready.status == 503 && ready.text.contains(#""append":"the database's disk is full""#)
            }
            #expect(fixture.service.log.contains("53100"), "the log has the cause")

            try await owner.query("DROP TRIGGER find_no_space ON log.event", cached: false)
            try await eventually("a stored event", within: .seconds(60)) {
                try await client.post(Sample.action(notification: "n2"), key: key).status == 200
            }
            // At once, not after the minute that a refusal counts without events.
            try await eventually("a service that is ready", within: .seconds(30)) {
                try await client.get("/readyz").status == 200
            }
            await owner.close()
        }
    }
}
