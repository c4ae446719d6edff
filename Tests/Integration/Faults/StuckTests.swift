import Foundation
import Logging
import PlainHTTP
import Postgres
import PrivatePostgres
import Testing

@testable import EventLog

/// Guarantee 7: one stuck reader, an idle transaction or a long report never blocks ingest nor stops projections for
/// good; a stuck appender is cut off by its timeouts.
@Suite("Faults: hanging processes", .serialized)
struct StuckTests {
    /// Posts an event and waits until a report has it.
    private func roundTrip(_ fixture: ServiceFixture, _ client: ServiceClient, within limit: Duration) async throws
        -> Duration
    {
        let start = ContinuousClock.now
        let answer = try await inTime(limit) {
            try await client.post(Sample.action(notification: "\(UUID())"), key: fixture.app.write)
        }
        #expect(answer.status == 200)
        let position = try answer.events.position ?? .max
        try await eventually("projections at position \(position)", within: limit) {
            try await fixture.number("SELECT coalesce(min(position), 0) FROM projection.checkpoint") >= position
        }
        return ContinuousClock.now - start
    }

    private func inTime<Value: Sendable>(
        _ limit: Duration,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await within(limit, "an answer", body)
    }

    @Test(
        "held transactions, stuck readers and long reports block neither ingest nor projections",
        .timeLimit(.minutes(15))
    )
    func readers() async throws {
        try await ServiceFixture.run(["database.read_timeout_seconds": "8"]) { fixture in
            _ = try await roundTrip(fixture, fixture.client, within: .seconds(20))
            // A transaction that has read everything and has an id, and stays.
            let idle = try await fixture.database.connect()
            try await idle.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            try await idle.query(
                "SELECT (SELECT count(*) FROM log.event), (SELECT count(*) FROM projection.notification)"
            )
            try await idle.query("CREATE TEMP TABLE with_a_transaction_id ()", cached: false)
            // Reports that take long: more of them than there are connections for reading.
            let owner = try await fixture.database.connect()
            let original = try await owner.value(
                "SELECT pg_get_functiondef('reporting.app_id'::regproc)",
                as: String.self
            )
            try await owner.execute(
                script: """
                    CREATE OR REPLACE FUNCTION reporting.app_id(app text) RETURNS integer LANGUAGE plpgsql STABLE
                    AS 'BEGIN PERFORM pg_sleep(60); RETURN 1; END'
                    """
            )
            let url = fixture.service.url
            let key = fixture.app.read
            // Of one key's only two are made at a time.
            var keys = [key]
            for number in 2...4 { keys.append(try await TestApp.make("app\(number)", in: fixture.database).read) }
            let reports = (keys + keys).map { key in
                Task {
                    let client = try await ServiceClient.connect(url)
                    let status = try await client.get("/v1/reports/engagement", key: key).status
                    await client.connection.close()
                    return status
                }
            }
            try await eventually("reports that wait", within: .seconds(60)) {
                try await fixture.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") >= 4
            }
            for _ in 0..<5 {
                let took = try await roundTrip(fixture, fixture.client, within: .seconds(5))
                #expect(took < .seconds(5))
            }
            // What ingest itself writes beside the log has connections of its own, too.
            let mixed = "[\(Sample.action(notification: "good")),{\"kind\":\"no such kind\"}]"
            let client = fixture.client
            let write = fixture.app.write
            let answer = try await inTime(.seconds(4)) { try await client.post(mixed, key: write) }
            #expect(answer.status == 200)
            #expect(try answer.events.rejected == 1)
            #expect(try await inTime(.seconds(4)) { try await client.get("/readyz") }.status == 200)
            // The reports end by their own timeouts, and whoever waits for a connection is told.
            for report in reports {
                let status = try await within(.seconds(40), "the end of a long report") { try await report.value }
                #expect(status == 503)
            }
            try await owner.execute(script: original)
            try await idle.query("ROLLBACK")
            #expect(try await client.get("/v1/reports/engagement", key: key).status == 200)
            for connection in [owner, idle] { await connection.close() }
        }
    }

