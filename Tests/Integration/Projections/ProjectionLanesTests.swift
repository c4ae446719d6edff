import EventLog
import Foundation
import Postgres
import Projections
import Schema
import Testing

/// Lanes: several sessions apply a version of a group side by side. Its rows are those of one lane.
@Suite("Projections: lanes", .serialized)
struct ProjectionLanesTests {
    @Test("of two and of four give the rows of one, under ingest, live and rebuilt", .timeLimit(.minutes(10)))
    func rows() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(3_000)
            try await fixture.runner().catchUp()
            for (before, lanes) in [(1, 2), (2, 4), (4, 1)] as [(Int, Int16)] {
                let running = Task { [runner = fixture.runner(batch: 200)] in await runner.run() }
                defer { running.cancel() }
                #expect(try await fixture.status().lanes.count == before)
                async let filled = fixture.fillSlowly(1_500)
                _ = try await fixture.rebuild("notification", lanes: lanes).run { _ in }
                let last = try await filled
                try await eventually("all lanes have caught up", within: .seconds(120)) {
                    try await fixture.status().position >= last
                }
                #expect(try await fixture.status().lanes.count == Int(lanes))
                running.cancel()
                _ = await running.result
                try await fixture.expectVerified()
                try await fixture.expectSameAsOneLane()
            }
        }
    }

    @Test("are for groups whose rows are those of single devices: another says what to do")
    func oneLaneAlone() async throws {
        try await ProjectionFixture.with { fixture in
            let error = await #expect(throws: ProjectionBuildError.self) {
                _ = try await fixture.rebuild("received", lanes: 2).run { _ in }
            }
            #expect(error?.description.hasSuffix("are not those of single devices: leave out --lanes") == true)
        }
    }

    @Test("do not mix up the events of a device that is erased while one is behind the other", .timeLimit(.minutes(5)))
    func erasure() async throws {
        try await ProjectionFixture.with { fixture in
            _ = try await fixture.rebuild("notification", lanes: 2).run { _ in }
            try await fixture.connection.query("INSERT INTO notilog.app (name) VALUES ('first')")
            try await fixture.fill(1_500)
            try await fixture.runner().catchUp()
            let last = try await fixture.fill(1_500)
            try await fixture.apply(lane: 1, upTo: last)
            // Those of the first lane are read after the erasure, those of the second were read before.
            for number in 0..<24 {
                _ = try await Erasure(fixture.database.configuration).erase("device-\(number)", app: 1)
            }
            try await fixture.runner().catchUp()
            try await fixture.expectVerified()
            try await fixture.expectSameAsOneLane()
        }
    }

    @Test("have every row for themselves: a device or the lane is part of each key")
    func keys() async throws {
        try await ProjectionFixture.with { fixture in
            for group in fixture.catalogue.groups where group.lanes != nil {
                let shared = try await fixture.connection.query(
                    """
                    SELECT c.relname::text FROM projection.version v
                    JOIN pg_class c ON c.relname = ANY (v.objects) AND c.relnamespace = 'projection'::regnamespace AND c.relkind = 'r'
                    WHERE v.schema_name = 'projection' AND v.leader = $1 AND c.relname <> 'category' AND NOT EXISTS (
                      SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
                      WHERE i.indrelid = c.oid AND i.indisprimary AND a.attname IN ('device_id', 'lane'))
                    """,
                    [.text(group.leader)]
                ).map { try $0.get(0, as: String.self) }
                #expect(shared.isEmpty, "two lanes would write the same rows")
            }
        }
    }

    @Test(
        "that several services share, of which one is killed again and again, lose and repeat nothing",
        .timeLimit(.minutes(10))
    )
    func kills() async throws {
        try await ProjectionFixture.with { fixture in
            _ = try await fixture.rebuild("notification", lanes: 2).run { _ in }
            let lasting = try await ServiceProcess.start(database: fixture.database.url)
            async let filled = fixture.fillSlowly(12_000)
            for turn in 1...4 {
                let killed = try await ServiceProcess.start(database: fixture.database.url)
                try await ContinuousClock().sleep(for: .milliseconds(400 * turn))
                await killed.kill()
            }
            let last = try await filled
            try await eventually("the other has caught up", within: .seconds(240)) {
                try await fixture.checkpoints.position() >= last
            }
            #expect(await lasting.stop() == 0)
            #expect(try await fixture.count("projection.set_aside") == 0)
            try await fixture.expectVerified()
            try await fixture.expectSameAsOneLane()
        }
    }
}

extension ProjectionFixture {
    /// Applies one lane of `notification` up to a position, and no other.
    func apply(lane: Int16, upTo last: Int64) async throws {
        let group = try checkpoints.group(of: "notification")
        let worker = try await database.connect()
        let from: Int64 = try await worker.value(
            "SELECT position FROM projection.checkpoint WHERE name = 'notification' AND lane = $1",
            [.int2(lane)]
        )
        try await worker.withTransaction { worker in
            try await group.apply(lane: lane, after: from, upTo: last, on: worker)
            let moved = try await worker.query(
                "SELECT projection.move('projection', 'notification', $1, $2, $3)",
                [.int2(lane), .int8(from), .int8(last)]
            ).only().get(0, as: Bool.self)
            #expect(moved)
        }
        await worker.close()
    }

    /// Appends so many events in small steps.
    func fillSlowly(_ count: Int) async throws -> Int64 {
        var last: Int64 = 0
        for _ in 0..<(count / 100) { last = try await fill(100) }
        return last
    }

    /// Fails the test unless the rows in use, of all lanes together, are those of a version with one lane.
    func expectSameAsOneLane(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let group = try checkpoints.group(of: "notification")
        let files = try files("notification")
        let (schema, last) = ("projection_verify_notification", try await status().position)
        let worker = try await database.connect()
        try await worker.withTransaction { worker in
            try await worker.execute(
                script: "CREATE SCHEMA \(schema); SET LOCAL search_path = \(schema), projection, log, pg_catalog"
            )
            try await files.make(on: worker)
            try await files.register(schema: schema, lanes: 1, on: worker)
            try await worker.query("SELECT projection.begin($1, $2)", [.text(schema), .text(group.leader)])
            try await group.apply(to: schema, after: 0, upTo: last, on: worker)
        }
        let tables = try await worker.query("SELECT projection.shared_tables($1)", [.text(schema)])
            .map { try $0.get(0, as: String.self) }
        for table in tables where !["lane_category", "category_versions"].contains(table) {
            let row = try await worker.query(
                "SELECT missing, extra, different, rows_served FROM projection.compare($1, $2)",
                [.text(schema), .text(table)]
            ).only()
            let counts: [Int64] = try (0..<3).map { try row.get($0) }
            #expect(counts == [0, 0, 0], "\(table)", sourceLocation: sourceLocation)
        }
        try await worker.query("SELECT projection.discard($1, $2)", [.text(schema), .text(group.leader)])
        await worker.close()
    }
}
