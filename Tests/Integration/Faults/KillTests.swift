import Foundation
import Logging
import PlainHTTP
import Postgres
import PrivatePostgres
import Testing

/// Guarantee 1: `kill -9` of the service or of PostgreSQL at any moment loses no acknowledged event, and guarantee 2:
/// what is sent again is stored once.
@Suite(.serialized)
struct KillTests {
    /// A server of its own, with fsync: it is killed, and must not take other tests with it.
    /// How often each of the two is killed; `NOTILOG_KILLS` for more.
    private static let kills = ProcessInfo.processInfo.environment["NOTILOG_KILLS"].flatMap(Int.init) ?? 3

    @Test(.timeLimit(.minutes(15)))
    func noAcknowledgedEventIsLostWhenProcessesAreKilled() async throws {
        let kills = Self.kills
        try await TestDatabase.withServer(settings: [:]) { server, database in
            let app = try await TestApp.make("first", in: database)
            var service = try await ServiceProcess.start(database: database.url)
            let port = Int(service.url.split(separator: ":").last ?? "") ?? 0
            let load = try ServiceLoad(url: service.url, key: app.write)
            async let senders: Void = load.run(connections: 8, batch: 3)
            for kill in 0..<kills {
                try await grow(load, by: 150)
                await service.kill()
                service = try await ServiceProcess.start(database: database.url, port: port)
                try await grow(load, by: 150)
                // In the middle of commits, at a different place each time.
                try await ContinuousClock().sleep(for: .milliseconds(3 * kill))
                try server.kill()
                try await server.restart()
            }
            try await grow(load, by: 150)
            load.stop()
            await senders
            let connection = try await database.connect()
            let verdict = try await load.verdict(connection)
            let ledger = load.state
            #expect(verdict.lost == 0)
            #expect(verdict.twice == 0)
            #expect(verdict.stored == Int64(ledger.acknowledged.count))
            #expect(ledger.acknowledged.count >= 300 * kills)
            print(
                "kills: \(kills) of the service and \(kills) of PostgreSQL; \(ledger.acknowledged.count) events",
                "acknowledged, \(verdict.lost) lost, \(verdict.twice) twice; \(ledger.broken) requests interrupted"
            )
            #expect(ledger.broken > 0, "connections must have broken, or nothing was tested")
            await connection.close()
            #expect(await service.stop() == 0)
        }
    }

    /// Waits until so many more events are acknowledged.
    private func grow(_ load: ServiceLoad, by count: Int) async throws {
        let target = load.state.acknowledged.count + count
        let deadline = ContinuousClock.now + .seconds(60)
        while load.state.acknowledged.count < target {
            guard ContinuousClock.now < deadline else {
                let state = load.state
                Issue.record("no progress: \(state.acknowledged.count) acknowledged, refused \(state.refused)")
                throw CancellationError()
            }
            try await ContinuousClock().sleep(for: .milliseconds(5))
        }
    }

    @Test(.timeLimit(.minutes(15)))
    func aDatabaseThatIsAwayIs503AndComesBack() async throws {
        try await TestDatabase.withServer(settings: [:]) { server, database in
            let app = try await TestApp.make("first", in: database)
            let service = try await ServiceProcess.start(database: database.url)
            let client = try await ServiceClient.connect(service.url)
            #expect(try await client.post(Sample.action(device: "before"), key: app.write).status == 200)
            try await server.stop(.immediate)
            let away = try await client.post(Sample.action(device: "during"), key: app.write)
            #expect(away.status == 503)
            #expect(away.headers["retry-after"] != nil)
            #expect(try away.problem.code == "database_unavailable")
            #expect(try await client.get("/healthz").status == 200)
            #expect(try await client.get("/readyz").status == 503)
            #expect(try await client.get("/v1/reports/engagement", key: app.read).status == 503)
            try await server.restart()
            let deadline = ContinuousClock.now + .seconds(20)
            var status = 503
            while status == 503, ContinuousClock.now < deadline {
                status = try await client.post(Sample.action(device: "during"), key: app.write).status
                if status == 503 { try await ContinuousClock().sleep(for: .milliseconds(100)) }
            }
            #expect(status == 200)
            #expect(await service.stop() == 0)
        }
    }

    @Test("a service that is started while PostgreSQL recovers waits for it", .timeLimit(.minutes(15)))
    func startedDuringRecovery() async throws {
        try await TestDatabase.withServer(settings: [:]) { _, database in
            let (stuck, killed) = (try await database.connect(), try await database.connect())
            let stuckID = try await stuck.processID
            // The server lets nobody in until every session of the crash is gone; this one does not go for a while.
            Foundation.kill(stuckID, SIGSTOP)
            Foundation.kill(try await killed.processID, SIGKILL)
            try await eventually("a server that recovers", within: .seconds(60)) {
                do {
                    await (try await database.connect()).close()
                    return false
                } catch let error as PostgresError {
                    return error.sqlState == "57P03"
                }
            }
            let service = try await ServiceProcess.start(database: database.url)
            #expect(service.log.contains("accepts no connections yet"))
            #expect(await service.stop() == 0)
        }
    }
}