    @Test("an appender that hangs in its transaction is cut off, and the log moves", .timeLimit(.minutes(15)))
    func appender() async throws {
        try await TestDatabase.withDatabase { database in
            let stuck = try await database.connect(settings: EventLog.sessionSettings)
            let connection = try await database.connect()
            try await TestLog.with(database) { test in
                try await stuck.query("BEGIN")
                try await StuckAppend.append(on: stuck)
                let start = ContinuousClock.now
                guard case .stored(let position)? = try await test.log.append(SampleEvents.batch(3), app: 1).last else {
                    Issue.record("not stored")
                    return
                }
                let other = database
                let settled = try await within(.seconds(20), "a settled position") {
                    let settling = try await other.connect()
                    let settled = try await Settler.settleNow(on: settling)
                    await settling.close()
                    return settled
                }
                #expect(settled >= position)
                #expect(ContinuousClock.now - start < .seconds(8), "idle_in_transaction_session_timeout is 5 s")
                #expect(ContinuousClock.now - start > .seconds(3), "it was not waited for")
                await #expect(throws: PostgresError.self) { try await stuck.query("COMMIT") }
                let count: Int64 = try await connection.value("SELECT count(*) FROM log.event")
                #expect(count == 3, "what was cut off is not in the log")
            }
            await connection.close()
        }
    }

    @Test("a service that hangs as settler and projector makes room for another", .timeLimit(.minutes(15)))
    func frozenService() async throws {
        try await ServiceFixture.run { fixture in
            _ = try await roundTrip(fixture, fixture.client, within: .seconds(20))
            let second = try await ServiceProcess.start(database: fixture.database.url)
            let client = try await ServiceClient.connect(second.url)
            // The first one has the settler's lock; it is frozen with that, as a virtual machine is that is moved.
            fixture.service.signal(SIGSTOP)
            let took = try await roundTrip(fixture, client, within: .seconds(25))
            #expect(took < .seconds(20), "the settler's session is given up after 5 s, a projector's after 10 s")
            print("a frozen settler was replaced after \(took)")
            fixture.service.signal(SIGCONT)
            for _ in 0..<3 { _ = try await roundTrip(fixture, fixture.client, within: .seconds(10)) }
            await client.connection.close()
            #expect(await second.stop() == 0)
        }
    }

    @Test(
        "a sender is answered in time where the server hangs, and where it waits for a writer",
        .timeLimit(.minutes(15))
    )
    func frozenServer() async throws {
        try await TestDatabase.withServer { server, database in
            let line = try FaultProxy(to: .socket(path: MovedLog.socket(server)))
            defer { line.close() }
            let connection = try await database.connect()
            try await Partitions.ensure(from: SampleEvents.noon, to: SampleEvents.noon, on: connection)
            await connection.close()
            let configuration = ConnectionConfiguration(
                connectionString:
                    "postgresql://postgres@127.0.0.1:\(line.port)/postgres?sslmode=disable&gssencmode=disable"
            )
            let log = EventLog(configuration, signal: LogSignal(), logger: Logger(label: "test.log"))
            let running = Task { await log.run() }
            _ = try await log.append(SampleEvents.batch(1), app: 1)
            line.drop(true)
            let start = ContinuousClock.now
            // More of them than there are writers.
            try await withThrowingTaskGroup(of: Duration.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        await #expect(throws: AppendError.self) {
                            try await log.append(SampleEvents.batch(1), app: 1)
                        }
                        return ContinuousClock.now - start
                    }
                }
                for try await took in group { #expect(took < .seconds(17)) }
            }
            line.drop(false)
            running.cancel()
            await running.value
        }
    }

    @Test("a server that swallows everything does not hold a writer for good", .timeLimit(.minutes(15)))
    func silentServer() async throws {
        try await TestDatabase.withServer { server, database in
            let line = try FaultProxy(to: .socket(path: MovedLog.socket(server)))
            defer { line.close() }
            let configuration = ConnectionConfiguration(
                connectionString:
                    "postgresql://postgres@127.0.0.1:\(line.port)/postgres?sslmode=disable&gssencmode=disable",
                settings: ["statement_timeout": "1s"]
            )
            let connection = try await Connection.connect(configuration)
            try await connection.query("SELECT 1")
            line.drop(true)
            let start = ContinuousClock.now
            await #expect(throws: PostgresError.self) {
                try await within(.seconds(30), "an end of the statement") { try await connection.query("SELECT 2") }
            }
            #expect(ContinuousClock.now - start < .seconds(15))
            await connection.close()
        }
    }
}

/// An append in a transaction that somebody else ends.
enum StuckAppend {
    static func append(on connection: Connection) async throws {
        let slice = SubmissionPart(app: 1, events: SampleEvents.batch(2)[...])
        try await connection.query(AppendParameters.sql, AppendParameters.make([slice]))
    }
}
