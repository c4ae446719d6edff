import Foundation
import PlainHTTP
import Postgres
import Testing

/// The service's clock jumps while it runs: nothing is refused for good by a clock that is wrong, and what is stored is
/// stored once.
@Suite("Faults: clocks")
struct ClockTests {
    private func run(_ body: (FaultClock, ServiceClient, TestApp, TestDatabase) async throws -> Void) async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("first", in: database)
            let clock = try await FaultClock()
            var environment = clock.environment
            environment["NOTILOG_DATABASE_URL"] = database.url
            let service = try await ServiceProcess.start(["serve", "--port", "0"], environment: environment)
            let client = try await ServiceClient.connect(service.url)
            do {
                try await body(clock, client, app, database)
            } catch {
                await service.kill()
                throw error
            }
            await client.connection.close()
            #expect(await service.stop() == 0)
        }
    }

    /// Waits until an event is stored, as a sender does that is told to send it again.
    private func store(_ event: String, _ client: ServiceClient, _ app: TestApp) async throws -> EventsReply {
        var reply: EventsReply?
        try await eventually("an event is taken", within: .seconds(60)) {
            let answer = try await client.post(event, key: app.write, query: "?results=all")
            if answer.status == 200 { reply = try answer.events }
            return reply != nil
        }
        return try #require(reply)
    }

    @Test("a clock that jumps by days, months and years is noticed before an event is judged by it")
    func jumps() async throws {
        try await run { clock, client, app, database in
            let first = Sample.action(notification: "first")
            let position = try #require(try await store(first, client, app).position)
            for days in [1, 40, 500, -1, -40, -500, -20_000] as [Int64] {
                try clock.set(seconds: days * 86_400)
                let late = Sample.action(notification: "late \(days)")
                let answer = try await client.post(late, key: app.write)
                #expect(answer.status == 503, "\(days) days: \(answer.text)")
                let problem = try answer.problem
                #expect(problem.code == "clock_wrong")
                #expect(problem.detail.contains(days > 0 ? "ahead of PostgreSQL's" : "behind PostgreSQL's"))
                #expect(answer.headers["retry-after"] != nil)
                // A report stays available; health says what is wrong.
                try await eventually("not ready by the clock", within: .seconds(60)) {
                    let ready = try await client.get("/readyz")
                    return ready.status == 503 && ready.text.contains("PostgreSQL's: set the one that is wrong")
                }
                try clock.set(seconds: 0)
                #expect(try await store(late, client, app).results.first?.status == "accepted")
                let again = try await store(first, client, app)
                #expect(again.results.first?.status == "duplicate" && again.results.first?.position == position)
            }
            let connection = try await database.connect()
            #expect(try await connection.value("SELECT count(*) FROM log.event", as: Int64.self) == 8)
            #expect(try await connection.value("SELECT count(*) FROM log.quarantine", as: Int64.self) == 0)
            #expect(
                try await connection.value(
                    "SELECT bool_and(received_at BETWEEN now() - interval '10 min' AND now()) FROM log.event"
                )
            )
            await connection.close()
        }
    }

    @Test("where every clock went back behind what retention has dropped, nothing is refused for good")
    func behindTheFloor() async throws {
        try await run { clock, client, app, database in
            _ = try await store(Sample.action(notification: "first"), client, app)
            let connection = try await database.connect()
            // Ahead by less than is told from PostgreSQL's, and then back to it: behind what was cut meanwhile.
            try await connection.query("UPDATE log.state SET floor = now() + interval '15 minutes'")
            try clock.set(seconds: 1800)
            let whileAhead = Sample.action(notification: "n2", at: Sample.time(-1700))
            _ = try await store(whileAhead, client, app)
            try clock.set(seconds: 0)
            try await eventually("the floor is noticed", within: .seconds(60)) {
                let answer = try await client.post(Sample.action(notification: "n3"), key: app.write)
                return answer.status == 503 && answer.text.contains("retention has dropped")
            }
            try await connection.query("UPDATE log.state SET floor = now() - interval '30 days'")
            _ = try await store(Sample.action(notification: "n3"), client, app)
            #expect(try await connection.value("SELECT count(*) FROM log.event", as: Int64.self) == 3)
            #expect(try await connection.value("SELECT count(*) FROM log.quarantine", as: Int64.self) == 0)
            await connection.close()
        }
    }

    @Test("a clock that is years ahead drops nothing of the log")
    func retention() async throws {
        try await run { clock, client, app, database in
            _ = try await store(Sample.action(), client, app)
            try clock.set(seconds: 5 * 365 * 86_400)
            var environment = clock.environment
            environment["NOTILOG_DATABASE_URL"] = database.url
            let plan = try await NotilogCommand.run(
                ["retention", "run", "--days", "400", "--dry-run"],
                environment: environment
            )
            #expect(plan.status == 0, "\(plan.errors)")
            #expect(plan.output.contains("nothing is older than the horizon"), "\(plan.output)")
            try clock.set(seconds: 0)
        }
    }
}
