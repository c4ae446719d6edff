import EventLog
import Foundation
import NotificationEvents
import Pacing
import PlainHTTP
import Postgres
import Testing

/// Guarantee 18: no database role but the service's own can hold up ingest, settling or projections.
@Suite("Roles: a reader who takes every lock it can", .serialized)
struct HoldingUpTests {
    @Test("events are stored, settled, projected, exported, erased and dropped all the same", .timeLimit(.minutes(10)))
    func goesOn() async throws {
        try await ServiceFixture.run { fixture in
            try await store(50, fixture, "before")
            let leaving = Sample.action(device: "leaving")
            #expect(try await fixture.client.post(leaving, key: fixture.app.write).status == 200)
            try await TestLogin.with([], in: fixture.database) { login in
                let environment = ["NOTILOG_DATABASE_URL": fixture.database.url]
                let granted = try await NotilogCommand.run(
                    ["apps", "grant", fixture.app.name, "--to", login.name],
                    environment: environment
                )
                try #require(granted.status == 0, "\(granted.errors)")
                let reader = LockingReader(login: login)
                let (transaction, locks) = try await reader.openTransaction(app: fixture.app)
                #expect(locks > 50)
                let looping = (0..<3).map { number in
                    Task {
                        try await number == 0 ? reader.takeAdvisoryLocks() : reader.tryGreedyStatements()
                    }
                }
                do {
                    try await withOpenTransaction(fixture)
                    // What takes tables away waits for those who read them, and keeps nobody else waiting meanwhile.
                    async let rebuilt = NotilogCommand.run(
                        ["projections", "rebuild", "notification"],
                        environment: environment
                    )
                    async let dropped = NotilogCommand.run(
                        ["retention", "run", "--days", "40"],
                        environment: environment
                    )
                    try await store(100, fixture, "meanwhile")
                    try await transaction.query("ROLLBACK")
                    let (rebuild, retention) = try await (rebuilt, dropped)
                    #expect(rebuild.status == 0, "\(rebuild.errors)")
                    #expect(retention.status == 0, "\(retention.errors)")
                    #expect(
                        try await fixture.number(
                            "SELECT count(*) FROM log.dropped_partition WHERE dropped_at IS NOT NULL"
                        ) == 1
                    )
                    try await store(20, fixture, "after")
                } catch {
                    looping.forEach { $0.cancel() }
                    await transaction.close()
                    throw error
                }
                #expect(reader.tried.withLock { $0 } > 50)
                looping.forEach { $0.cancel() }
                for loop in looping { _ = try? await loop.value }
                await transaction.close()
            }
        }
    }

    /// Stores events, and waits until they are settled and projected.
    private func store(_ count: Int, _ fixture: ServiceFixture, _ name: String) async throws {
        var slowest = Duration.zero
        for number in 0..<count {
            let start = ContinuousClock.now
            let answer = try await fixture.client.post(
                Sample.action(device: "device-\(number % 7)", notification: "\(name)-\(number)"),
                key: fixture.app.write
            )
            try #require(answer.status == 200, "\(name) \(number)")
            slowest = max(slowest, .now - start)
        }
        #expect(slowest < .seconds(4), "an event of \(name) waited \(slowest)")
        let behind = """
            SELECT count(*) FROM projection.checkpoint c, log.position p
            WHERE c.name = 'notification' AND c.position < p.last_value
            """
        try #require(try await fixture.eventually(behind, is: 0, within: .seconds(30)), "\(name): not projected")
    }

    /// What needs no table for itself goes on while the reader's transaction is open.
    private func withOpenTransaction(_ fixture: ServiceFixture) async throws {
        try await store(50, fixture, "locked")
        let service = try await fixture.database.connect(settings: ["lock_timeout": "5s", "statement_timeout": "20s"])
        for days: Int64 in [300, -70] {
            let time = Timestamp(microseconds: SystemClock.microseconds() + days * 86_400_000_000)
            #expect(try await Partitions.ensure(from: time, to: time, on: service) == 1)
        }
        await service.close()
        let export = try await fixture.client.get("/v1/export/events", key: fixture.app.read)
        #expect(export.status == 200 && export.body.split(separator: UInt8(ascii: "\n")).count >= 100)
        let changes = try await fixture.client.get("/v1/export/notifications", key: fixture.app.read)
        #expect(changes.status == 200)
        _ = try await fixture.erase("leaving")
    }
}
