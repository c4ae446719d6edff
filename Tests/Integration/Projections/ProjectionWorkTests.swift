import EventLog
import Postgres
import Projections
import Schema
import Testing

/// Guarantee 17: what a batch reads grows with what it changes, not with the square of it, also where the planner has
/// statistics of tables that were smaller. Counted in rows read, by PostgreSQL's own counts.
@Suite("Projections: rows that a batch reads")
struct ProjectionWorkTests {
    @Test("contexts out of order, inside the periods of many devices")
    func contextsOutOfOrder() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.requests(devices: 400, times: 1...40, version: "n / 20")
            let read = try await fixture.readByNext {
                try await $0.requests(devices: 400, times: 1...4, version: "n + 100")
            }
            // 1,600 events in whose periods 15,600 notifications lie, each read some times.
            #expect(read < 500_000, "\(read)")
        }
    }

    @Test("buttons that a client makes up, thousands on one notification")
    func madeUpActions() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.responses(1...5_000)
            let read = try await fixture.readByNext { try await $0.responses(5_001...5_010) }
            // The notification, its device, and the actions of the batch: not those that it had.
            #expect(read < 1_000, "\(read)")
            #expect(try await fixture.count("projection.notification WHERE responded AND acted") == 1)
        }
    }

    @Test("tokens of one device, and devices of one token", arguments: ["one device", "one token"])
    func tokens(_ kind: String) async throws {
        try await ProjectionFixture.with { fixture in
            let turn = kind == "one device" ? ("'one'", "'t' || n") : ("'d' || n", "'one'")
            try await fixture.registrations(1...1_500, device: turn.0, token: turn.1)
            let once = try await fixture.readByNext("device_token") {
                try await $0.registrations(1_501...1_501, device: turn.0, token: turn.1)
            }
            // The history is read some times for an event,
            #expect(once < 50_000, "\(once)")
            let many = try await fixture.readByNext("device_token") {
                try await $0.registrations(1_502...3_000, device: turn.0, token: turn.1)
            }
            // and no more often for a batch.
            #expect(many < 200_000, "\(many)")
            let ended = try await fixture.count("projection.device_token WHERE state IN ('superseded', 'moved')")
            #expect(ended == 2_999)
        }
    }

    @Test("a device or a token beyond the bound costs its next event nothing", arguments: ["one device", "one token"])
    func excess(_ kind: String) async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.token_events", to: 500, on: fixture.connection)
            let turn = kind == "one device" ? ("'one'", "'t' || n") : ("'d' || n", "'one'")
            try await fixture.registrations(1...500, device: turn.0, token: turn.1)
            try await fixture.registrations(9_001...9_001, device: "'other'", token: "'other'")
            let within = try await fixture.readByNext("device_token") {
                try await $0.registrations(501...501, device: turn.0, token: turn.1)
            }
            // What is there is counted, and taken away, once.
            #expect(within < 20_000, "\(within)")
            try await fixture.registrations(502...5_000, device: turn.0, token: turn.1)
            let beyond = try await fixture.readByNext("device_token") {
                try await $0.registrations(5_001...5_100, device: turn.0, token: turn.1)
            }
            // Each event, and whether it is one of those.
            #expect(beyond < 12_000, "\(beyond)")
            let last = try await fixture.runner().catchUp()
            #expect(try await fixture.status("device_token").position == last)
            // Of others, and of the other tokens of a device, states are computed as ever.
            #expect(try await fixture.count("projection.device_token") == 1)
            let excess = try await fixture.checkpoints.excess()
            #expect(excess.map(\.app) == [1])
            #expect(excess.map(\.devices) == [kind == "one device" ? 1 : 0])
            #expect(excess.map(\.tokens) == [kind == "one token" ? 1 : 0])
            try await fixture.expectVerified()
        }
    }
}

extension ProjectionFixture {
    /// A registration a second.
    fileprivate func registrations(_ numbers: ClosedRange<Int32>, device: String, token: String) async throws {
        try await connection.query(
            """
            INSERT INTO log.event
            SELECT nextval('log.position'), at, at, at, at, NULL, gen_random_uuid(), 1, 0, 1, false, 'token', \(device), NULL,
              sha256((\(token))::bytea), '{"provider": "apns", "type": "alert", "environment": "production", "state": "registered"}'
            FROM (SELECT n, timestamptz '2026-01-05' + n * interval '1 second' AS at FROM generate_series($1, $2) AS n) e
            ORDER BY at
            """,
            [.int4(numbers.lowerBound), .int4(numbers.upperBound)],
            cached: false
        )
    }

    /// A response a second to one notification, each by another button.
    fileprivate func responses(_ numbers: ClosedRange<Int32>) async throws {
        try await connection.query(
            """
            INSERT INTO log.event
            SELECT nextval('log.position'), at, at, at, at, NULL, gen_random_uuid(), 1, 0, 1, false, 'action_response', 'd', 'n', NULL,
              jsonb_build_object('action_id', 'button ' || n)
            FROM (SELECT n, timestamptz '2026-01-05' + n * interval '1 second' AS at FROM generate_series($1, $2) AS n) e
            ORDER BY at
            """,
            [.int4(numbers.lowerBound), .int4(numbers.upperBound)]
        )
    }

    /// Pushes to each of some devices, one an hour, with the context of an app version.
    fileprivate func requests(devices: Int32, times: ClosedRange<Int32>, version: String) async throws {
        try await connection.query(
            """
            INSERT INTO log.event
            SELECT nextval('log.position'), at, at, at, at, NULL, gen_random_uuid(), 1, 0, 1, false, 'request',
              'device-' || d, gen_random_uuid()::text, NULL,
              '{"origin": "provider", "alerting": true, "trigger": {"type": "push"}}'
                || jsonb_build_object('context', jsonb_build_object('app_version', (\(version))::text))
            FROM (
              SELECT n, d, timestamptz '2026-01-05' + n * interval '1 hour' + random() * interval '30 minutes' AS at
              FROM generate_series($2, $3) AS n, generate_series(1, $1) AS d
            ) e
            ORDER BY at
            """,
            [.int4(devices), .int4(times.lowerBound), .int4(times.upperBound)],
            cached: false
        )
    }
}
