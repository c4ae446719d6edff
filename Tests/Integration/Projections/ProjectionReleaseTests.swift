import EventLog
import Logging
import Postgres
import Projections
import Schema
import Testing

/// What happens to projections when a release brings others.
@Suite("Projections: releases")
struct ProjectionReleaseTests {
    private func migrate(_ fixture: ProjectionFixture, _ folder: ReleaseFolder) async throws {
        try await Migrator(folder: folder, logger: Logger(label: "test.migrate")).migrate(on: fixture.connection)
    }

    private static let table = "projections/notification/table.sql"
    private static let oldTable = "CREATE TABLE IF NOT EXISTS device_extension ("
    private static let newTable = oldTable + "\n  note text DEFAULT 'new',"

    private static func addColumn(in release: ProjectionFolder) throws {
        try release.replace(oldTable, with: newTable, in: table)
    }

    @Test(
        "other tables: what serves goes on with its own functions until it is rebuilt, and live then goes on with the new"
    )
    func otherTables() async throws {
        try await ProjectionFolder.with { release in
            try Self.addColumn(in: release)
            try await ProjectionFixture.with { fixture in
                try await fixture.fill(600)
                let running = Task { [runner = fixture.runner(batch: 100)] in await runner.run() }
                defer { running.cancel() }
                try await eventually("live begins") { try await fixture.status().position == 600 }
                try await migrate(fixture, release.sql)
                #expect(try await fixture.checkpoints.differences(from: release.sql) == ["notification": .tables])
                #expect(try await fixture.checkpoints.differences(from: fixture.folder).isEmpty)
                await #expect(throws: ProjectionBuildError.self) {
                    _ = try await ProjectionVerification(
                        fixture.database.configuration,
                        files: ProjectionFiles(fixture.checkpoints.group(of: "notification"), in: release.sql),
                        logger: Logger(label: "test.verify")
                    ).run { _ in }
                }
                try await fixture.fill(400)
                try await eventually("it serves on") { try await fixture.status().position == 1_000 }
                #expect(try await fixture.status().failure == nil)

                try await ProjectionFixture.rebuild("notification", release.sql, fixture)
                #expect(try await fixture.checkpoints.differences(from: release.sql).isEmpty)
                let devices = try await fixture.count("projection.device_extension WHERE note = 'new'")
                #expect(devices == 50)
                // What analysts read has gone along, with the new column.
                let read = try await fixture.count("readable.device_extension WHERE note = 'new'")
                #expect(read == 50)
                let said: String = try await fixture.connection.value(
                    "SELECT coalesce(obj_description('projection.notification_slice'::regproc, 'pg_proc'), '')"
                )
                #expect(said.hasPrefix("The next slice"))
                try await fixture.fill(500)
                try await eventually("live goes on with the new version") {
                    try await fixture.status().position == 1_500
                }
                #expect(try await fixture.status().failure == nil)
                #expect(try await fixture.checkpoints.setAside().isEmpty)
            }
        }
    }

    @Test("a version of an earlier fold lacks columns and rollups: it goes on and answers, and a rebuild brings them")
    func earlierFold() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(600)
            try await fixture.runner(batch: 100).catchUp()
            try await fixture.connection.execute(
                script: """
                    ALTER TABLE projection.notification DROP COLUMN removed_at CASCADE, DROP COLUMN gone_at,
                      DROP COLUMN reach_unknown;
                    DROP TABLE projection.cohort_outcome, projection.device_week, projection.variant_day,
                      projection.variant_crossed, projection.variant_pair, projection.cohort_extension_count,
                      projection.cohort_extension_duration, projection.cohort_action_count,
                      projection.cohort_action_latency, projection.cohort_removal_count, projection.setting_change,
                      projection.setting_excess, projection.live_activity_accepted CASCADE;
                    DROP FUNCTION projection.variant_days_around, projection.variants_crossed,
                      projection.cohort_runs_known, projection.cohort_presses_known, projection.cohort_removals_known,
                      projection.write_setting_changes, projection.setting_rows;
                    UPDATE projection.version
                    SET tables = 'earlier', objects = ARRAY(
                      SELECT o FROM unnest(objects) AS o
                      WHERE to_regclass('projection.' || o) IS NOT NULL OR to_regproc('projection.' || o) IS NOT NULL)
                    WHERE leader = 'notification';
                    """
            )
            let before = try await fixture.count("projection.notification")
            try await fixture.fill(600)
            try await fixture.runner(batch: 100).catchUp()
            #expect(try await fixture.status().position == 1_200)
            #expect(try await fixture.status().failure == nil)
            #expect(try await fixture.checkpoints.setAside().isEmpty)
            #expect(try await fixture.count("projection.notification") > before)
            // Nothing of another schema was written in their place.
            #expect(try await fixture.count("pg_class WHERE relname IN ('cohort_outcome', 'device_week')") == 0)
            try await fixture.connection.query(
                "INSERT INTO notilog.app (app_id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'shop')"
            )
            func answers(_ report: String) async throws -> [String] {
                try await fixture.connection.query(
                    """
                    SELECT r::text
                    FROM report.\(report)('shop', "from" => '2026-01-01', "to" => '2026-01-19', as_of => '2026-01-20') r
                    """,
                    cached: false
                ).map { try $0.get(0, as: String.self) }
            }
            let exact = ["engagement", "funnel", "frequency", "actions", "extensions"]
            var answered: [[String]] = []
            for report in exact { answered.append(try await answers(report)) }
            #expect(answered.allSatisfy { !$0.isEmpty })
            let times = try await answers("response_times")

            let rebuild = try fixture.rebuild("notification")
            _ = try await rebuild.run { _ in }
            #expect(try await fixture.count("projection.cohort_outcome") > 0)
            for (report, before) in zip(exact, answered) { #expect(try await answers(report) == before) }
            // From the rollup; its times are the middles of their buckets.
            #expect(try await answers("response_times").count == times.count)
            try await fixture.expectVerified()
        }
    }

    @Test("a version that cannot say on which notifications a change of a category bears has it bear on all")
    func earlierCategories() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(600)
            try await fixture.runner(batch: 100).catchUp()
            // What the release before made.
            try await fixture.connection.execute(
                script: """
                    ALTER TABLE projection.category_change DROP COLUMN app_versions CASCADE, DROP COLUMN others;
                    DROP FUNCTION projection.category_versions_changed;
                    DO $$
                    DECLARE
                      slice   text := pg_get_functiondef('projection.notification_slice'::regproc);
                      earlier text := regexp_replace(slice, '[[:space:]]+AND [(]c[.]app_versions.*own[)]{3} AS', ') AS');
                    BEGIN
                      ASSERT slice <> earlier;
                      PERFORM set_config('search_path', 'projection', true);
                      EXECUTE earlier;
                    END $$;
                    CREATE OR REPLACE FUNCTION projection.category_changed(apps integer[], categories text[], after bigint) RETURNS void
                    LANGUAGE sql AS $$
                      INSERT INTO projection.category_change SELECT unnest(apps), unnest(categories), 1, 0;
                      INSERT INTO projection.category_walk
                      SELECT apps[1], 1, after, NULL::bigint, 0, '', '', timestamptz '-infinity', false, 0
                    $$;
                    UPDATE projection.version SET tables = 'earlier' WHERE leader = 'notification';
                    """
            )
            try await fixture.connection.query(
                """
                INSERT INTO log.event
                SELECT nextval('log.position'), at, at, at, at, NULL, gen_random_uuid(), 1, 0, 1, false, 'category_registration',
                  'device-0', NULL, NULL,
                  '{"context": {"app_version": "1.1"}, "categories": [{"id": "c1", "options": ["custom_dismiss_action"]}]}'
                FROM (SELECT timestamptz '2026-01-10' AS at) e
                """
            )
            let last = try await Settler.settleNow(on: fixture.connection).rawValue
            try await fixture.runner(batch: 100).catchUp()
            #expect(try await fixture.status().position == last)
            #expect(try await fixture.checkpoints.setAside().isEmpty)
            let reached = "projection.notification WHERE category = 'c1' AND (reached_seen OR reached_assumed)"
            let observable = try await fixture.count(reached + " AND dismiss_observable")
            let all = try await fixture.count(reached)
            #expect(observable > 10 && observable == all)
            _ = try await fixture.rebuild("notification").run { _ in }
            #expect(try await fixture.count(reached + " AND dismiss_observable") == observable)
            try await fixture.expectVerified()
        }
    }

    @Test("a rollup whose key lacks a column is not written, and no other goes without its counts")
    func earlierKey() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(600)
            try await fixture.runner(batch: 100).catchUp()
            try await fixture.connection.execute(
                script: """
                    ALTER TABLE projection.cohort_removal DROP COLUMN response_only CASCADE;
                    ALTER TABLE projection.cohort_removal_count DROP COLUMN response_only CASCADE;
                    UPDATE projection.version SET tables = 'earlier' WHERE leader = 'notification';
                    """
            )
            func counted() async throws -> Int64 {
                try await fixture.connection.value(
                    "SELECT coalesce(sum(notifications), 0)::int8 FROM projection.cohort_action_count"
                )
            }
            let before = try await counted()
            try await fixture.fill(600)
            try await fixture.runner(batch: 100).catchUp()
            #expect(try await fixture.status().position == 1_200)
            #expect(try await fixture.status().failure == nil)
            let after = try await counted()
            #expect(after > before)
            _ = try await fixture.rebuild("notification").run { _ in }
            #expect(try await counted() == after)
            try await fixture.expectVerified()
        }
    }

    @Test("other functions alone are taken at once; comments make no difference")
    func otherFunctions() async throws {
        try await ProjectionFolder.with { release in
            try await ProjectionFixture.with { fixture in
                try await fixture.fill(100)
                try await fixture.runner().catchUp()
                try release.append("\n-- A comment.\n", to: Self.table)
                try await migrate(fixture, release.sql)
                #expect(try await fixture.checkpoints.differences(from: release.sql).isEmpty)
                try release.replace(
                    "WHEN status = '200' THEN 'accepted'",
                    with: "WHEN status = '201' THEN 'accepted'",
                    in: "projections/device_token/fold.sql"
                )
                try await migrate(fixture, release.sql)
                #expect(try await fixture.checkpoints.differences(from: release.sql) == ["device_token": .rows])
                let verdict: String = try await fixture.connection.value(
                    "SELECT projection.push_verdict('apns', '201', NULL)"
                )
                #expect(verdict == "accepted")
                try await ProjectionFixture.rebuild("device_token", release.sql, fixture)
                #expect(try await fixture.checkpoints.differences(from: release.sql).isEmpty)
            }
        }
    }

    @Test("a rebuild of a definition that is no longer the one starts over")
    func outdatedRebuild() async throws {
        try await ProjectionFolder.with { release in
            try Self.addColumn(in: release)
            try await ProjectionFixture.with { fixture in
                try await fixture.fill(2_000)
                try await fixture.runner().catchUp()
                let stopped = Task {
                    try await fixture.rebuild("notification", batch: 500).run { _ in
                        withUnsafeCurrentTask { $0?.cancel() }
                    }
                }
                await #expect(throws: (any Error).self) { _ = try await stopped.value }
                let isHeld: Bool = try await fixture.connection.value(
                    "SELECT lock.is_held('build of projection_next_notification')"
                )
                #expect(!isHeld, "its claim outlives the call")
                #expect(try #require(await fixture.status().rebuild).position == 500)
                var phases: [ProjectionRebuild.Phase] = []
                try await ProjectionFixture.rebuild("notification", release.sql, fixture) { phases.append($0) }
                #expect(!phases.contains { if case .resumed = $0 { true } else { false } })
                #expect(try await fixture.count("projection.device_extension WHERE note = 'new'") == 50)
                #expect(try await fixture.schemasBeside().isEmpty)
            }
        }
    }
}

extension ProjectionFixture {
    fileprivate static func rebuild(
        _ name: String,
        _ folder: ReleaseFolder,
        _ fixture: ProjectionFixture,
        _ phase: (ProjectionRebuild.Phase) async -> Void = { _ in }
    ) async throws {
        _ = try await ProjectionRebuild(
            fixture.database.configuration,
            files: ProjectionFiles(fixture.checkpoints.group(of: name), in: folder),
            logger: Logger(label: "test.rebuild")
        ).run(phase: phase)
    }
}
