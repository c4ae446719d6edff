import Decoding
import EventLog
import Foundation
import Logging
import Postgres
import Projections
import Schema
import Testing

/// Promise 4 and 5: a rebuild gives what was live, and is not noticed by readers.
@Suite("Projections: rebuild")
struct ProjectionRebuildTests {
    @Test("live, one event after another; rebuilt beside; and one batch: the same rows of every table")
    func equality() async throws {
        let decoder = EventDecoder()
        let cases = try (0..<24).map { index in
            let all = RandomEvents.Focus.allCases
            return try LawCase(seed: 777 + UInt64(index), focus: all[index % all.count], decoder: decoder)
        }
        try await LawStore.withStore { store in
            func everything() async throws -> [LawTable: [AppID: Set<LawRow>]] {
                var all: [LawTable: [AppID: Set<LawRow>]] = [:]
                for table in LawTable.allCases { all[table] = try await store.rows(of: table).mapValues(Set.init) }
                return all
            }
            let folder = try ReleaseFolder.locate()
            for step in 0..<3 {
                try await store.append(
                    cases.enumerated().map { index, one in
                        let events = one.events.enumerated().filter { $0.offset % 3 == step }.map(\.element.stored)
                        return (AppID(rawValue: Int32(index + 1)), events)
                    }
                )
                try await store.apply(limit: 17)
            }
            let live = try await everything()
            for group in store.catalogue.groups {
                let rebuild = ProjectionRebuild(
                    store.database.configuration,
                    files: try ProjectionFiles(group, in: folder),
                    batchLimit: 90,
                    logger: Logger(label: "test.rebuild")
                )
                let report = try await rebuild.run { _ in }
                #expect(report.setAside.isEmpty)
                #expect(report.projections == group.members)
            }
            #expect(try await everything() == live)
            try await store.forget()
            try await store.apply(limit: 1_000_000)
            #expect(try await everything() == live)
        }
    }

