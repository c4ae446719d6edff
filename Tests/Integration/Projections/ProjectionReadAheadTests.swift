import Logging
import Postgres
import Schema
import Testing

@testable import Projections

/// The events of a rebuild's next batch are read while the one before is written. They count only as long as nothing can have changed
/// them.
@Suite("Projections: events read ahead")
struct ProjectionReadAheadTests {
    /// A version of `notification` under construction, of a log with events.
    private struct Stage {
        let fixture: ProjectionFixture
        let batch: ProjectionBatch
        let ahead: ProjectionReadAhead
        let builder: Connection
        let last: Int64

        /// Expects that a batch is given the events up to a position, or none.
        func expect(
            _ expected: Int64?,
            after position: Int64 = 1,
            _ limit: ProjectionBatch.Limit = .positions(50),
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let upTo = try await builder.withTransaction { connection in
                try await ahead.take(after: position, limit, on: connection)?.upTo
            }
            #expect(upTo == expected, sourceLocation: sourceLocation)
        }

        func begin(within limit: Duration = .seconds(60)) async {
            await ahead.begin(after: 1, upTo: 40, of: batch, within: Self.time(limit))
            await ahead.awaitEvents()
        }

        static func time(_ limit: Duration) -> ProjectionTimeLimit {
            ProjectionTimeLimit(whole: limit, positions: 1_000, least: limit)
        }

        /// Has whoever reads events wait for a minute.
        func slowDown() async throws {
            try await fixture.connection.execute(
                script: """
                    CREATE OR REPLACE FUNCTION projection.own_dimensions(after bigint, upto bigint)
                    RETURNS TABLE (app_id integer, key text, after_position bigint, upto_position bigint)
                    LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); END $$
                    """
            )
        }

        /// The locks of sessions on what keeps an erasure waiting. Databases made of one template have the same numbers of tables.
        static let locks = """
            pg_locks l WHERE l.relation = 'lock.background'::regclass
              AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
            """

        func holders() async throws -> Int64 {
            try await fixture.connection.value("SELECT count(*) FROM \(Self.locks) AND l.granted")
        }
    }

    private static func withStage(_ body: (Stage) async throws -> Void) async throws {
        try await ProjectionFixture.with { fixture in
            let last = try await fixture.fill(200)
            let builder = try await Connection.connect(
                fixture.database.configuration.with(
                    settings: ProjectionBuild.sessionSettings,
                    applicationName: "notilog rebuild"
                )
            )
            let group = try #require(fixture.catalogue.groups.first { $0.leader == "notification" })
            let build = ProjectionBuild(
                files: try ProjectionFiles(group, in: fixture.folder),
                purpose: .next,
                lanes: 1,
                connection: builder,
                logger: Logger(label: "test.rebuild")
            )
            _ = try await build.prepare(mayResume: false)
            var batch = ProjectionBatch(group: group, schema: build.schema)
            batch.tables = try await FoldVersion(build.schema, on: builder)
            let ahead = ProjectionReadAhead(builder.configuration)
            batch.ahead = ahead
            try await body(Stage(fixture: fixture, batch: batch, ahead: ahead, builder: builder, last: last))
            await ahead.close()
            await builder.close()
        }
    }

    @Test("a batch is given what was read for it, once, and for no other range")
    func range() async throws {
        try await Self.withStage { stage in
            await stage.begin()
            try await stage.expect(40)
            try await stage.expect(nil)
            await stage.begin()
            try await stage.expect(nil, after: 2)
            await stage.begin()
            try await stage.expect(nil, .halfway(to: 40))
            #expect(try await stage.holders() == 0)
        }
    }

    @Test("what an erasure may have changed is read again, and the erasure waits for no batch that has not begun")
    func erasure() async throws {
        try await Self.withStage { stage in
            await stage.begin()
            #expect(try await stage.holders() == 1)
            let erasing = try await stage.fixture.database.connect()
            let waiting = Task {
                try await erasing.execute(script: "BEGIN; LOCK TABLE lock.background IN EXCLUSIVE MODE")
            }
            try await eventually("the erasure waits") {
                try await stage.fixture.connection.value(
                    "SELECT EXISTS (SELECT FROM \(Stage.locks) AND NOT l.granted)"
                )
            }
            try await stage.expect(nil)
            try await waiting.value
            // Nor is anything read meanwhile.
            await stage.begin()
            try await stage.expect(nil)
            try await erasing.query("COMMIT")
            await stage.begin()
            try await stage.expect(40)
            await erasing.close()
        }
    }

    @Test("what a session read that has ended since is read again")
    func ended() async throws {
        try await Self.withStage { stage in
            await stage.begin()
            let ended: Int64 = try await stage.fixture.connection.value(
                "SELECT count(*) FILTER (WHERE pg_terminate_backend(l.pid, 60000)) FROM \(Stage.locks)"
            )
            #expect(ended == 1)
            try await stage.expect(nil)
            await stage.begin()
            try await stage.expect(40)
        }
    }

    @Test("what takes too long to read, or is not wanted any more, keeps nobody waiting", .timeLimit(.minutes(1)))
    func slow() async throws {
        try await Self.withStage { stage in
            try await stage.slowDown()
            await stage.begin(within: .milliseconds(50))
            try await stage.expect(nil)
            #expect(try await stage.holders() == 0)
            await stage.ahead.begin(after: 1, upTo: 40, of: stage.batch, within: Stage.time(.seconds(60)))
            try await eventually("it is being read") { try await stage.holders() == 1 }
            await stage.ahead.close()
            try await eventually("its session has ended") { try await stage.holders() == 0 }
        }
    }

    @Test("while a batch is written, the next one's events are read; a batch that takes them goes as far as they do")
    func batches() async throws {
        try await Self.withStage { stage in
            func apply(_ positions: Int64) async throws -> ProjectionBatch.Outcome {
                try await stage.batch.apply(
                    on: stage.builder,
                    limit: .positions(positions),
                    time: Stage.time(.seconds(60)),
                    version: nil
                ).0
            }
            guard case .applied(let first, let second, .events) = try await apply(50) else {
                Issue.record("the first batch was not applied")
                return
            }
            #expect(second == first + 50)
            #expect(try await stage.holders() == 1)
            #expect(try await apply(90) == .applied(from: second, to: second + 50, left: .events))
            // That one read as many as it would have read itself.
            #expect(try await apply(1_000) == .applied(from: second + 50, to: second + 140, left: .events))
            #expect(try await apply(1_000) == .applied(from: second + 140, to: stage.last, left: .nothing))
            #expect(try await stage.holders() == 0)
        }
    }
}
