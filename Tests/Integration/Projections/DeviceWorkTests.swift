import EventLog
import Postgres
import Projections
import Schema
import Testing

/// Guarantee 17: what an event costs does not depend on the history of its device. Counted in rows read.
@Suite("Projections: rows that a device's history costs")
struct DeviceWorkTests {
    @Test("a late context bears on the notifications up to the device's next one")
    func lateContext() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.history(1...4_000, version: "n / 20")
            let read = try await fixture.readByNext {
                // Between two periods.
                try await $0.history(1_999...1_999, version: "'late'", seconds: 30)
            }
            #expect(read < 500, "\(read)")
            try await fixture.expectVerified()
        }
    }

    @Test("late settings inside periods read the snapshots of those periods, however far apart")
    func lateSettings() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.settings(1...4_000, status: "CASE n / 20 % 2 WHEN 0 THEN 'authorized' ELSE 'denied' END")
            let read = try await fixture.readByNext {
                try await $0.settings(510...510, status: "'provisional'", seconds: 30)
                try await $0.settings(3_510...3_510, status: "'provisional'", seconds: 30)
            }
            // Read by device it would be all 4,000; the periods between the two are 150.
            #expect(read < 1_000, "\(read)")
            try await fixture.expectVerified()
        }
    }

    enum Series: String, CaseIterable {
        case contexts, settings
    }

    @Test("beyond a bound late snapshots inside periods read the two next to them", arguments: Series.allCases)
    func insideLongPeriods(_ series: Series) async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.device_events", to: 500, on: fixture.connection)
            try await fixture.snapshots(series, 1...4_000)
            try await Settler.settleNow(on: fixture.connection)
            try await fixture.runner(batch: 5_000).catchUp()
            // The first one reads the device's events, of which what is asked for is kept.
            try await fixture.snapshots(series, 500...500, areLate: true)
            let read = try await fixture.readByNext {
                try await $0.snapshots(series, 1_500...1_500, areLate: true)
            }
            // The device has 4,000. Of the notifications of the period 1,000 are looked at, as ever in one batch.
            #expect(read < 1_500, "\(read)")
            #expect(try await fixture.count("projection.kept_snapshot") == 4_002)
            try await fixture.expectVerified()
            // What other versions kept is gone with them.
            #expect(try await fixture.count("projection.kept_snapshot") == 4_002)
        }
    }

    @Test("what is kept of a device is gathered again after a batch of a service that adds nothing to it")
    func keptByOlderService() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.device_events", to: 500, on: fixture.connection)
            try await fixture.snapshots(.contexts, 1...4_000)
            try await Settler.settleNow(on: fixture.connection)
            try await fixture.runner(batch: 5_000).catchUp()
            try await fixture.snapshots(.contexts, 500...500, areLate: true)
            try await Settler.settleNow(on: fixture.connection)
            try await fixture.runner(batch: 5_000).catchUp()
            #expect(try await fixture.count("projection.kept_snapshot") == 4_001)

            let applied = try await fixture.status().position
            // The position of a batch that was rolled back, passed as a service of an earlier release does.
            try await fixture.connection.query("SELECT nextval('log.position')")
            try await fixture.connection.query(
                "SELECT projection.move('projection', 'notification', 0::smallint, $1, $1 + 1)",
                [.int8(applied)]
            )
            #expect(try await fixture.count("projection.kept_snapshot") == 0)
            try await fixture.snapshots(.contexts, 1_500...1_500, areLate: true)
            try await Settler.settleNow(on: fixture.connection)
            try await fixture.runner(batch: 5_000).catchUp()
            #expect(try await fixture.count("projection.kept_snapshot") == 4_002)
            try await fixture.expectVerified()
        }
    }

    @Test("plans that were made while tables were empty look notifications up by their keys")
    func oldPlans() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.history(0...0, version: "1")
            try await Settler.settleNow(on: fixture.connection)
            try await fixture.runner().catchUp()
            let worker = try await fixture.database.connect(settings: ["search_path": "projection"])
            for minute: Int32 in 1...8 {
                try await fixture.history(minute...minute, version: "1")
                _ = try await fixture.readByBatch(on: worker)
            }
            try await fixture.history(9...3_000, version: "1")
            _ = try await fixture.readByBatch(on: worker)
            try await fixture.respond(1...500)
            let read = try await fixture.readByBatch(on: worker)
            await worker.close()
            // Looked up by their device each of the 500 reads 3,000.
            #expect(read < 30_000, "\(read)")
            try await fixture.expectVerified()
        }
    }

    @Test("plans that were made while tables were empty look tokens up by their devices")
    func oldPlansOfTokens() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.tokens(0...0)
            try await Settler.settleNow(on: fixture.connection)
            try await fixture.runner().catchUp()
            let worker = try await fixture.database.connect(settings: ["search_path": "projection"])
            for minute: Int32 in 1...8 {
                try await fixture.tokens(minute...minute)
                _ = try await fixture.readByBatch("device_token", on: worker)
            }
            try await fixture.tokens(9...3_000)
            _ = try await fixture.readByBatch("device_token", on: worker)
            try await fixture.tokens(3_001...3_300)
            let read = try await fixture.readByBatch("device_token", on: worker)
            await worker.close()
            // Looked up by their app each of the 300 reads 3,000: 900,000. A plan made anew may read a table once as a whole.
            #expect(read < 90_000, "\(read)")
            try await fixture.expectVerified()
        }
    }

    @Test("a device with thousands of periods: an event reads those around its times")
    func manyPeriods() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.history(1...4_000, version: "n")
            let read = try await fixture.readByNext {
                // A response to the first notification.
                try await $0.respond(to: "n1", minute: 4_001)
            }
            // Up to the bound they are read together.
            #expect(read < 2_500, "\(read)")
            try await fixture.expectVerified()
        }
    }

    @Test("a device with thousands of periods that begin at one time: an event reads those next to its own")
    func periodsOfOneTime() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.versions(1...4_000)
            let later = try await fixture.readByNext { try await $0.history(1...50, version: "'later' || n") }
            // All of that time for each of the 50 would be 200,000.
            #expect(later < 5_000, "\(later)")
            let same = try await fixture.readByNext { try await $0.versions(4_001...4_020) }
            // Up to the bound they are read together.
            #expect(same < 4_500, "\(same)")
            try await fixture.expectVerified()
        }
    }

    @Test("late settings inside thousands of periods of one time read the snapshots of that time once")
    func splitsOfOneTime() async throws {
        try await ProjectionFixture.with { fixture in
            // Pairs of one value: 1,000 periods.
            let pairs = "CASE n / 2 % 2 WHEN 0 THEN 'authorized' ELSE 'denied' END"
            try await fixture.settingsOfOneTime(0..<2_000, each: 10, status: pairs)
            let read = try await fixture.readByNext {
                try await $0.settingsOfOneTime(0..<100, each: 20, plus: 5, status: "'provisional'")
            }
            // For each of the 100 it would be 200,000.
            #expect(read < 20_000, "\(read)")
            #expect(try await fixture.count("projection.device_period WHERE series = 'settings'") == 1_200)
            try await fixture.expectVerified()
        }
    }

    /// What bears on every notification of a device.
    enum Cause: String, CaseIterable {
        case firstContext, serviceExtension, schedule, erasure
    }

    @Test("what bears on all 6,000 notifications of a device is followed in slices", arguments: Cause.allCases)
    func slices(_ cause: Cause) async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.slice_rows", to: 2_000, on: fixture.connection)
            if cause == .schedule {
                try await fixture.firings(1...6_000)
            } else {
                try await fixture.history(1...6_000, version: cause == .firstContext ? "NULL" : "1")
            }
            try await Settler.settleNow(on: fixture.connection)
            try await fixture.runner(batch: 5_000).catchUp()
            try await fixture.connection.query("ANALYZE")
            let before = try await fixture.status().position
            switch cause {
            case .firstContext: try await fixture.history(0...0, version: "'first'")
            case .serviceExtension: try await fixture.deliver()
            case .schedule: try await fixture.schedule(category: "news")
            case .erasure: _ = try await Erasure(fixture.database.configuration).erase("d", app: 1)
            }
            let worker = try await fixture.database.connect(settings: ["search_path": "projection"])
            var batches = 0
            repeat {
                batches += 1
                let read = try await fixture.readByBatch(on: worker)
                // 1,000 notifications of which each is read some times; of all 6,000 it would be 200,000.
                #expect(read < 90_000, "\(read)")
                guard try await fixture.count("projection.device_walk") > 0 else { break }
                #expect(try await fixture.checkpoints.position(of: ["engagement"]) == before)
            } while batches < 20
            await worker.close()
            // The event's own, and 1,000 a batch; then nothing is left.
            #expect(batches == 7)
            #expect(try await fixture.checkpoints.position(of: ["engagement"]) > before)
            switch cause {
            case .firstContext:
                #expect(try await fixture.count("projection.notification WHERE app_version = 'first'") == 6_001)
            case .serviceExtension:
                #expect(try await fixture.count("projection.notification WHERE NOT delivery_observable") == 1)
            case .schedule:
                let named = try await fixture.count(
                    "projection.notification WHERE category = 'news' AND occurrence < 'infinity'"
                )
                #expect(named == 6_000)
            case .erasure: #expect(try await fixture.count("projection.notification WHERE device_id = 'd'") == 0)
            }
            try await fixture.expectVerified()
        }
    }

    @Test("a category with thousands of versions: a notification of it reads its own")
    func categoryVersions() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.register(versions: 1...4_000)
            let read = try await fixture.readByNext {
                try await $0.history(1...10, version: "'4001'", category: "news")
            }
            #expect(read < 1_000, "\(read)")
            // No version of its own: what any registered.
            let observable = try await fixture.count("projection.notification WHERE dismiss_observable")
            #expect(observable == 10)
            try await fixture.expectVerified()
        }
    }
}

