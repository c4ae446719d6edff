import EventLog
import Logging
import Postgres
import Projections
import Schema
import Testing

/// Batches are as large as they can be in a short time: an erasure waits for one, and a killed one is done again.
@Suite("Projections: the size of batches")
struct ProjectionBatchSizeTests {
    /// A projection that writes down the sizes of its batches, takes `seconds` for each position, and is out of memory beyond
    /// `most` positions.
    private static let functions = """
        CREATE TABLE projection.batch (number bigserial, size bigint);
        CREATE TABLE projection.pace AS SELECT 0::double precision AS seconds, 1000000::bigint AS most;
        CREATE FUNCTION projection.sized_apply(after bigint, upto bigint) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          IF upto - after > (SELECT most FROM projection.pace) THEN RAISE 'out of memory' USING ERRCODE = '53200'; END IF;
          PERFORM pg_sleep((upto - after) * seconds) FROM projection.pace;
          INSERT INTO projection.batch (size) VALUES (upto - after);
        END $$;
        """

    /// Runs the projection.
    private func run(
        batchLimit: Int64,
        _ body: (ProjectionFixture) async throws -> Void
    ) async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.connection.execute(script: Self.functions)
            let runner = ProjectionRunner(
                fixture.database.configuration,
                catalogue: try ProjectionCatalogue([ProjectionDefinition(folder: "sized", sql: "-- projection: sized")]
                ),
                signal: LogSignal(),
                options: .init(
                    batchLimit: batchLimit,
                    pollInterval: .milliseconds(20),
                    timeLimit: .seconds(12),
                    eventTimeLimit: .seconds(20)
                ),
                logger: Logger(label: "test.projections")
            )
            let running = Task { await runner.run() }
            defer { running.cancel() }
            try await body(fixture)
        }
    }

    /// Appends events, waits until they are applied, and gives the sizes of the batches since.
    private func sizes(after count: Int, _ fixture: ProjectionFixture) async throws -> [Int64] {
        try await fixture.connection.query("TRUNCATE projection.batch")
        let last = try await fixture.fill(count)
        try await eventually("the projection is at the end") {
            try await fixture.count("projection.checkpoint WHERE name = 'sized' AND position >= \(last)") == 1
        }
        return try await fixture.connection.query("SELECT size FROM projection.batch ORDER BY number").map {
            try $0.get(0)
        }
    }

    @Test("after a batch that takes longer than it should they are smaller; once they are quick again, larger")
    func time() async throws {
        try await run(batchLimit: 20_000) { fixture in
            // 8,000 positions take longer than two seconds. So do 5,000, but fewer are no better.
            try await fixture.connection.query("UPDATE projection.pace SET seconds = 0.000405")
            #expect(try await sizes(after: 25_000, fixture) == [1_000, 2_000, 4_000, 8_000, 5_000, 5_000])
            try await fixture.connection.query("UPDATE projection.pace SET seconds = 0")
            let quick = try await sizes(after: 60_000, fixture)
            #expect(quick.contains(20_000), "\(quick)")
        }
    }

    @Test("where memory is short they are smaller until it suffices, and grow again")
    func memory() async throws {
        try await run(batchLimit: 1_000) { fixture in
            try await fixture.connection.query("UPDATE projection.pace SET most = 200")
            let short = try await sizes(after: 2_000, fixture)
            // 1,000 and 250 fail; 62 fit, and twice as many.
            #expect(short.first == 62 && short.contains(124) && short.allSatisfy { $0 <= 200 }, "\(short)")
            try await fixture.connection.query("UPDATE projection.pace SET most = 1000000")
            let ample = try await sizes(after: 10_000, fixture)
            #expect(ample.contains(1_000), "\(ample)")
        }
    }

    @Test("a rebuild goes on with smaller ones where one was folded for longer than a session may be idle")
    func foldedTooLong() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(100)
            try await fixture.runner().catchUp()
            try await fixture.connection.execute(
                script: """
                    CREATE FUNCTION public.idle() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                      IF NEW.position - OLD.position > 200 THEN RAISE 'idle in transaction' USING ERRCODE = '25P03'; END IF;
                      RETURN NEW;
                    END $$;
                    CREATE TRIGGER idle BEFORE UPDATE ON projection.checkpoint FOR EACH ROW EXECUTE FUNCTION public.idle();
                    CREATE TRIGGER idle BEFORE UPDATE ON projection.version_lane FOR EACH ROW EXECUTE FUNCTION public.idle();
                    """
            )
            let last = try await fixture.fill(2_000)
            #expect(try await fixture.runner().catchUp() >= last)
            #expect(try await fixture.checkpoints.position() >= last)
            _ = try await fixture.rebuild("received").run { _ in }
            try await fixture.expectVerified()
        }
    }

    @Test("lost connections do not make them smaller")
    func lostConnections() async throws {
        try await run(batchLimit: 1_000) { fixture in
            let holding = try await fixture.database.connect()
            try await holding.execute(script: "BEGIN; LOCK TABLE lock.still IN EXCLUSIVE MODE")
            try await fixture.fill(1_000)
            for _ in 0..<5 {
                try await eventually("a batch was under way, and its connection is lost") {
                    guard let batch = try await fixture.connection.waiting(for: "lock.still").first else {
                        return false
                    }
                    return try await fixture.connection.value("SELECT pg_terminate_backend($1, 10000)", [.int4(batch)])
                }
            }
            await holding.close()
            let sizes = try await sizes(after: 1, fixture)
            #expect(sizes.first == 1_000, "\(sizes)")
        }
    }
}