    @Test("a rebuild that nobody reads beside waits for nobody, not for the locks that it holds itself")
    func alone() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(100)
            try await fixture.runner().catchUp()
            let rebuild = try fixture.rebuild("received")
            var waits = 0
            _ = try await rebuild.run { if case .waitingForReaders = $0 { waits += 1 } }
            #expect(waits == 0)
        }
    }

    @Test("what another release left behind is dropped before a rebuild waits for an erasure, which would wait for it")
    func dropsBeforeItWaits() async throws {
        try await ProjectionFixture.with { fixture in
            let owner = fixture.connection
            try await owner.execute(
                script: "CREATE SCHEMA projection_next_received; CREATE TABLE projection_next_received.left_behind ()"
            )
            let erasing = try await fixture.database.connect()
            try await erasing.execute(script: "BEGIN; LOCK TABLE lock.still IN EXCLUSIVE MODE")
            let rebuilding = Task { [rebuild = try fixture.rebuild("received")] in try await rebuild.run { _ in } }
            try await eventually("the rebuild waits") {
                try await owner.waiting(for: "lock.still").count == 1
            }
            #expect(try await fixture.count("pg_class WHERE relname = 'left_behind'") == 0)
            await erasing.close()
            _ = try await rebuilding.value
        }
    }

    @Test("readers see whole tables of one version at every moment of a rebuild under ingest, and never an error")
    func underIngest() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(6_000)
            try await fixture.runner().catchUp()
            let running = Task { [runner = fixture.runner(batch: 200)] in await runner.run() }
            // Asked to end rather than cancelled: a fill that was interrupted has drawn positions that nobody settles.
            let isEnough = Shared(false)
            let ingest = Task {
                while !(isEnough.withLock { $0 }) {
                    try await fixture.fill(20)
                    try await ContinuousClock().sleep(for: .milliseconds(50))
                }
            }
            let readers = (0..<3).map { kind in Task { try await ProjectionReader(fixture, kind).readUntilCancelled() }
            }
            defer {
                running.cancel()
                ingest.cancel()
            }
            var swapped: [Int64] = []
            for round in 0..<3 {
                let report = try await fixture.rebuild("notification", batch: round == 0 ? 700 : 3_000).run { _ in }
                swapped.append(report.position)
            }
            _ = try await fixture.rebuild("device_token").run { _ in }
            isEnough.withLock { $0 = true }
            try await ingest.value
            let last: Int64 = try await fixture.connection.value("SELECT last_value FROM log.position")
            try await eventually("live goes on after the swaps") { try await fixture.status().position >= last }
            for reader in readers {
                reader.cancel()
                let reads = try await reader.value
                #expect(reads > 10)
            }
            #expect(swapped == swapped.sorted() && swapped[0] >= 6_000)
            #expect(try await fixture.schemasBeside().isEmpty)
            #expect(try await fixture.status().failure == nil)
            running.cancel()
            _ = await running.result
            try await fixture.expectVerified()
        }
    }

    @Test("killed with -9 at any moment, it goes on where it was, and comes out the same")
    func killed() async throws {
        try await ProjectionFixture.with { fixture in
            let last = try await fixture.fill(12_000)
            try await fixture.runner().catchUp()
            var furthest: Int64 = 0
            for kill in 0..<6 {
                let process = NotilogCommand.process(
                    ["projections", "rebuild", "notification", "--batch", "400"],
                    environment: ["NOTILOG_DATABASE_URL": fixture.database.url]
                )
                process.standardOutput = FileHandle.nullDevice
                process.standardError = FileHandle.nullDevice
                try process.begin()
                // Each a little further than the one before, and at any point of a batch.
                let goal = furthest + Int64.random(in: 1...1_000)
                try await eventually("the rebuild comes further than before, kill \(kill)") {
                    let position = try await fixture.status().rebuild?.position ?? 0
                    return position >= goal || !process.isRunning
                }
                #expect(process.isRunning, "it was killed in the midst")
                Foundation.kill(process.processIdentifier, SIGKILL)
                try await eventually("it is gone") { !process.isRunning }
                let left = try #require(try await fixture.status().rebuild)
                #expect(left.position >= furthest, "nothing is done twice")
                furthest = left.position
                #expect(try await fixture.status().state == "rebuilding")
            }
            // The killed one's session may still be in its last batch.
            try await eventually("its lock is free") {
                try await fixture.count(
                    "pg_stat_activity WHERE application_name = 'notilog rebuild' AND datname = current_database()"
                ) == 0
            }
            var resumedAt: Int64?
            let report = try await fixture.rebuild("notification").run { phase in
                if case .resumed(let progress) = phase { resumedAt = progress.position }
            }
            #expect(try #require(resumedAt) >= furthest)
            #expect(report.position == last)
            #expect(report.positions <= last - furthest)
            #expect(try await fixture.schemasBeside().isEmpty)
            try await fixture.expectVerified()
        }
    }

    @Test("a second rebuild of a group says that one is under way; a paused group stays paused")
    func second() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(1_500)
            try await fixture.runner().catchUp()
            try await fixture.checkpoints.setPaused(true, projection: "notification")
            var refusals: [String] = []
            var isFirst = true
            _ = try await fixture.rebuild("notification", batch: 500).run { phase in
                guard case .applied = phase, isFirst else { return }
                isFirst = false
                do {
                    _ = try await fixture.rebuild("engagement").run { _ in }
                } catch {
                    refusals.append("\(error)")
                }
            }
            #expect(refusals.count == 1)
            #expect(refusals.allSatisfy { $0.contains("under way already (33 %)") })
            #expect(try await fixture.status().isPaused)
        }
    }

    @Test("what takes the place of another has applied whatever that one has")
    func overtakes() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(900)
            try await fixture.runner().catchUp()
            let stopped = Task {
                try await fixture.rebuild("notification", batch: 200).run { _ in withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            await #expect(throws: (any Error).self) { _ = try await stopped.value }
            #expect(try await fixture.status().rebuild?.position == 200)
            let group = try fixture.checkpoints.group(of: "notification")
            try await fixture.connection.withTransaction { connection in
                try await group.overtake(with: "projection_next_notification", on: connection)
            }
            #expect(try await fixture.status().rebuild?.position == 900)
            let report = try await fixture.rebuild("notification").run { _ in }
            #expect(report.positions == 0)
            try await fixture.expectVerified()
        }
    }

    @Test("a swap that a long report stands in the way of is put off; the report is not")
    func swapPutOff() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(500)
            try await fixture.runner().catchUp()
            let report = try await fixture.database.connect()
            // It has said how far it is, and not yet read a table.
            try await report.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            try await report.query("LOCK TABLE projection.checkpoint IN ACCESS SHARE MODE")
            try await report.query("SELECT position FROM projection.checkpoint")
            // Others come all the while, and a swap that waits holds none of them up for long.
            let other = try await fixture.database.connect(settings: ["statement_timeout": "5s"])
            let isOver = Shared(false)
            let reading = Task {
                while !(isOver.withLock { $0 }) {
                    try await other.withTransaction { other in
                        try await other.query("LOCK TABLE projection.checkpoint IN ACCESS SHARE MODE")
                        #expect(try await other.value("SELECT count(*) FROM projection.notification") > 0)
                    }
                }
            }
            var isPutOff = false
            let result = try await fixture.rebuild("notification").run { phase in
                guard case .putOff = phase, !isPutOff else { return }
                isPutOff = true
                do {
                    try await report.query("SELECT count(*) FROM projection.engagement")
                    try await report.query("COMMIT")
                } catch {
                    Issue.record(error)
                }
            }
            #expect(isPutOff)
            #expect(result.attemptsPutOff >= 1)
            isOver.withLock { $0 = true }
            try await reading.value
            await report.close()
            await other.close()
        }
    }

    @Test("a vacuum that has begun on the version being built is waited for, not deadlocked with")
    func vacuumed() async throws {
        try await ProjectionFixture.with { fixture in
            let beside = "projection_next_notification"
            try await fixture.fill(600)
            try await fixture.runner().catchUp()
            let role = "reader_\(UInt32.random(in: 0 ... .max))"
            try await fixture.connection.execute(
                script: """
                    CREATE ROLE \(role);
                    GRANT SELECT ON projection.notification TO \(role);
                    ALTER TABLE projection.notification ENABLE ROW LEVEL SECURITY;
                    """
            )
            let stopped = Task {
                try await fixture.rebuild("notification", batch: 200).run { _ in withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            await #expect(throws: (any Error).self) { _ = try await stopped.value }
            // What a vacuum does: its lock first, the table's row of the catalogue at its end.
            let vacuum = try await fixture.database.connect()
            try await vacuum.query("BEGIN")
            try await vacuum.execute(script: "LOCK TABLE \(beside).notification IN SHARE UPDATE EXCLUSIVE MODE")
            let builder = try await fixture.database.connect()
            let carried = Task { try await builder.query("SELECT projection.carry($1)", [.text(beside)]) }
            try await eventually("the builder waits for the vacuum") {
                try await fixture.count("pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%carry%'") == 1
            }
            try await vacuum.execute(script: "ALTER TABLE \(beside).notification SET (fillfactor = 90)")
            try await vacuum.query("COMMIT")
            _ = try await carried.value
            await vacuum.close()
            await builder.close()
            _ = try await fixture.rebuild("notification").run { _ in }
            try await fixture.expectVerified()
            try await fixture.connection.execute(script: "DROP OWNED BY \(role); DROP ROLE \(role)")
        }
    }

    @Test("privileges, policies, indexes and views of others come along")
    func comesAlong() async throws {
        try await ProjectionFixture.with { fixture in
            let role = "reader_\(UInt32.random(in: 0 ... .max))"
            try await fixture.fill(300)
            try await fixture.runner().catchUp()
            try await fixture.connection.execute(
                script: """
                    CREATE ROLE \(role);
                    GRANT USAGE ON SCHEMA projection TO \(role);
                    GRANT SELECT ON projection.notification, projection.device_settings TO \(role);
                    GRANT SELECT (app_id) ON projection.engagement TO \(role);
                    ALTER TABLE projection.notification ENABLE ROW LEVEL SECURITY;
                    CREATE POLICY own ON projection.notification FOR SELECT TO \(role) USING (app_id = 1);
                    CREATE INDEX added ON projection.notification (campaign);
                    CREATE VIEW public.first WITH (security_barrier) AS SELECT device_id, count(*) FROM projection.notification GROUP BY 1;
                    CREATE VIEW public.second AS SELECT * FROM public.first JOIN projection.device_settings USING (device_id);
                    GRANT SELECT ON public.first TO \(role);
                    """
            )
            let shape = """
                SELECT ARRAY(SELECT format('%s %s %s %s', c.oid::regclass, c.relacl, c.relrowsecurity, c.reloptions)
                    FROM pg_class c WHERE c.relnamespace IN ('projection'::regnamespace, 'public'::regnamespace) ORDER BY 1)
                  || ARRAY(SELECT indexdef FROM pg_indexes WHERE schemaname = 'projection' ORDER BY 1)
                  || ARRAY(SELECT p::text FROM pg_policies p ORDER BY 1)
                  || ARRAY(SELECT format('%s.%s %s', attrelid::regclass, attname, attacl) FROM pg_attribute
                    WHERE attacl IS NOT NULL AND attrelid >= 16384 ORDER BY 1)
                """
            let before: [String] = try await fixture.connection.value(shape)
            let rows = try await fixture.count("public.second")
            #expect(rows > 0)
            _ = try await fixture.rebuild("notification").run { _ in }
            #expect(try await fixture.connection.value(shape) == before)
            #expect(try await fixture.count("public.second") == rows)
            try await fixture.connection.execute(script: "DROP OWNED BY \(role); DROP ROLE \(role)")
        }
    }
}
