import EventLog
import Postgres
import Projections
import Schema
import Testing

/// A device that has changed its settings thousands of times costs a batch no more than another.
@Suite("Projections: periods of a device")
struct ProjectionPeriodTests {
    @Test("a batch reads the periods around its events, not all that the device has")
    func onlyThoseAround() async throws {
        try await ProjectionFixture.with { fixture in
            try await turn(fixture, from: 1, to: 3_000)
            try await fixture.runner().catchUp()
            let before = try await fixture.count("projection.device_period")
            #expect(before >= 3_000)
            let applied = try await fixture.status().position

            try await turn(fixture, from: 3_001, to: 3_010)
            let last = try await Settler.settleNow(on: fixture.connection).rawValue
            let group = try fixture.checkpoints.group(of: "notification")
            let fetched = try await fixture.connection.withTransaction { connection in
                try await group.apply(after: applied, upTo: last, on: connection)
                return try await connection.value(
                    "SELECT idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relid = 'projection.device_period'::regclass"
                ) as Int64
            }
            #expect(try await fixture.count("projection.device_period") == before + 10)
            #expect(fetched < 200)
        }
    }

    /// Settings of one device, each other than the last, and a request after each.
    private func turn(_ fixture: ProjectionFixture, from first: Int32, to last: Int32) async throws {
        try await fixture.connection.query(
            """
            INSERT INTO log.event
            SELECT nextval('log.position'), at, at, at, at, NULL, gen_random_uuid(), 1, 0, 1, false,
              kind, 'device', CASE kind WHEN 'request' THEN 'n-' || n END, NULL,
              CASE kind WHEN 'request' THEN '{"origin": "provider", "alerting": true, "trigger": {"type": "push"}}'
                ELSE jsonb_build_object('authorization_status', (ARRAY['authorized', 'denied'])[1 + n % 2]) END
                || jsonb_build_object('context', '{"platform": "ios", "app_version": "1"}'::jsonb)
            FROM (
              SELECT n, kind, timestamptz '2026-01-05' + n * interval '2 seconds' + (kind = 'request')::integer * interval '1 second' AS at
              FROM generate_series($1, $2) AS n, unnest(ARRAY['settings', 'request']) AS kind
              ORDER BY at
            ) e
            """,
            [.int4(first), .int4(last)]
        )
        try await Settler.settleNow(on: fixture.connection)
    }
}
