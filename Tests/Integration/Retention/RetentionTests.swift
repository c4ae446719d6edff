import EventLog
import Logging
import NotificationEvents
import Pacing
import Postgres
import Projections
import Schema
import Testing

@Suite("Retention")
struct RetentionTests {
    private static let day = RetentionStore.day
    private static let hour: Int64 = 3_600_000_000

    private static func event(
        _ kind: String,
        day: Int,
        notification: String? = "n-1",
        device: String = "device-1",
        data: String
    ) -> NormalisedEvent {
        let at = Timestamp(microseconds: RetentionStore.start(of: day).microseconds + 12 * hour)
        return SampleEvents.make(kind: kind, device: device, at: at, notification: notification, data: data)
    }

    private static func request(day: Int, _ notification: String = "n-1") -> NormalisedEvent {
        event("request", day: day, notification: notification, data: #"{"origin":"app","alerting":true}"#)
    }

    @Test("a dry run shows what would be dropped and what is held, and does nothing")
    func dryRun() async throws {
        try await RetentionStore.with(days: 6) { store in
            _ = try await store.log.append([Self.request(day: 0), Self.request(day: 2, "n-2")], app: 1)
            try await store.catchUp()
            _ = try await store.log.append([Self.request(day: 1, "n-3")], app: 1)
            let plan = try await store.retention().plan(horizon: RetentionStore.start(of: 3))
            #expect(plan.map(\.partition) == ["event_day_00", "event_day_01", "event_day_02"])
            #expect(plan[0].heldBy == [] && plan[2].heldBy == [])
            let leaders = store.catalogue.groups.map(\.leader).sorted()
            #expect(plan[1].heldBy == leaders.map { "projection \($0) at position 2" })
            #expect(plan[1].from == RetentionStore.start(of: 1) && plan[1].to == RetentionStore.start(of: 2))
            #expect(try await store.count("log.event") == 3)
            #expect(try await store.connection.value("SELECT floor = '-infinity' FROM log.state"))
        }
    }

    @Test("a partition that a projection has not passed stays, and it is said which; the ones before it go")
    func heldBack() async throws {
        try await RetentionStore.with(days: 6) { store in
            _ = try await store.log.append([Self.request(day: 0)], app: 1)
            try await store.catchUp()
            _ = try await store.log.append([Self.request(day: 1, "n-2")], app: 1)
            let checkpoints = ProjectionCheckpoints(
                catalogue: store.catalogue,
                pool: Pool(store.database.configuration, limit: 1)
            )
            try await checkpoints.setPaused(true, projection: "device_token")
            try await store.catchUp()
            let error = await #expect(throws: RetentionError.self) {
                try await store.retention().run(horizon: RetentionStore.start(of: 3))
            }
            #expect(error?.isHeld == true)
            #expect(
                error?.description.contains("event_day_01 is held by projection device_token at position 1")
                    == true
            )
            #expect(try await store.count("log.partitions()") == 5)
            #expect(try await store.count("log.event") == 1)
            #expect(
                try await store.connection.value("SELECT floor FROM log.state", as: Int64.self)
                    == RetentionStore.start(of: 1).microseconds
            )