extension ProjectionFixture {
    /// An event a minute, or one more after so many seconds.
    private func append(
        _ kind: String,
        _ minutes: ClosedRange<Int32>,
        seconds: Int32 = 0,
        occurrence: String = "NULL",
        _ columns: String
    ) async throws {
        try await connection.query(
            """
            INSERT INTO log.event
            SELECT nextval('log.position'), at, at, at, at, \(occurrence), gen_random_uuid(), 1, 0, 1, false, '\(kind)', \(columns)
            FROM (
              SELECT n, timestamptz '2026-01-05' + n * interval '1 minute' + $3 * interval '1 second' AS at
              FROM generate_series($1, $2) AS n
            ) e
            ORDER BY at
            """,
            [.int4(minutes.lowerBound), .int4(minutes.upperBound), .int4(seconds)],
            cached: false
        )
    }

    /// Settings of the device `d` a minute.
    fileprivate func settings(_ minutes: ClosedRange<Int32>, status: String, seconds: Int32 = 0) async throws {
        try await append(
            "settings",
            minutes,
            seconds: seconds,
            "'d', NULL, NULL, jsonb_build_object('authorization_status', \(status))"
        )
    }

    /// App opens of the device `d`, each of another app version, at one time.
    fileprivate func versions(_ numbers: ClosedRange<Int32>) async throws {
        try await connection.query(
            """
            INSERT INTO log.event
            SELECT nextval('log.position'), at, at, at, at, NULL, gen_random_uuid(), 1, 0, 1, false, 'app_open', 'd', NULL, NULL,
              jsonb_build_object('source', 'launch', 'context', jsonb_build_object('app_version', n::text))
            FROM generate_series($1, $2) AS n, (VALUES (timestamptz '2026-01-05')) AS v (at)
            """,
            [.int4(numbers.lowerBound), .int4(numbers.upperBound)]
        )
    }

