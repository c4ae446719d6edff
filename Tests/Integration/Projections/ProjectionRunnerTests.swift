import EventLog
import Logging
import NotificationEvents
import Postgres
import Schema
import Testing

@testable import Projections

@Suite("Projections: the runner")
struct ProjectionRunnerTests {
    /// Two projections that only write down what they were given; `b` goes no further than `a`.
    private static let functions = """
        SET check_function_bodies = off;
        CREATE TABLE projection.seen (name text, event uuid);
        CREATE TABLE projection.poison (event uuid);
        CREATE FUNCTION projection.a_apply(after bigint, upto bigint) RETURNS void LANGUAGE sql AS $$
          INSERT INTO seen SELECT 'a', id FROM event WHERE position > after AND position <= upto $$;
        CREATE FUNCTION projection.b_apply(after bigint, upto bigint) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          IF EXISTS (SELECT FROM event JOIN poison ON event = id WHERE position > after AND position <= upto) THEN
            RAISE 'it is poison' USING ERRCODE = '22000';
          END IF;
          INSERT INTO seen SELECT 'b', id FROM event WHERE position > after AND position <= upto;
        END $$;
        """

    private func runner(_ database: TestDatabase, _ signal: LogSignal, batch: Int64 = 7) throws -> ProjectionRunner {
        let catalogue = try ProjectionCatalogue([
            ProjectionDefinition(folder: "a", sql: "-- projection: a"),
            ProjectionDefinition(folder: "b", sql: "-- projection: b\n-- after: a"),
        ])
        return ProjectionRunner(
            database.configuration,
            catalogue: catalogue,
            signal: signal,
            options: .init(batchLimit: batch, pollInterval: .milliseconds(20)),
            logger: Logger(label: "test.projections")
        )
    }

    private func expectSeenOnce(_ connection: Connection, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        for name in ["a", "b"] {
            let missed: Int = try await connection.value(
                "SELECT count(*) FROM log.event e WHERE (SELECT count(*) FROM projection.seen WHERE name = $1 AND event = e.id) <> 1",
                [.text(name)]
            )
            #expect(missed == 0, sourceLocation: sourceLocation)
        }
    }

