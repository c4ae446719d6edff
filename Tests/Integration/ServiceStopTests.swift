import Foundation
import PlainHTTP
import Postgres
import Testing

/// Guarantees 9 and 10: overload is turned away, and a stop answers what was taken.
@Suite(.serialized)
struct ServiceStopTests {
    @Test(.timeLimit(.minutes(5)))
    func aStopUnderLoadAnswersWhatWasTaken() async throws {
        try await ServiceFixture.run { fixture in
            let service = try await ServiceProcess.start(database: fixture.database.url)
            let load = try ServiceLoad(url: service.url, key: fixture.app.write)
            async let senders: Void = load.run(connections: 16, batch: 5, retries: false)
            while load.state.acknowledged.count < 500 { try await ContinuousClock().sleep(for: .milliseconds(5)) }
            let start = ContinuousClock.now
            #expect(await service.stop() == 0)
            #expect(ContinuousClock.now - start < .seconds(30))
            load.stop()
            await senders
            let connection = try await fixture.database.connect()
            let verdict = try await load.verdict(connection)
            await connection.close()
            #expect(verdict.lost == 0)
            // Nothing was stored whose sender had no answer.
            #expect(verdict.stored == Int64(load.state.acknowledged.count))
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func aFullQueueIs503AndNothingOfItIsStored() async throws {
        try await ServiceFixture.run(["ingest.queued_events": "20", "ingest.writers": "1"]) { fixture in
            // Whoever holds this lock keeps every append waiting.
            let blocker = try await fixture.database.connect()
            try await blocker.query("BEGIN")
            try await blocker.query("LOCK TABLE log.identity IN ACCESS EXCLUSIVE MODE")
            let url = fixture.service.url
            let key = fixture.app.write
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for sender in 0..<12 {
                    group.addTask {
                        let client = try await ServiceClient.connect(url)
                        let events = (0..<10).map { Sample.action(device: "s\(sender)", notification: "n\($0)") }
                        let answer = try await client.post("[\(events.joined(separator: ","))]", key: key)
                        await client.connection.close()
                        if answer.status == 503 { #expect(answer.headers["retry-after"] != nil) }
                        return answer.status
                    }
                }
                var statuses: [Int] = []
                while statuses.count < 8, let status = try await group.next() { statuses.append(status) }
                // The queue is full: these were turned away at once, and the rest waits.
                try await blocker.query("ROLLBACK")
                for try await status in group { statuses.append(status) }
                return statuses
            }
            await blocker.close()
            let refused = statuses.filter { $0 == 503 }.count
            #expect(refused >= 8)
            #expect(statuses.allSatisfy { $0 == 503 || $0 == 200 })
            #expect(
                try await fixture.number("SELECT count(*) FROM log.event") == Int64(10 * (statuses.count - refused))
            )
        }
    }

    @Test func aPortThatIsTakenIsSaid() async throws {
        try await ServiceFixture.run { fixture in
            let port = fixture.service.url.split(separator: ":").last.map(String.init) ?? ""
            let result = try await NotilogCommand.run(
                ["serve", "--port", port],
                environment: ["NOTILOG_DATABASE_URL": fixture.database.url]
            )
            #expect(result.status == 1)
            #expect(result.errors.contains("port \(port) is in use"))
        }
    }

    @Test func aSchemaThatIsNotItsOwnIsRefused() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let result = try await NotilogCommand.run(
                ["serve", "--port", "0"],
                environment: ["NOTILOG_DATABASE_URL": database.url]
            )
            #expect(result.status == 1)
            #expect(result.errors.contains("notilog migrate"))
        }
    }
}