    /// Settings of the device `d` at one time. Their ids are so far apart, in the order of the numbers.
    fileprivate func settingsOfOneTime(
        _ numbers: Range<Int32>,
        each step: Int32,
        plus: Int32 = 0,
        status: String
    ) async throws {
        try await connection.query(
            """
            INSERT INTO log.event
            SELECT nextval('log.position'), at, at, at, at, NULL, lpad(to_hex(n * $3 + $4), 32, '0')::uuid, 1, 0, 1, false, 'settings',
              'd', NULL, NULL, jsonb_build_object('authorization_status', \(status))
            FROM generate_series($1, $2) AS n, (VALUES (timestamptz '2026-01-05')) AS v (at)
            """,
            [.int4(numbers.lowerBound), .int4(numbers.upperBound - 1), .int4(step), .int4(plus)],
            cached: false
        )
    }

    /// A push a minute to the device `d`, with the context of an app version.
    fileprivate func history(
        _ minutes: ClosedRange<Int32>,
        version: String,
        seconds: Int32 = 0,
        category: String = "other"
    ) async throws {
        try await append(
            "request",
            minutes,
            seconds: seconds,
            """
            'd', 'n' || n || '\(seconds == 0 ? "" : "-\(seconds)")', NULL,
            jsonb_strip_nulls(jsonb_build_object('origin', 'provider', 'alerting', true, 'trigger', '{"type": "push"}'::jsonb,
              'mutable_content', true, 'category_id', '\(category)',
              'context', nullif(jsonb_strip_nulls(jsonb_build_object('app_version', (\(version))::text)), '{}')))
            """
        )
    }