            try await checkpoints.setPaused(false, projection: "device_token")
            try await store.catchUp()
            try await store.retention().run(horizon: RetentionStore.start(of: 3))
            #expect(try await store.count("log.event") == 0)
        }
    }

    @Test("a version being built holds back what it has not read; one that begins later begins from the baseline")
    func versionBeside() async throws {
        try await RetentionStore.with(days: 6) { store in
            _ = try await store.log.append([Self.request(day: 0)], app: 1)
            try await store.catchUp()
            try await store.connection.query(
                """
                INSERT INTO projection.version_lane (schema_name, leader, lane)
                VALUES ('projection_next_test', 'notification', 0)
                """
            )
            let error = await #expect(throws: RetentionError.self) {
                try await store.retention().run(horizon: RetentionStore.start(of: 1))
            }
            #expect(error?.description.contains("projection_next_test.notification at position 0") == true)
            #expect(try await store.count("log.event") == 1)
            try await store.connection.query(
                "DELETE FROM projection.version_lane WHERE schema_name = 'projection_next_test'"
            )
            try await store.retention().run(horizon: RetentionStore.start(of: 1))
            #expect(try await store.count("log.event") == 0)
            #expect(try await store.differencesFromRebuild() == [])
        }
    }

    @Test("what is dropped is not forgotten: a late response is counted once, under its own notification")
    func lateResponse() async throws {
        try await RetentionStore.with(days: 8) { store in
            _ = try await store.log.append(
                [
                    Self.request(day: 0),
                    Self.event("delivery", day: 0, data: #"{"source":"service_extension","category_id":"news"}"#),
                    Self.request(day: 0, "n-2"),
                ],
                app: 1
            )
            try await store.catchUp()
            try await store.retention().run(horizon: RetentionStore.start(of: 3))
            #expect(try await store.count("log.event") == 0)
            #expect(try await store.count("projection.notification") == 2)

            let late = Self.event("action_response", day: 5, data: #"{"action_id":"default","category_id":"news"}"#)
            guard case .stored(let position) = try await store.log.append([late], app: 1)[0] else {
                Issue.record("not stored")
                return
            }
            #expect(try await store.log.append([late], app: 1) == [.duplicate(position: position)])
            try await store.catchUp()
            #expect(
                try await store.connection.value(
                    """
                    SELECT string_agg(format('%s %s %s %s %s', bucket = $1, category, notifications, responded, response_only),
                      '; ' ORDER BY category)
                    FROM engagement WHERE dimension = '' AND grain = 'day'
                    """,
                    [.timestamptz(RetentionStore.firstDay)],
                    as: String.self
                ) == "t  1 0 0; t news 1 1 0"
            )
            #expect(try await store.differencesFromRebuild() == [])
        }
    }

    @Test("a device whose events were dropped is erased from what was kept of them, and the counts stand")
    func erasedLater() async throws {
        try await RetentionStore.with(days: 8) { store in
            let device = "gone-with-its-partition"
            let settings = #"{"settings":{"authorization_status":"authorized"}}"#
            let dropped = [
                Self.event("request", day: 0, device: device, data: #"{"origin":"app","alerting":true}"#),
                Self.event("open_settings", day: 0, notification: nil, device: device, data: settings),
                Self.request(day: 0, "n-2"),
            ]
            _ = try await store.log.append(dropped, app: 1)
            try await store.catchUp()
            try await store.retention().run(horizon: RetentionStore.start(of: 3))
            #expect(try await store.count("log.event") == 0)
            let kept = try await StoreSearch.places(of: [device], in: store.database)
            #expect(kept.contains("baseline.notification.device_id"), "the search finds what the baseline has")

            _ = try await Erasure(store.database.configuration).erase(device, app: 1)
            try await store.catchUp()
            #expect(try await StoreSearch.places(of: [device], in: store.database) == [])
            #expect(try await store.count("projection.notification") == 2)
            #expect(try await store.differencesFromRebuild() == [])
        }
    }

    @Test("a late snapshot that lies between two that were dropped parts them, before the drop or after it")
    func lateSnapshot() async throws {
        try await RetentionStore.with(days: 8) { store in
            /// A device that says its version, so many hours after the first day began.
            func snapshot(_ hours: Int64, _ version: Int, receivedAt: Int64) -> NormalisedEvent {
                let start = RetentionStore.firstDay
                var event = SampleEvents.make(
                    kind: "open_settings",
                    at: Timestamp(microseconds: start + hours * Self.hour),
                    notification: nil,
                    data: #"{"context":{"app_version":"\#(version)"}}"#
                )
                event.receivedAt = Timestamp(microseconds: start + receivedAt * Self.hour)
                return event
            }
            // Of the first day, some from a clock that is ahead; and one late, between those, that the log still holds.
            let dropped = [10, 12, 18, 20].map { snapshot($0, 1, receivedAt: $0) }
            let ahead = [29, 32, 35].map { snapshot($0, 1, receivedAt: 20) }
            _ = try await store.log.append(dropped + ahead + [snapshot(15, 2, receivedAt: 60)], app: 1)
            try await store.catchUp()
            try await store.retention().run(horizon: RetentionStore.start(of: 1))
            #expect(try await store.count("log.event") == 1)
            // And one that comes when they are gone.
            _ = try await store.log.append([snapshot(33, 2, receivedAt: 80)], app: 1)
            try await store.catchUp()
            let periods: String = try await store.connection.value(
                """
                SELECT string_agg(format('%s: %s-%s', value->>'app_version', extract(epoch FROM first_at - $1)::integer / 3600,
                  extract(epoch FROM last_at - $1)::integer / 3600), ', ' ORDER BY first_at)
                FROM device_period WHERE series = 'context'
                """,
                [.timestamptz(RetentionStore.firstDay)]
            )
            #expect(periods == "1: 10-12, 2: 15-15, 1: 18-32, 2: 33-33, 1: 35-35")
            #expect(try await store.differencesFromRebuild() == [])
        }
    }

    /// A device's versions and the hours at which it says them, in the order in which they come.
    static let splitByLaterBatches: [[(version: String, hour: Int64)]] = [
        [("A", 1), ("A", 10), ("B", 8), ("another device", 9), ("B", 7)],
        [("A", 1), ("A", 10), ("B", 5), ("B", 8), ("C", 7)],
    ]

    @Test(
        "a partition that goes in several batches parts a device's periods as one batch would",
        arguments: splitByLaterBatches
    )
    func severalBatches(_ said: [(version: String, hour: Int64)]) async throws {
        try await RetentionStore.with(days: 8) { store in
            for (version, hour) in said {
                let isOther = version == "another device"
                var event = SampleEvents.make(
                    kind: "open_settings",
                    device: isOther ? "device-2" : "device-1",
                    at: Timestamp(microseconds: RetentionStore.firstDay + hour * Self.hour),
                    notification: nil,
                    data: #"{"context":{"app_version":"\#(version)"}}"#
                )
                event.receivedAt = Timestamp(microseconds: RetentionStore.firstDay + 12 * Self.hour)
                _ = try await store.log.append([event], app: 1)
            }
            try await store.catchUp()
            try await store.retention(batchLimit: 2).run(horizon: RetentionStore.start(of: 1))
            #expect(try await store.count("log.event") == 0)
            #expect(try await store.differencesFromRebuild() == [])
        }
    }

    @Test("a version that begins while a month goes holds it before what is kept of devices tells of all of it")
    func versionBegunMeanwhile() async throws {
        try await RetentionStore.with(days: 8) { store in
            let context = #"{"context":{"app_version":"1"}}"#
            let snapshot = Self.event("open_settings", day: 0, notification: nil, data: context)
            _ = try await store.log.append([snapshot], app: 1)
            try await store.catchUp()
            try await store.connection.execute(
                script: """
                    CREATE FUNCTION public.begin_version() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                      INSERT INTO projection.version_lane (schema_name, leader, lane)
                      VALUES ('projection_next_test', 'notification', 0) ON CONFLICT DO NOTHING;
                      RETURN NULL;
                    END $$;
                    CREATE TRIGGER begin_version AFTER UPDATE ON baseline.checkpoint
                    FOR EACH STATEMENT EXECUTE FUNCTION public.begin_version();
                    """
            )
            let error = await #expect(throws: RetentionError.self) {
                try await store.retention().run(horizon: RetentionStore.start(of: 1))
            }
            #expect(error?.isHeld == true)
            #expect(try await store.count("baseline.kept_run") == 0)
            try await store.connection.query("DROP TRIGGER begin_version ON baseline.checkpoint")
            try await store.connection.query(
                "DELETE FROM projection.version_lane WHERE schema_name = 'projection_next_test'"
            )
            try await store.retention().run(horizon: RetentionStore.start(of: 1))
            #expect(try await store.count("baseline.kept_run") == 1)
            #expect(try await store.differencesFromRebuild() == [])
        }
    }

    @Test("a replay of a dropped event is refused and not stored a second time, whatever its clock said")
    func replay() async throws {
        try await RetentionStore.with(days: 8) { store in
            let plain = Self.request(day: 0)
            var ahead = Self.request(day: 0, "n-2")
            // This sender's clock was two days ahead, past what is dropped now.
            ahead.occurredAt = RetentionStore.start(of: 2)
            ahead.effectiveAt = ahead.receivedAt
            ahead.timeClamped = true
            let kept = Self.request(day: 2, "n-3")
            _ = try await store.log.append([plain, ahead, kept], app: 1)
            try await store.catchUp()
            try await store.retention().run(horizon: RetentionStore.start(of: 1))
            #expect(try await store.count("log.event") == 1)
            #expect(try await store.count("log.identity") == 2)

            // Sent again, and so received again: days later.
            func again(_ event: NormalisedEvent) -> NormalisedEvent {
                var event = event
                event.receivedAt = RetentionStore.start(of: 3)
                event.effectiveAt = event.occurredAt
                event.timeClamped = false
                return event
            }
            let results = try await store.log.append([plain, ahead, kept].map(again), app: 1)
            #expect(results == [.tooOld, .duplicate(position: 2), .duplicate(position: 3)])

            try await store.retention().run(horizon: RetentionStore.start(of: 3))
            #expect(try await store.count("log.identity") == 0)
            #expect(try await store.count("log.early_identity") == 0)
            #expect(
                try await store.log.append([plain, ahead, kept].map(again), app: 1) == [.tooOld, .tooOld, .tooOld]
            )
            #expect(try await store.count("log.event") == 0)
        }
    }

    @Test("an append that is under way when the floor is raised is waited for, and its event is not lost")
    func appendUnderWay() async throws {
        try await RetentionStore.with(days: 6) { store in
            _ = try await store.log.append([Self.request(day: 0)], app: 1)
            try await store.catchUp()
            let slow = try await store.database.connect()
            try await slow.execute(
                script: """
                    BEGIN;
                    SELECT log.append('{1}', ARRAY[gen_random_uuid()], ARRAY[gen_random_uuid()], '{request}', '{device-1}',
                      ARRAY['\(RetentionStore.start(of: 0))'::timestamptz], ARRAY['\(RetentionStore.start(of: 0))'::timestamptz],
                      ARRAY['\(RetentionStore.start(of: 0))'::timestamptz], '{NULL}', '{NULL}', '{0}', '{1}', '{f}', '{n-9}',
                      '{NULL}', '{"{}"}')
                    """
            )
            let retention = try store.retention()
            let running = Task { try await retention.run(horizon: RetentionStore.start(of: 1)) }
            let isRaised = try await eventually {
                try await store.connection.value("SELECT floor > '-infinity' FROM log.state")
            }
            #expect(isRaised)
            let isWaiting = try await eventually {
                try await store.connection.value("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
            }
            #expect(isWaiting)
            try await slow.execute(script: "COMMIT")
            let error = await #expect(throws: RetentionError.self) { try await running.value }
            #expect(error?.isHeld == true)
            #expect(try await store.count("log.event") == 2)
            try await store.catchUp()
            try await retention.run(horizon: RetentionStore.start(of: 1))
            #expect(try await store.count("projection.notification") == 2)
            #expect(try await store.differencesFromRebuild() == [])
            await slow.close()
        }
    }

    @Test("while an idle transaction holds the log, nothing is dropped and appends go on; once it ends, retention does")
    func idleTransaction() async throws {
        try await RetentionStore.with(days: 8) { store in
            _ = try await store.log.append([Self.request(day: 0)], app: 1)
            try await store.catchUp()
            let idle = try await store.database.connect()
            try await idle.execute(script: "BEGIN; SELECT count(*) FROM log.event")
            let retention = try store.retention(timeout: .seconds(3))
            let running = Task { try await retention.run(horizon: RetentionStore.start(of: 1)) }
            let appending = Task {
                var slowest = Duration.zero
                var stored = 0
                let clock = ContinuousClock()
                let end = clock.now + .seconds(3)
                while clock.now < end {
                    let start = clock.now
                    let results = try await store.log.append([Self.request(day: 4, "n-\(stored)")], app: 1)
                    if case .stored = results[0] { stored += 1 }
                    slowest = max(slowest, clock.now - start)
                }
                return (stored, slowest)
            }
            let error = await #expect(throws: RetentionError.self) { try await running.value }
            #expect(error?.isLocked == true)
            let pid: Int32 = try await idle.value("SELECT pg_backend_pid()")
            #expect(error?.description.contains(String(pid)) == true)
            let (stored, slowest) = try await appending.value
            #expect(stored > 10)
            #expect(slowest < .seconds(2), "an append waited \(slowest)")
            #expect(try await store.count("log.partitions()") == 8)

            try await idle.execute(script: "COMMIT")
            try await store.catchUp()
            try await retention.run(horizon: RetentionStore.start(of: 1))
            #expect(try await store.count("log.partitions()") == 7)
            #expect(try await store.differencesFromRebuild() == [])
            await idle.close()
        }
    }

    /// As another cell copies a registration when it first hears that a device here has the token.
    @Test(
        "copies of another cell's events that came after the last event of their day outlive that day, and a rebuild has them"
    )
    func lateCopies() async throws {
        try await RetentionStore.with(days: 6) { store in
            func registers(_ table: String, _ columns: String, _ values: String, _ device: String) async throws {
                try await store.connection.execute(
                    script: """
                        INSERT INTO \(table) (position, received_at, occurred_at, effective_at, id, app_id, utc_offset, schema_version,
                          time_clamped, kind, device_id, token, data\(columns))
                        SELECT nextval('log.position'), at, at, at, gen_random_uuid(), 1, 0, 1, false, 'token', '\(device)', sha256('t'),
                          '{"provider": "apns", "type": "alert", "environment": "production", "state": "registered"}'\(values)
                        FROM (SELECT timestamptz '\(RetentionStore.start(of: 0))' + interval '\(device == "here" ? 1 : 2) h' AS at) e
                        """
                )
            }
            try await registers("log.event", "", "", "here")
            _ = try await store.log.append([Self.request(day: 2)], app: 1)
            try await store.catchUp()
            try await registers("log.copy", ", cell", ", 1", "elsewhere")
            _ = try await store.log.append([Self.request(day: 3, "n-2")], app: 1)
            try await store.catchUp()
            #expect(try await store.count("projection.token_event WHERE token = sha256('t')") == 2)
            for day in [1, 2, 3] {
                try await store.retention().run(horizon: RetentionStore.start(of: day))
                #expect(try await store.differencesFromRebuild() == [], "\(day)")
            }
        }
    }

    @Test("the service runs it by itself, and again when a day has gone by")
    func daily() async throws {
        try await RetentionStore.with(days: 8) { store in
            _ = try await store.log.append([Self.request(day: 0), Self.request(day: 1, "n-2")], app: 1)
            try await store.catchUp()
            let clock = TestClock(RetentionStore.start(of: 4).microseconds)
            let service = try store.retention().daily(
                keeping: .seconds(3 * 86_400),
                now: { clock.now },
                check: .milliseconds(10)
            )
            let running = Task { await service.run() }
            #expect(try await eventually { try await store.count("log.partitions()") == 7 })
            clock.advance(Self.day)
            #expect(try await eventually { try await store.count("log.partitions()") == 6 })
            running.cancel()
            await running.value
        }
    }
}