    @Test("every event reaches every projection once, with three services and runners that are killed in mid-batch")
    func exactlyOnce() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            try await connection.execute(script: Self.functions)
            try await TestLog.with(database) { test in
                let settler = Settler(
                    database.configuration,
                    signal: test.signal,
                    logger: Logger(label: "test.settler")
                )
                var services = [Task { await settler.run() }]
                for _ in 0..<3 {
                    let runner = try runner(database, test.signal)
                    services.append(Task { await runner.run() })
                }
                defer { services.forEach { $0.cancel() } }
                var last: Int64 = 0
                for round in 0..<40 {
                    let results = try await test.log.append(SampleEvents.batch(Int.random(in: 1...20)), app: 1)
                    if case .stored(let position)? = results.last { last = max(last, position.rawValue) }
                    if round % 8 == 3 {
                        try await connection.query(
                            """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE application_name = 'notilog projections' AND datname = current_database()
                            """
                        )
                    }
                }
                let checkpoints = ProjectionCheckpoints(
                    catalogue: try runner(database, test.signal).catalogue,
                    pool: Pool(database.configuration, limit: 2)
                )
                #expect(try await checkpoints.waitUntil(position: last, timeout: .seconds(60)))
                try await expectSeenOnce(connection)
                let status = try await checkpoints.status()
                #expect(status.map(\.name) == ["a", "b"])
                #expect(status.allSatisfy { $0.failure == nil && $0.lagSeconds == 0 && $0.position >= last })
                #expect(try await !checkpoints.waitUntil(position: last + 1000, timeout: .milliseconds(50)))
            }
        }
    }

    @Test("events that come one by one are gathered: batches begin no more often than the period says")
    func gathering() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            try await connection.execute(script: Self.functions)
            try await TestLog.with(database) { test in
                let settler = Settler(
                    database.configuration,
                    signal: test.signal,
                    logger: Logger(label: "test.settler")
                )
                let runner = try runner(database, test.signal, batch: 10_000)
                let services = [Task { await settler.run() }, Task { await runner.run() }]
                defer { services.forEach { $0.cancel() } }
                let begun = ContinuousClock.now
                var last: Int64 = 0
                while ContinuousClock.now - begun < ProjectionRunner.period * 4 {
                    let results = try await test.log.append(SampleEvents.batch(1), app: 1)
                    if case .stored(let position)? = results.last { last = position.rawValue }
                }
                let checkpoints = ProjectionCheckpoints(
                    catalogue: runner.catalogue,
                    pool: Pool(database.configuration, limit: 2)
                )
                #expect(try await checkpoints.waitUntil(position: last, timeout: .seconds(60)))
                let periods = (ContinuousClock.now - begun) / ProjectionRunner.period
                let batches: Int64 = try await connection.value(
                    "SELECT count(DISTINCT xmin::text) FROM projection.seen WHERE name = 'a'"
                )
                #expect(batches >= 2 && Double(batches) <= periods + 1)
                try await expectSeenOnce(connection)
            }
        }
    }

    @Test("a failure that is no event's fault holds back that projection alone, until its cause is gone; exactly once")
    func failure() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            try await connection.execute(script: Self.functions)
            try await TestLog.with(database) { test in
                let runner = try runner(database, test.signal, batch: 100)
                let checkpoints = ProjectionCheckpoints(
                    catalogue: runner.catalogue,
                    pool: Pool(database.configuration, limit: 2)
                )
                _ = try await test.log.append(SampleEvents.batch(50), app: 1)
                try await connection.query("ALTER TABLE projection.poison RENAME TO gone")
                let settler = Settler(
                    database.configuration,
                    signal: test.signal,
                    logger: Logger(label: "test.settler")
                )
                let services = [Task { await settler.run() }, Task { await runner.run() }]
                defer { services.forEach { $0.cancel() } }
                #expect(try await checkpoints.waitUntil(position: 50, projections: ["a"], timeout: .seconds(30)))
                try await eventually("the failure is recorded") {
                    try await checkpoints.status()[1].failure?.contains("does not exist") == true
                }
                #expect(try await checkpoints.position(of: ["b"]) == 0)
                #expect(try await checkpoints.setAside().isEmpty)
                try await connection.query("ALTER TABLE projection.gone RENAME TO poison")
                #expect(try await checkpoints.waitUntil(position: 50, timeout: .seconds(60)))
                try await expectSeenOnce(connection)
                #expect(try await checkpoints.status()[1].failure == nil)
            }
        }
    }

    @Test("paused, it stops; resumed, it continues; catching up settles and applies all")
    func pause() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            try await connection.execute(script: Self.functions)
            try await TestLog.with(database) { test in
                let runner = try runner(database, test.signal)
                let checkpoints = ProjectionCheckpoints(
                    catalogue: runner.catalogue,
                    pool: Pool(database.configuration, limit: 2)
                )
                try await checkpoints.setPaused(true, projection: "b")
                _ = try await test.log.append(SampleEvents.batch(30), app: 1)
                #expect(try await runner.catchUp() == 30)
                #expect(try await checkpoints.status().map(\.position) == [30, 0])
                #expect(try await checkpoints.status().map(\.isPaused) == [false, true])
                #expect(try await checkpoints.status()[1].lagEvents == 30)
                try await checkpoints.setPaused(false, projection: "b")
                try await runner.catchUp()
                try await expectSeenOnce(connection)
                await #expect(throws: SchemaError.self) { try await checkpoints.setPaused(true, projection: "c") }
            }
        }
    }

    @Test("the repository's own projections are applied to what the log holds")
    func ownProjections() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database) { test in
                let runner = ProjectionRunner(
                    database.configuration,
                    catalogue: try ProjectionCatalogue(folder: ReleaseFolder.locate()),
                    signal: test.signal,
                    logger: Logger(label: "test.projections")
                )
                _ = try await test.log.append(SampleEvents.batch(5), app: 1)
                #expect(try await runner.catchUp() == 5)
                let connection = try await database.connect()
                #expect(try await connection.value("SELECT count(*) FROM projection.notification") == 1)
            }
        }
    }
}
