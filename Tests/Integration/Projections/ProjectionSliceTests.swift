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
            try await fixture.runner(batch: 5_000).catchUp()
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
                    // The other app's figures wait for none of these slices.
                    let claims = try await fixture.connection.query(
                        """
                        SELECT p.position FROM unnest('{NULL,1,2}'::integer[]) WITH ORDINALITY AS a (app, place),
                          reporting.progress('{notification}', a.app) p ORDER BY a.place
                        """
                    ).map { try $0.get(0, as: Int64.self) }
                    #expect(claims == [before, before, changed + Int64(batches)])
                    try await fixture.connection.query("SET ROLE notilog_reader", cached: false)
                    _ = try await fixture.connection.query("SELECT reporting.progress('{notification}', 1)")
                    try await fixture.connection.query("RESET ROLE", cached: false)
                }
            } while try await fixture.count("projection.category_walk") > 0
            await worker.close()
            #expect(batches == 11)
            #expect(try await fixture.status().position == changed + Int64(batches))
            #expect(try await fixture.count("projection.category_change") == 0)
            try await fixture.expectVerified()
        }
    }

    @Test("an app whose category changes with every batch has another app's slices wait every second batch at most")
    func turns() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.slice_rows", to: 300, on: fixture.connection)
            // One row less than a slice has.
            try await fixture.requests(299, devices: 10)
            try await fixture.requests(3_000, devices: 30, app: 2)
            try await fixture.runner(batch: 5_000).catchUp()
            try await fixture.connection.query("ANALYZE")
            let options = [#"["custom_dismiss_action"]"#, "[]"]
            try await fixture.register(options: options[0], app: 2)
            let worker = try await fixture.database.connect(settings: ["search_path": "projection"])
            var batches = 0
            repeat {
                try await fixture.register(options: options[batches % 2])
                _ = try await fixture.readByBatch(on: worker)
                batches += 1
            } while try await fixture.count("projection.category_walk WHERE app_id = 2") > 0 && batches < 40
            // Ten slices of its own. Otherwise one of its notifications a batch would be updated: 3,000 batches.
            #expect(batches < 25, "\(batches)")
            #expect(try await fixture.count("projection.notification WHERE dismiss_observable AND app_id = 2") == 3_000)
            // The changes since are followed, too.
            try await fixture.runner(batch: 5_000).catchUp()
            await worker.close()
            try await fixture.expectVerified()
        }
    }

    @Test("a device that changes with every batch has another device's slices wait every second batch at most")
    func turnsOfDevices() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.slice_rows", to: 300, on: fixture.connection)
            // Devices have half of a slice: one row less than that.
            try await fixture.requests(149, devices: 1)
            try await fixture.requests(1_000, devices: 1, app: 2)
            try await fixture.runner(batch: 5_000).catchUp()
            try await fixture.connection.query("ANALYZE")
            let worker = try await fixture.database.connect(settings: ["search_path": "projection"])
            func change(_ app: Int32) async throws {
                try await worker.query(
                    """
                    SELECT walk_devices(ARRAY[app_id], ARRAY[device_id], '{false}', 1)
                    FROM notification WHERE app_id = $1 GROUP BY app_id, device_id
                    """,
                    [.int4(app)]
                )
            }
            try await change(2)
            var batches = 0
            repeat {
                try await change(1)
                _ = try await fixture.readByBatch(on: worker)
                batches += 1
            } while try await fixture.count("projection.device_walk WHERE app_id = 2") > 0 && batches < 40
            // Seven slices of its own. Otherwise one of its notifications a batch would be updated: 1,000 batches.
            #expect(batches < 20, "\(batches)")
            try await fixture.runner(batch: 5_000).catchUp()
            await worker.close()
            try await fixture.expectVerified()
        }
    }

    @Test("what a new version of the app registers bears on its own notifications alone, unless no version did before")
    func ofAVersion() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.requests(3_000, devices: 30)
            // Devices of the second version, which has not said anything of its categories yet.
            try await fixture.contexts(devices: 0..<3, version: "2")
            try await fixture.contexts(devices: 3..<30, version: "1")
            try await fixture.register(options: #"["custom_dismiss_action"]"#)
            try await fixture.runner(batch: 50_000).catchUp()
            try await fixture.connection.query("ANALYZE")
            #expect(try await fixture.count("projection.notification WHERE dismiss_observable") == 3_000)
            let worker = try await fixture.database.connect(settings: ["search_path": "projection"])
            func read(_ options: String, version: String, sliced: Int) async throws -> Int64 {
                try await fixture.register(options: options, version: version)
                let read = try await fixture.readByBatch(on: worker)
                #expect(try await fixture.count("projection.category_walk") == 0)
                let has = try await fixture.count("projection.notification WHERE NOT dismiss_observable")
                #expect(has == sliced, "\(options) of \(version)")
                return read
            }
            // 3,000 are gone through, and those of the version read.
            let same = try await read(#"["custom_dismiss_action"]"#, version: "2", sliced: 0)
            let other = try await read("[]", version: "2", sliced: 300)
            let third = try await read(#"["custom_dismiss_action"]"#, version: "3", sliced: 300)
            _ = try await read("[]", version: "3", sliced: 300)
            let every = try await read("[]", version: "1", sliced: 3_000)
            #expect(
                same < third + 400 && other < third + 800 && every > third + 5_000,
                "\(same), \(other), \(third), \(every)"
            )
            // What a version registers first is that of the versions that never registered anything, and of no other.
            try await fixture.contexts(devices: 0..<10, version: "4", on: "2026-01-04 12:00")
            _ = try await fixture.readByBatch(on: worker)
            let first = try await read(#"["custom_dismiss_action"]"#, version: "5", sliced: 2_000)
            #expect(first < third + 4_500, "3,000 looks for the version, and 1,000 notifications: \(first)")
            // More versions at once than a change names.
            for version in 10...115 {
                try await fixture.register(options: #"["custom_dismiss_action"]"#, version: "\(version)")
            }
            _ = try await read(#"["custom_dismiss_action"]"#, version: "1", sliced: 0)
            await worker.close()
            try await fixture.expectVerified()
        }
    }

    @Test("interrupted, verified, rebuilt, erased and changed again in the midst, it comes out the same")
    func disturbed() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.slice_rows", to: 25, on: fixture.connection)
            try await fixture.requests(3_000, devices: 30)
            try await fixture.runner(batch: 5_000).catchUp()
            let running = Task { [runner = fixture.runner(batch: 200)] in await runner.run() }
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

    @Test("a category that changes all the time keeps no rebuild from its end", .timeLimit(.minutes(5)))
    func restless() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.slice_rows", to: 25, on: fixture.connection)
            try await fixture.requests(3_000, devices: 30)
            try await fixture.runner(batch: 5_000).catchUp()
            let running = Task { [runner = fixture.runner(batch: 200)] in await runner.run() }
            let changing = Task {
                let connection = try await fixture.database.connect()
                var round = 0
                while !Task.isCancelled {
                    round += 1
                    try await fixture.register(
                        options: round % 2 == 0 ? "[]" : #"["custom_dismiss_action"]"#,
                        on: connection
                    )
                    try await Settler.settleNow(on: connection)
                }
                await connection.close()
            }
            try await eventually("slices are left") {
                try await fixture.count("projection.category_walk WHERE next_after IS NOT NULL") > 0
            }
            _ = try await fixture.rebuild("notification", batch: 500).run { _ in }
            try await eventually("it still changes") { try await fixture.count("projection.category_walk") > 0 }
            changing.cancel()
            _ = await changing.result
            running.cancel()
            _ = await running.result
            try await fixture.expectVerified()
        }
    }

    @Test("slices of a change that came just before the swap are applied while the version in use stands still")
    func atTheSwap() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.slice_rows", to: 500, on: fixture.connection)
            try await fixture.requests(3_000, devices: 30)
            try await fixture.runner(batch: 5_000).catchUp()
            // The next version, which has caught up, waits for this reader. Meanwhile the change comes, and the version in use
            // follows it.
            let reader = try await fixture.database.connect()
            try await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            _ = try await reader.value("SELECT count(*) FROM log.state", as: Int64.self)
            var isChanged = false
            let report = try await fixture.rebuild("notification", batch: 5_000).run { phase in
                guard phase == .waitingForReaders, !isChanged else { return }
                isChanged = true
                do {
                    try await fixture.register(options: #"["custom_dismiss_action"]"#)
                    try await fixture.runner(batch: 5_000).catchUp()
                } catch {
                    Issue.record(error)
                }
                await reader.close()
            }
            #expect(isChanged)
            #expect(report.attemptsPutOff == 0)
            #expect(try await fixture.count("projection.category_walk") == 0)
            #expect(try await fixture.count("projection.notification WHERE dismiss_observable") == 3_000)
            await reader.close()
            try await fixture.expectVerified()
        }
    }

    @Test("a verification ends if another version comes into use while it finishes slices", .timeLimit(.minutes(5)))
    func replaced() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.slice_rows", to: 300, on: fixture.connection)
            try await fixture.requests(3_000, devices: 30)
            try await fixture.runner(batch: 5_000).catchUp()
            try await fixture.register(options: #"["custom_dismiss_action"]"#)
            let worker = try await fixture.database.connect(settings: ["search_path": "projection"])
            _ = try await fixture.readByBatch(on: worker)
            await worker.close()
            // After its first slice, as by a swap.
            try await fixture.connection.execute(
                script: """
                    CREATE FUNCTION public.replace_version() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                      IF current_setting('application_name') = 'notilog verify' THEN
                        UPDATE projection.version SET version_id = DEFAULT
                        WHERE (schema_name, leader) = ('projection', 'notification');
                      END IF;
                      RETURN NULL;
                    END $$;
                    CREATE TRIGGER replace_version AFTER UPDATE ON projection.checkpoint
                    FOR EACH STATEMENT EXECUTE FUNCTION public.replace_version();
                    """
            )
            let error = await #expect(throws: ProjectionBuildError.self) { _ = try await fixture.verify() }
            #expect(error?.description.contains("another version of notification is in use now") == true)
            #expect(try await fixture.schemasBeside().isEmpty)
            try await fixture.connection.query("DROP TRIGGER replace_version ON projection.checkpoint")
            try await fixture.expectVerified()
        }
    }

    @Test("a notification whose update after a change takes for ever is left as it was; the rest and events go on")
    func slow() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.slice_rows", to: 300, on: fixture.connection)
            try await fixture.requests(2_000, devices: 20)
            try await fixture.runner(batch: 5_000).catchUp()
            try await fixture.connection.execute(
                script: """
                    CREATE FUNCTION public.stall() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                      IF NEW.notification_id = (
                        SELECT min(notification_id) FROM projection.notification WHERE device_id = 'device-7'
                      ) THEN PERFORM pg_sleep(3600); END IF;
                      RETURN NEW;
                    END $$;
                    CREATE TRIGGER stall BEFORE UPDATE ON projection.notification
                    FOR EACH ROW EXECUTE FUNCTION public.stall();
                    """
            )
            try await fixture.register(options: #"["custom_dismiss_action"]"#)
            try await fixture.requests(100, devices: 5, app: 2)
            let running = Task {
                [runner = fixture.runner(batch: 50, timeLimit: .seconds(3), eventTimeLimit: .seconds(1))] in
                await runner.run()
            }
            defer { running.cancel() }
            let last = try await Settler.settleNow(on: fixture.connection).rawValue
            try await eventually("it goes on", within: .seconds(180)) {
                try await fixture.checkpoints.position() >= last
            }
            #expect(try await fixture.count("projection.notification WHERE NOT dismiss_observable AND app_id = 1") == 1)
            #expect(try await fixture.checkpoints.setAside().isEmpty)
            let skipped = try await fixture.checkpoints.skipped()
            #expect(skipped.map(\.notifications) == [1])
            #expect(skipped.allSatisfy { $0.error.contains("57014") })
        }
    }

    @Test(
        "a notification that cannot be updated after a change is left as it was and said; the rest of it and events go on"
    )
    func poison() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.slice_rows", to: 300, on: fixture.connection)
            try await fixture.requests(2_000, devices: 20)
            try await fixture.runner(batch: 5_000).catchUp()
            let bad: String = try await fixture.connection.value(
                "SELECT min(notification_id) FROM projection.notification WHERE device_id = 'device-7'"
            )
            try await fixture.connection.execute(
                script: """
                    CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                      IF NEW.notification_id = '\(bad)' THEN RAISE 'refused' USING ERRCODE = '22023'; END IF;
                      RETURN NEW;
                    END $$;
                    CREATE TRIGGER refuse BEFORE UPDATE ON projection.notification
                    FOR EACH ROW EXECUTE FUNCTION public.refuse();
                    """
            )
            try await fixture.register(options: #"["custom_dismiss_action"]"#)
            try await fixture.requests(100, devices: 5, app: 2)
            let running = Task { [runner = fixture.runner(batch: 50)] in await runner.run() }
            defer { running.cancel() }
            let last = try await Settler.settleNow(on: fixture.connection).rawValue
            try await eventually("it goes on") { try await fixture.checkpoints.position() >= last }
            #expect(try await fixture.count("projection.notification WHERE NOT dismiss_observable AND app_id = 1") == 1)
            #expect(try await fixture.checkpoints.setAside().isEmpty)
            let skipped = try await fixture.checkpoints.skipped()
            #expect(skipped.map(\.app) == [1])
            #expect(skipped.map(\.notifications) == [1])
            #expect(skipped.allSatisfy { $0.error.contains("22023") && !$0.error.contains(bad) })

            try await fixture.connection.query("DROP TRIGGER refuse ON projection.notification")
            let retried = try await fixture.checkpoints.retry(projection: "notification")
            #expect(retried.notifications == 1)
            try await eventually("it is updated") {
                try await fixture.count("projection.notification WHERE NOT dismiss_observable AND app_id = 1") == 0
            }
            try await eventually("nothing is left") { try await fixture.checkpoints.position() >= last }
            running.cancel()
            _ = await running.result
            #expect(try await fixture.checkpoints.skipped().isEmpty)
            try await fixture.expectVerified()
        }
    }

    @Test("a notification whose update fails once, and not when it is tried again, is updated")
    func failsOnce() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.database.set("notilog.slice_rows", to: 300, on: fixture.connection)
            try await fixture.requests(2_000, devices: 20)
            try await fixture.runner(batch: 5_000).catchUp()
            // Every slice is refused until one of a single notification was; the device's own are updated with its event.
            try await fixture.connection.execute(
                script: """
                    CREATE SEQUENCE public.single;
                    CREATE FUNCTION public.refuse_once() RETURNS trigger LANGUAGE plpgsql AS $$
                    DECLARE notifications bigint := (SELECT count(*) FROM changed WHERE device_id <> 'device-0');
                    BEGIN
                      IF notifications = 0 OR (SELECT is_called FROM public.single) THEN RETURN NULL; END IF;
                      IF notifications = 1 THEN PERFORM nextval('public.single'); END IF;
                      RAISE 'refused' USING ERRCODE = '22023';
                    END $$;
                    CREATE TRIGGER refuse_once AFTER UPDATE ON projection.notification
                    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_once();
                    """
            )
            try await fixture.register(options: #"["custom_dismiss_action"]"#)
            let last = try await Settler.settleNow(on: fixture.connection).rawValue
            let running = Task { [runner = fixture.runner(batch: 50)] in await runner.run() }
            defer { running.cancel() }
            try await eventually("it goes on") { try await fixture.checkpoints.position() >= last }
            running.cancel()
            _ = await running.result
            #expect(try await fixture.connection.value("SELECT is_called FROM public.single", as: Bool.self))
            #expect(try await fixture.checkpoints.skipped().isEmpty)
            #expect(try await fixture.count("projection.notification WHERE NOT dismiss_observable") == 0)
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

    /// What devices say of their version of the app, before all requests.
    fileprivate func contexts(devices: Range<Int32>, version: String, on day: String = "2026-01-04") async throws {
        try await connection.query(
            """
            INSERT INTO log.event
            SELECT nextval('log.position'), at, at, at, at, NULL, gen_random_uuid(), 1, 0, 1, false, 'app_open', 'device-' || n, NULL, NULL,
              jsonb_build_object('source', 'launch', 'context', jsonb_build_object('app_version', $3))
            FROM generate_series($1, $2) AS n, LATERAL (SELECT $4::timestamptz + n * interval '1 second' AS at) x
            """,
            [.int4(devices.lowerBound), .int4(devices.upperBound - 1), .text(version), .text(day)]
        )
        try await Settler.settleNow(on: connection)
    }

    /// A registration newer than all before.
    fileprivate func register(
        options: String,
        version: String = "1",
        app: AppID = 1,
        on other: Connection? = nil
    ) async throws {
        try await (other ?? connection).query(
            """
            INSERT INTO log.event
            SELECT p, at, at, at, at, NULL, gen_random_uuid(), $3, 0, 1, false, 'category_registration', 'device-0', NULL, NULL,
              jsonb_build_object('context', jsonb_build_object('app_version', $2),
                'categories', jsonb_build_array(jsonb_build_object('id', 'news', 'options', $1::jsonb)))
            FROM (SELECT p, timestamptz '2026-01-10' + p * interval '1 second' AS at FROM (SELECT nextval('log.position') AS p) d) e
            """,
            [.text(options), .text(version), .app(app)]
        )
    }
}
