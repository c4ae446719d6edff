import EventLog
import Foundation
import Postgres
import Projections
import Schema
import Testing

/// Guarantee 17: what a category's change costs a batch does not depend on how many notifications it bears on.
@Suite("Projections: slices of a category's change")
struct ProjectionSliceTests {
    @Test("20,000 notifications of a category that changes: a slice a batch, and other apps' events in between")
    func slices() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.slice_rows", to: 2_000, on: fixture.connection)
            try await fixture.requests(20_000, devices: 200)
            try await fixture.runner(batch: 100_000).catchUp()
            try await fixture.connection.query("ANALYZE")
            let before = try await fixture.status().position

            try await fixture.register(options: #"["custom_dismiss_action"]"#)
            let changed = try await Settler.settleNow(on: fixture.connection).rawValue
            let worker = try await fixture.database.connect(settings: ["search_path": "projection"])
            var batches = 0
            repeat {
                batches += 1
                try await fixture.requests(1, devices: 1, app: 2)
                let read = try await fixture.readByBatch(on: worker)
                // 2,000 notifications of which each is read some times; of all 20,000 it would be 700,000.
                #expect(read < 300_000, "\(read)")
                #expect(try await fixture.count("projection.notification WHERE app_id = 2") == batches)
                let done = try await fixture.count("projection.notification WHERE dismiss_observable AND app_id = 1")
                #expect(done == min(20_000, batches * 2_000))
                if try await fixture.count("projection.category_walk") > 0 {
                    #expect(try await fixture.status().position == before)
                    #expect(try await fixture.checkpoints.position(of: ["engagement"]) == before)
                    let claimed: Int64 = try await fixture.connection.value(
                        "SELECT position FROM reporting.progress('{notification}')"
                    )
                    #expect(claimed == before)
                }
            } while try await fixture.count("projection.category_walk") > 0
            await worker.close()
            #expect(batches == 11)
            #expect(try await fixture.status().position == changed + Int64(batches))
            #expect(try await fixture.count("projection.category_change") == 0)
            try await fixture.expectVerified()
        }
    }

    @Test("interrupted, verified, rebuilt, erased and changed again in the midst, it comes out the same")
    func disturbed() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.slice_rows", to: 25, on: fixture.connection)
            try await fixture.requests(3_000, devices: 30)
            try await fixture.runner(batch: 100_000).catchUp()
            let running = Task { [runner = fixture.runner(batch: 200)] in try await runner.run() }
            defer { running.cancel() }
            let options = [#"["custom_dismiss_action"]"#, "[]"]
            let erasure = Erasure(fixture.database.configuration)
            for round in 1...8 {
                try await fixture.register(options: options[round % 2])
                try await fixture.requests(10, devices: 5)
                let changed = try await Settler.settleNow(on: fixture.connection).rawValue
                try await eventually("a walk is under way, round \(round)") {
                    try await fixture.count("projection.category_walk WHERE device_id > ''") > 0
                }
                switch round {
                case 1, 5: _ = try await fixture.verify()
                case 2:
                    // The device that the walk has come to.
                    let device: String = try await fixture.connection.value(
                        "SELECT coalesce((SELECT device_id FROM projection.category_walk), 'device-7')"
                    )
                    _ = try await erasure.erase(device, app: 1)
                case 3: _ = try await fixture.rebuild("notification", batch: 500).run { _ in }
                case 4: _ = try await erasure.erase("device-9", app: 1)
                default:
                    try await fixture.connection.query(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE application_name = 'notilog projections' AND datname = current_database()
                        """
                    )
                }
                let claimed = try await fixture.checkpoints.position()
                let walks = try await fixture.count("projection.category_walk")
                #expect(claimed < changed || walks == 0)
            }
            let last = try await Settler.settleNow(on: fixture.connection).rawValue
            try await eventually("all is done") { try await fixture.checkpoints.position() >= last }
            #expect(try await fixture.count("projection.category_walk") == 0)
            let missed = try await fixture.count(
                "projection.notification WHERE NOT dismiss_observable AND occurrence <> 'infinity'"
            )
            #expect(missed == 0)
            running.cancel()
            _ = await running.result
            try await fixture.expectVerified()
        }
    }
}

extension ProjectionFixture {
    /// Requests of the category `news`, each a notification of its own.
    fileprivate func requests(_ count: Int32, devices: Int32, app: AppID = 1) async throws {
        try await connection.query(
            """
            INSERT INTO log.event
            SELECT nextval('log.position'), at, at, at, at, NULL, gen_random_uuid(), $3, 0, 1, false, 'request',
              'device-' || n % $2, gen_random_uuid()::text, NULL,
              '{"origin": "provider", "alerting": true, "category_id": "news", "trigger": {"type": "push"}}'
            FROM (SELECT n, timestamptz '2026-01-05' + n * interval '1 second' AS at FROM generate_series(1, $1) AS n) e
            """,
            [.int4(count), .int4(devices), .app(app)]
        )
        try await Settler.settleNow(on: connection)
    }

    /// A registration newer than all before.
    fileprivate func register(options: String) async throws {
        try await connection.query(
            """
            INSERT INTO log.event
            SELECT p, at, at, at, at, NULL, gen_random_uuid(), 1, 0, 1, false, 'category_registration', 'device-0', NULL, NULL,
              jsonb_build_object('context', '{"app_version": "1"}'::jsonb,
                'categories', jsonb_build_array(jsonb_build_object('id', 'news', 'options', $1::jsonb)))
            FROM (SELECT p, timestamptz '2026-01-10' + p * interval '1 second' AS at FROM (SELECT nextval('log.position') AS p) d) e
            """,
            [.text(options)]
        )
    }

    /// Applies the next batch as the runner does, and gives how many rows it read.
    fileprivate func readByBatch(on worker: Connection) async throws -> Int64 {
        let group = try checkpoints.group(of: "notification")
        let settled = try await Settler.settleNow(on: connection).rawValue
        return try await worker.withTransaction { worker in
            let from: Int64 = try await worker.value(
                "SELECT position FROM projection.checkpoint WHERE name = 'notification'"
            )
            try await group.apply(after: from, upTo: settled, on: worker)
            let moved = try await worker.query(
                "SELECT projection.move('projection', 'notification', $1, $2)",
                [.int8(from), .int8(settled)]
            ).only().get(0, as: Bool.self)
            #expect(moved)
            return try await worker.value(
                "SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_xact_all_tables"
            )
        }
    }
}
