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
                #expect(again.events == 0)
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

    @Test("what stopped halfway goes on, and stores nothing twice")
    func interrupted() async throws {
        try await TestDatabase.withDatabases(3) { databases in
            let app = AppID(rawValue: 1)
            try await LawStore.withStore(on: databases[0]) { store in
                try await store.connection.nameOwnDimensions(apps: 1)
                try await LawStore.simulated(devices: 20, days: 3) { try await store.append([(app, $0)]) }
            }
            try await Self.form(databases[1], [databases[2]])
            let whole = Mutex<Int64>(0)
            // Cancelled after each round, wherever it is then, until one comes to its end.
            var rounds: Int64 = 0
            while true {
                rounds += 1
                let limit = rounds
                let done = Mutex<Int64>(0)
                let importing = Task {
                    try await Self.storeImport(from: databases[0], to: databases[1], positions: 20).run { _, _ in
                        if done.withLock({
                            $0 += 1; return $0
                        }) >= limit {
                            withUnsafeCurrentTask { $0?.cancel() }
                        }
                    }
                }
                if let report = try? await importing.value {
                    whole.withLock { $0 += report.stored }
                    break
                }
                try #require(rounds < 1_000)
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
