import Administration
import EventLog
import Foundation
import Logging
import NotificationEvents
import PlainHTTP
import Postgres
import Reports
import Schema
import Synchronization
import Testing

/// Another store comes into a cluster, and back, and nothing of it is lost or counted twice.
@Suite("Cells: imports")
struct StoreImportTests {
    @Test(
        "every report is the same in a cluster that a store was imported into, and in one database that the cluster was imported into"
    )
    func thereAndBack() async throws {
        try await TestDatabase.withDatabases(5) { databases in
            let app = AppID(rawValue: 1)
            try await LawStore.withStore(on: databases[0]) { store in
                try await store.connection.nameOwnDimensions(apps: 1)
                try await LawStore.simulated(devices: 50, days: 30) { try await store.append([(app, $0)]) }
                try await store.apply(limit: 10_000)
            }
            try await CellStore.withStore(on: Array(databases[1...3]), apps: 0) { store in
                let report = try await Self.storeImport(from: databases[0], to: databases[1]).run()
                #expect(report.stored > 1_000 && report.stored == report.events)
                try await store.apply(limit: 10_000)
                let again = try await Self.storeImport(from: databases[0], to: databases[1]).run(closing: true)
                #expect(again.events == 0 && again.isClosed)
                try await CellReportTests().ask(
                    1,
                    databases[0],
                    databases[1],
                    after: LawStore.simulationEnd,
                    questions: 1
                )
            }
            try await LawStore.withStore(on: databases[4]) { store in
                let report = try await Self.storeImport(from: databases[1], to: databases[4]).run(closing: true)
                #expect(report.stored > 1_000 && report.stored == report.events)
                try await store.apply(limit: 10_000)
                try await CellReportTests().ask(
                    1,
                    databases[0],
                    databases[4],
                    after: LawStore.simulationEnd,
                    questions: 1,
                    cells: 0
                )
            }
        }
    }

