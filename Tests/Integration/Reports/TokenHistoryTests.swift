import Postgres
import Testing

/// Guarantee 17: what the report `tokens` sorts grows with the registrations, however many are one device's or one token's.
@Suite("Reports: the history of tokens")
struct TokenHistoryTests {
    private static let count = 3_000

    @Test("a device with thousands of tokens, and a token of thousands of devices")
    func isReadOnce() async throws {
        try await ReportsDatabase.with { database in
            // As the projection has them: one device with a token a minute, one token that went from device to device.
            for (state, device, token) in [("superseded", "'one'", "'t' || n"), ("moved", "'d' || n", "'one'")] {
                try await database.connection.query(
                    """
                    INSERT INTO token_event (app_id, device_id, token, at, id, what, provider, type, topic, environment,
                      activity_id)
                    SELECT 1, \(device), sha256((\(token))::bytea), timestamptz '2026-03-01' + n * interval '1 minute',
                      gen_random_uuid(), 'registered', 'apns', 'alert', $2, 'production', ''
                    FROM generate_series(1, $1) AS n
                    """,
                    [.int4(Int32(Self.count)), .text(state)],
                    cached: false
                )
                try await database.connection.query(
                    """
                    INSERT INTO device_token (app_id, device_id, provider, type, topic, environment, activity_id, token, state,
                      registered_at, last_registered_at, ended_at)
                    SELECT app_id, device_id, provider, type, topic, environment, activity_id, token,
                      CASE WHEN lead(at) OVER history IS NULL THEN 'active' ELSE $1 END, at, at, lead(at) OVER history
                    FROM token_event WHERE topic = $1
                    WINDOW history AS (ORDER BY at)
                    """,
                    [.text(state)]
                )
            }
            let sorted = "SELECT temp_bytes FROM pg_stat_database WHERE datname = current_database()"
            try await database.connection.query("SELECT pg_stat_force_next_flush()")
            let before = try await database.connection.query(sorted, cached: false).only().get(0, as: Int64.self)
            let rows = try await database.connection.query(
                """
                SELECT state, tokens FROM report.tokens('demo', "from" => '2026-02-01', "to" => '2026-04-01',
                  as_of => '2026-04-01T00:00:00Z') ORDER BY state
                """
            )
            let found = try rows.map { "\(try $0.get(0, as: String.self)) \(try $0.get(1, as: Int64.self))" }
            #expect(found == ["active 2", "moved \(Self.count - 1)", "superseded \(Self.count - 1)"])
            try await database.connection.query("SELECT pg_stat_force_next_flush()")
            let after = try await database.connection.query(sorted, cached: false).only().get(0, as: Int64.self)
            #expect(after - before < 50_000_000, "bytes that did not fit into memory")
        }
    }
}
