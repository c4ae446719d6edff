import EventLog
import Postgres
import Testing

@testable import Projections

/// What events bear on besides their own notifications is bounded together, not only for each device.
@Suite("Projections: what batches touch")
struct TouchedWorkTests {
    @Test(
        "events that bear on all notifications of 200 devices update so many in their batch, and the others in slices"
    )
    func manyDevices() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.touched_rows", to: 2_000, on: fixture.connection)
            try await fixture.database.set("notilog.slice_rows", to: 2_000, on: fixture.connection)
            try await fixture.append(
                "request",
                each: 1...100,
                """
                '{"origin": "provider", "alerting": true, "trigger": {"type": "push"}, "mutable_content": true}'
                """
            )
            try await Settler.settleNow(on: fixture.connection)
            try await fixture.runner(batch: 5_000).catchUp()
            try await fixture.connection.query("ANALYZE")
            // An app's first service extension, on each of its devices at once.
            try await fixture.append("delivery", each: 101...101, #"'{"source": "service_extension"}'"#)

            let worker = try await fixture.database.connect(settings: ["search_path": "projection"])
            var batches = 0
            repeat {
                batches += 1
                let read = try await fixture.readByBatch(on: worker)
                // 2,000 notifications of which each is read some times; of all 20,000 it would be ten times as many.
                #expect(read < 40_000, "\(read)")
            } while try await fixture.count("projection.device_walk") > 0 && batches < 30
            await worker.close()
            // 20 devices with the event; the 18,000 notifications of the others in slices, of which devices have half of the rows.
            #expect((19...20).contains(batches), "\(batches)")
            #expect(try await fixture.count("projection.notification WHERE delivery_observable") == 20_000)
            try await fixture.expectVerified()
        }
    }

    @Test("a batch reads the devices that wait for slices once before it and once after")
    func manyWaiting() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(100)
            try await fixture.runner().catchUp()
            try await fixture.connection.query(
                """
                INSERT INTO projection.device_walk
                SELECT 1, 'waiting-' || n, 1, NULL, 1, '', '-infinity', false, false FROM generate_series(1, 2000) AS n
                """
            )
            try await fixture.fill(1)
            let worker = try await fixture.database.connect(settings: ["search_path": "projection"])
            func read() async throws -> Int64 {
                // Else it passes on what it counted some time later.
                try await worker.query("SELECT pg_stat_force_next_flush()")
                return try await fixture.connection.value(
                    """
                    SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables
                    WHERE relid = 'projection.device_walk'::regclass
                    """
                )
            }
            let before = try await read()
            let batch = ProjectionBatch(group: try fixture.checkpoints.group(of: "notification"))
            let (outcome, _) = try await batch.apply(
                on: worker,
                limit: .positions(1_000),
                time: ProjectionTimeLimit(whole: .seconds(60), positions: 1_000, least: .seconds(60)),
                sliceRows: 0,
                version: nil
            )
            let rows = try await read() - before
            await worker.close()
            let claimed = try await fixture.status().position
            guard case .applied(_, _, left: .slices) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(rows < 5_000, "\(rows)")
            // Nothing after the position of those that wait is claimed.
            #expect(claimed == 1)
        }
    }
}

extension ProjectionFixture {
    /// An event of each of 200 devices and of so many minutes.
    fileprivate func append(_ kind: String, each minutes: ClosedRange<Int32>, _ data: String) async throws {
        try await connection.query(
            """
            INSERT INTO log.event
            SELECT nextval('log.position'), at, at, at, at, NULL, gen_random_uuid(), 1, 0, 1, false, '\(kind)', 'd' || d, 'n' || n, NULL,
              \(data)
            FROM (
              SELECT n, d, timestamptz '2026-01-05' + n * interval '1 minute' AS at
              FROM generate_series($1, $2) AS n, generate_series(1, 200) AS d
              ORDER BY n, d
            ) e
            """,
            [.int4(minutes.lowerBound), .int4(minutes.upperBound)],
            cached: false
        )
    }
}