    @Test("every acknowledged event is in the cluster after a switch under load; what was refused goes there")
    func switchUnderLoad() async throws {
        try await TestDatabase.withDatabases(3) { databases in
            let app = try await TestApp.make("first", in: databases[0])
            let old = try await ServiceProcess.start(database: databases[0].url)
            let url = old.url
            try await Self.form(databases[1], [databases[2]])
            let sent = Sent()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let client = try await ServiceClient.connect(url)
                    var number = 0
                    while !sent.state.withLock({ $0.isOver }) {
                        number += 1
                        let id = UUID().uuidString.lowercased()
                        let body = Sample.action(device: "device-\(number % 40)", id: id)
                        let status = try await client.post(body, key: app.write).status
                        sent.state.withLock {
                            if status == 200 { $0.acknowledged.insert(id) } else { $0.refused.append(body) }
                        }
                        #expect(status == 200 || status == 503)
                    }
                    await client.connection.close()
                }
                defer { sent.state.withLock { $0.isOver = true } }
                try await eventually("some are sent") { sent.state.withLock { $0.acknowledged.count > 100 } }
                _ = try await Self.storeImport(from: databases[0], to: databases[1], positions: 7).run()
                let command = try await NotilogCommand.run([
                    "cluster", "import", "--switch", databases[0].url, "--database-url", databases[1].url,
                ])
                #expect(command.status == 0, "\(command.errors)")
                let doctor = try await NotilogCommand.run(["doctor", "--database-url", databases[0].url])
                #expect(doctor.status == 1 && doctor.output.contains("another store has taken over"))
                try await eventually("some are refused") { sent.state.withLock { $0.refused.count > 10 } }
                sent.state.withLock { $0.isOver = true }
                try await group.waitForAll()
            }
            await old.stop()
            // The key of before is known, and whoever was refused sends again.
            let new = try await ServiceProcess.start(database: databases[1].url)
            let next = try await ServiceClient.connect(new.url)
            let (acknowledged, refused) = sent.state.withLock { ($0.acknowledged, $0.refused) }
            for body in refused.prefix(20) {
                #expect(try await next.post(body, key: app.write).status == 200)
            }
            await next.connection.close()
            await new.stop()
            var stored: [String] = []
            for database in databases[1...] {
                let connection = try await database.connect()
                stored += try await connection.query("SELECT id::text FROM log.event").map { try $0.get(0) }
                await connection.close()
            }
            #expect(acknowledged.subtracting(stored).isEmpty)
            #expect(Set(stored).count == stored.count)
            #expect(stored.count == acknowledged.count + min(20, refused.count))
        }
    }

    @Test("an erased device is refused in the cluster, and what came of it before is gone from there")
    func erased() async throws {
        try await TestDatabase.withDatabases(3) { databases in
            let app = try await TestApp.make("first", in: databases[0])
            let old = try await ServiceProcess.start(database: databases[0].url)
            let client = try await ServiceClient.connect(old.url)
            try await Self.form(databases[1], [databases[2]])
            let devices = (0..<12).map { "device-\($0)" }
            for device in devices {
                #expect(try await client.post(Sample.action(device: device), key: app.write).status == 200)
            }
            _ = try await client.get("/v1/devices/device-1", key: app.admin, method: "DELETE")
            let before = try await Self.storeImport(from: databases[0], to: databases[1]).run()
            #expect(before.stored == 13, "the twelve, and what says that one was erased")
            _ = try await client.get("/v1/devices/device-2", key: app.admin, method: "DELETE")
            _ = try await Self.storeImport(from: databases[0], to: databases[1]).run(closing: true)
            await client.connection.close()
            await old.stop()
            let new = try await ServiceProcess.start(database: databases[1].url)
            let next = try await ServiceClient.connect(new.url)
            for (number, device) in devices.enumerated() {
                let status = try await next.post(Sample.action(device: device), key: app.write).status
                #expect(status == ([1, 2].contains(number) ? 422 : 200), "\(device)")
            }
            await next.connection.close()
            await new.stop()
            for database in databases[1...] {
                let connection = try await database.connect()
                let left: Int64 = try await connection.query(
                    "SELECT count(*) FROM log.event WHERE device_id IN ('device-1', 'device-2')"
                ).only().get(0)
                #expect(left == 0)
                await connection.close()
            }
        }
    }

    @Test(
        "a device that a cluster erased is refused where the cluster was imported, also if each cell's ledger has a secret of its own",
        arguments: [false, true]
    )
    func erasedInCluster(hasOwnSecrets: Bool) async throws {
        try await TestDatabase.withDatabases(4) { databases in
            try await Self.form(databases[0], [databases[1]])
            let app = try await TestApp.make("first", in: databases[0])
            if hasOwnSecrets {
                // As in a cluster that was made before cells shared one.
                let cell = try await databases[1].connect()
                try await cell.query("UPDATE log.erasure_secret SET secret = sha256('another')")
                await cell.close()
            }
            let old = try await ServiceProcess.start(database: databases[0].url)
            let client = try await ServiceClient.connect(old.url)
            let devices = (0..<12).map { "device-\($0)" }
            for device in devices {
                #expect(try await client.post(Sample.action(device: device), key: app.write).status == 200)
            }
            await client.connection.close()
            await old.stop()
            for device in devices.prefix(2) {
                let erased = try await NotilogCommand.run([
                    "devices", "erase", "--app", "first", device, "--database-url", databases[0].url,
                ])
                #expect(erased.status == 0, "\(erased.errors)")
            }
            let command = try await NotilogCommand.run([
                "cluster", "import", "--switch", databases[0].url, "--database-url", databases[2].url,
            ])
            #expect(command.status == 0, "\(command.errors)")
            let new = try await ServiceProcess.start(database: databases[2].url)
            let next = try await ServiceClient.connect(new.url)
            for (number, device) in devices.enumerated() {
                let status = try await next.post(Sample.action(device: device), key: app.write).status
                #expect(status == (number < 2 ? 422 : 200), "\(device)")
            }
            await next.connection.close()
            await new.stop()

            // As after the coordinator was restored from a dump that is older than an erasure.
            let coordinator = try await databases[0].connect()
            try await coordinator.query(
                "DELETE FROM log.erasure WHERE key IN (SELECT key FROM log.erasure WHERE what = 'device' LIMIT 1)"
            )
            await coordinator.close()
            let behind = try await NotilogCommand.run([
                "cluster", "import", databases[0].url, "--database-url", databases[3].url,
            ])
            if hasOwnSecrets {
                #expect(
                    behind.status == 1 && behind.errors.contains("have different ledger secrets, and cell 1 erased"),
                    "\(behind.errors)"
                )
            } else {
                #expect(behind.status == 0, "\(behind.errors)")
            }
        }
    }

    @Test("what cannot be imported is said, and the other store goes on")
    func refused() async throws {
        try await TestDatabase.withDatabases(4) { databases in
            _ = try await TestApp.make("first", in: databases[0])
            try await Self.form(databases[1], [databases[2]])
            let same = try await NotilogCommand.run([
                "cluster", "import", databases[1].url, "--database-url", databases[1].url,
            ])
            #expect(same.status == 1 && same.errors.contains("is this store"))
            let member = try await NotilogCommand.run([
                "cluster", "import", databases[2].url, "--database-url", databases[3].url,
            ])
            #expect(member.status == 1 && member.errors.contains("coordinator"))
            _ = try await TestApp.make("another", in: databases[3])
            let foreign = try await NotilogCommand.run([
                "cluster", "import", databases[0].url, "--database-url", databases[3].url,
            ])
            #expect(foreign.status == 1 && foreign.errors.contains("the app another"))

            let connection = try await databases[0].connect()
            try await connection.query(
                "INSERT INTO log.erasure_pending (app_id, device_id) SELECT app_id, 'device-1' FROM notilog.app"
            )
            let busy = try await NotilogCommand.run([
                "cluster", "import", "--switch", databases[0].url, "--database-url", databases[1].url,
            ])
            #expect(busy.status == 1 && busy.errors.contains("being erased"), "\(busy.errors)")
            let isClosed: Bool = try await connection.query("SELECT closed FROM log.state").only().get(0)
            #expect(!isClosed, "it takes events again")
            try await connection.query(
                "INSERT INTO log.dropped_partition (name, from_at, to_at, last_position, dropped_at) VALUES ('event_2020_01', '2020-01-01', '2020-02-01', 0, now())"
            )
            let dropped = try await NotilogCommand.run([
                "cluster", "import", databases[0].url, "--database-url", databases[1].url,
            ])
            #expect(dropped.status == 1 && dropped.errors.contains("--without-dropped"))
            await connection.close()
        }
    }

    @Test("what is no event comes once, as it is, and goes on from there")
    func rest() async throws {
        try await TestDatabase.withDatabases(3) { databases in
            let app = try await TestApp.make("first", in: databases[0])
            let source = try await databases[0].connect()
            for sql in Self.rows { try await source.query(sql, [.int4(app.id.rawValue)]) }
            let old = try await ServiceProcess.start(database: databases[0].url)
            let client = try await ServiceClient.connect(old.url)
            #expect(try await client.post(#"{"kind":"none"}"#, key: app.write).status == 422)
            try await Self.form(databases[1], [databases[2]])
            // Made during an import: it comes with the switch, before what belongs to it.
            _ = try await Self.storeImport(from: databases[0], to: databases[1]).run()
            _ = try await TestApp.make("later", in: databases[0])
            try await source.query("UPDATE notilog.app SET keep_reply_text = true")
            _ = try await Self.storeImport(from: databases[0], to: databases[1]).run(closing: true)

            let erasure = try await client.get("/v1/devices/device-1", key: app.admin, method: "DELETE")
            #expect(erasure.status == 503, "the new store is to be asked")
            await client.connection.close()
            await old.stop()
            let target = try await databases[1].connect()
            let tables: [String] = try await source.query("SELECT name FROM notilog.carried_tables()").map {
                try $0.get(0)
            }
            for table in tables + ["notilog.app"] {
                let rows = "SELECT coalesce(jsonb_agg(to_jsonb(r) ORDER BY to_jsonb(r)), '[]')::text FROM \(table) r"
                let (there, here): (String, String) = (
                    try await source.query(rows, cached: false).only().get(0),
                    try await target.query(rows, cached: false).only().get(0)
                )
                #expect(there == here && there != "[]", "\(table)")
            }
            // New rows get new numbers, and what was changed here is not changed back.
            try await target.query(Self.rows[0].replacing("noted", with: "noted here"), [.int4(app.id.rawValue)])
            try await target.query("UPDATE notilog.api_key SET revoked_at = now()")
            await #expect(throws: AdministrationError.self) {
                try await Self.storeImport(from: databases[0], to: databases[1]).run(closing: true)
            }
            let valid: Int64 = try await target.query("SELECT count(*) FROM notilog.api_key WHERE revoked_at IS NULL")
                .only().get(0)
            #expect(valid == 0)
            let reopened = try await NotilogCommand.run([
                "cluster", "import", databases[0].url, "--reopen", "--json", "--database-url", databases[1].url,
            ])
            #expect(reopened.status == 0, "\(reopened.errors)")
            let said = try JSONDecoder().decode([String: String].self, from: Data(reopened.output.utf8))
            #expect(said == ["reopened": databases[0].configuration.place ?? "none"])
            let isClosed: Bool = try await source.query("SELECT closed FROM log.state").only().get(0)
            #expect(!isClosed)
            await source.close()
            await target.close()
        }
    }

    @Test("each row of what is no event is read once, however many there are")
    func manyRows() async throws {
        try await TestDatabase.withDatabases(2) { databases in
            let app = try await TestApp.make("first", in: databases[0])
            let source = try await databases[0].connect()
            try await source.query(
                """
                INSERT INTO log.tally (app_id, received_at, kind, outcome, events)
                SELECT $1, '2026-01-01', 'delivery', n::text, 1 FROM generate_series(1, 2001) AS n
                """,
                [.int4(app.id.rawValue)]
            )
            _ = try await Self.storeImport(from: databases[0], to: databases[1]).run(closing: true)
            let read =
                "SELECT coalesce(max(seq_tup_read), 0)::bigint FROM pg_stat_user_tables WHERE relid = 'log.tally'::regclass"
            try await eventually("the session of the import has told what it read") {
                try await source.value(read, as: Int64.self) >= 2001
            }
            #expect(try await source.value(read, as: Int64.self) < 3 * 2001)
            let target = try await databases[1].connect()
            #expect(try await target.value("SELECT count(*) FROM log.tally", as: Int64.self) == 2001)
            await source.close()
            await target.close()
        }
    }

    /// A row for each table of what is no event; keys, and what is refused, come by themselves.
    private static let rows = [
        "INSERT INTO notilog.annotation (app_id, at, label) VALUES ($1, now(), 'noted')",
        "INSERT INTO notilog.saved_view (app_id, name, report, parameters, position) VALUES ($1, 'view', 'engagement', '{}', 0)",
        "INSERT INTO notilog.push_console (app_id, at, topic, environment, push_type, status, count) VALUES ($1, now(), '', 'production', 'alert', 'x', 3)",
        """
        INSERT INTO notilog.alert_rule (app_id, name, report, parameters, metric, condition, bound, least_volume, wait, tz, receivers, next_day, due_at)
        VALUES ($1, 'rule', 'engagement', '{}', 'reached', 'below', 'NaN', 1, '2 days', 'UTC', '{}', '2026-01-01', now() + interval '1 day')
        """,
        """
        INSERT INTO notilog.alert_figure (rule_id, app_id, cell, day, value, volume, in_time, is_out)
        SELECT rule_id, $1, '{"category": null}', '2026-01-01', 'Infinity', 5, true, false FROM notilog.alert_rule
        """,
        """
        INSERT INTO notilog.alert (rule_id, app_id, cell, day, figures, position)
        SELECT rule_id, $1, '{"category": null}', '2026-01-01', '{}', 3 FROM notilog.alert_rule
        """,
        """
        INSERT INTO notilog.digest (app_id, view, at, receiver, due_at, try_at)
        VALUES ($1, 'view', '09:00', 'nobody', now() + interval '1 day', now() + interval '1 day')
        """,
        "INSERT INTO log.tally (app_id, received_at, kind, outcome, events) VALUES ($1, '2026-01-01', 'delivery', 'duplicate', 5)",
        "INSERT INTO notilog.id_hash_secret (proof) SELECT sha256('proof') WHERE $1 > 0",
    ]

    @Test("what stopped halfway goes on, and stores nothing twice")
    func interrupted() async throws {
        try await TestDatabase.withDatabases(3) { databases in
            let app = AppID(rawValue: 1)
            try await LawStore.withStore(on: databases[0]) { store in
                try await store.connection.nameOwnDimensions(apps: 1)
                try await LawStore.simulated(devices: 20, days: 3) { try await store.append([(app, $0)]) }
            }
            try await Self.form(databases[1], [databases[2]])
            // Cancelled after each round, wherever it is then, until one comes to its end.
            var rounds: Int64 = 0
            while true {
                rounds += 1
                let limit = rounds
                let done = Mutex<Int64>(0)
                let importing = Task {
                    try await Self.storeImport(from: databases[0], to: databases[1], positions: 20).run { _, _ in
                        let number = done.withLock { done in
                            done += 1
                            return done
                        }
                        if number >= limit { withUnsafeCurrentTask { $0?.cancel() } }
                    }
                }
                do {
                    _ = try await importing.value
                    break
                } catch {
                    try #require(rounds < 100, "\(error)")
                }
            }
            #expect(rounds > 3)
            var ids: [String] = []
            for database in databases[1...] {
                let connection = try await database.connect()
                ids += try await connection.query("SELECT id::text || device_id FROM log.event").map { try $0.get(0) }
                await connection.close()
            }
            let source = try await databases[0].connect()
            let all: Int64 = try await source.query("SELECT count(*) FROM log.event").only().get(0)
            await source.close()
            #expect(Int64(ids.count) == all && Set(ids).count == ids.count)
        }
    }

    private static func storeImport(
        from source: TestDatabase,
        to target: TestDatabase,
        positions: Int64 = 2_000
    ) throws -> StoreImport {
        StoreImport(
            from: source.configuration,
            to: target.configuration,
            migrator: Migrator(folder: try ReleaseFolder.locate(), logger: Logger(label: "test.cells")),
            positionsOfARound: positions
        )
    }

    private static func form(_ coordinator: TestDatabase, _ others: [TestDatabase]) async throws {
        let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: Logger(label: "test.cells"))
        try await Cluster(coordinator.configuration, migrator: migrator)
            .form(others.map(\.url), coordinatorTakesEvents: true)
    }
}

/// What a sender was told.
private final class Sent: Sendable {
    struct State {
        var isOver = false
        var acknowledged: Set<String> = []
        /// Bodies that were refused.
        var refused: [String] = []
    }

    let state = Mutex(State())
}