    /// Snapshots of the device `d` a minute, with periods of 2,000; or one inside a period.
    fileprivate func snapshots(
        _ series: DeviceWorkTests.Series,
        _ minutes: ClosedRange<Int32>,
        areLate: Bool = false
    ) async throws {
        let seconds: Int32 = areLate ? 30 : 0
        switch series {
        case .contexts: try await history(minutes, version: areLate ? "'late'" : "n / 2000", seconds: seconds)
        case .settings:
            let status = areLate ? "'provisional'" : "CASE n / 2000 % 2 WHEN 0 THEN 'authorized' ELSE 'denied' END"
            try await settings(minutes, status: status, seconds: seconds)
        }
    }

    fileprivate func respond(to notification: String, minute: Int32) async throws {
        try await append(
            "action_response",
            minute...minute,
            #"'d', '\#(notification)', NULL, '{"action_id": "default"}'"#
        )
    }

    /// Registrations, each of a device of its own.
    fileprivate func tokens(_ minutes: ClosedRange<Int32>) async throws {
        try await append(
            "token",
            minutes,
            """
            'd' || n, NULL, sha256(n::text::bytea),
            '{"provider": "apns", "type": "alert", "environment": "production", "state": "registered"}'
            """
        )
    }

    /// Responses to notifications, each some hours after it.
    fileprivate func respond(_ minutes: ClosedRange<Int32>) async throws {
        try await append(
            "action_response",
            minutes,
            seconds: 9_999,
            #"'d', 'n' || n, NULL, '{"action_id": "default"}'"#
        )
    }

    /// A delivery from a service extension.
    fileprivate func deliver() async throws {
        try await append("delivery", 6_001...6_001, #"'d', 'last', NULL, '{"source": "service_extension"}'"#)
    }

    /// Deliveries of a repeating notification that was not requested yet.
    fileprivate func firings(_ minutes: ClosedRange<Int32>) async throws {
        try await append(
            "delivery",
            minutes,
            occurrence: "at",
            #"'d', 'daily', NULL, '{"source": "delivered_list"}'"#
        )
    }

    fileprivate func schedule(category: String) async throws {
        try await append(
            "request",
            0...0,
            """
            'd', 'daily', NULL, '{"origin": "app", "alerting": true, "trigger": {"type": "calendar", "repeats": true},
              "category_id": "\(category)"}'
            """
        )
    }

    /// Registrations of the category `news`, each of another app version.
    fileprivate func register(versions: ClosedRange<Int32>) async throws {
        try await append(
            "category_registration",
            versions,
            """
            'd' || n, NULL, NULL, jsonb_build_object('context', jsonb_build_object('app_version', n::text), 'categories',
              '[{"id": "news", "options": ["custom_dismiss_action"]}]'::jsonb)
            """
        )
    }
}
