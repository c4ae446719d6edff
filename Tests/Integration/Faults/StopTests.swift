import Foundation
import PlainHTTP
import Postgres
import Testing

/// Guarantees 9 and 10: overload is turned away, and a stop answers what was taken.
@Suite(.serialized)
struct StopTests {
    @Test(.timeLimit(.minutes(15)))
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

    @Test("what waits for a writer at SIGTERM is stored and answered; nothing new is taken", .timeLimit(.minutes(15)))
    func aStopAnswersWhatWaits() async throws {
        try await ServiceFixture.run { fixture in
            let service = try await ServiceProcess.start(
                database: fixture.database.url,
                settings: ["ingest.writers": "1", "projections.enabled": "false"]
            )
            let key = fixture.app.write
            let watching = try await ServiceClient.connect(service.url)
            #expect(try await watching.post(Sample.action(device: "first"), key: key).status == 200)
            let owner = try await fixture.database.connect()
            // The fixture's own service is idle, and has more writers than one: its sessions are older.
            let writer: Int = try await owner.value(
                """
                SELECT pid FROM pg_stat_activity WHERE application_name = 'notilog append' AND datname = current_database()
                ORDER BY backend_start DESC LIMIT 1
                """
            )
            kill(pid_t(writer), SIGSTOP)
            let senders = (0..<6).map { number in
                Task {
                    let client = try await ServiceClient.connect(service.url)
                    return try await client.post(Sample.action(device: "s\(number)"), key: key).status
                }
            }
            try await eventually("five requests wait, and one is under way", within: .seconds(60)) {
                try await watching.get("/metrics").text.contains("notilog_append_queue_events 5")
            }
            async let exit = service.stop()
            try await eventually("a closed port", within: .seconds(60)) {
                (try? await ServiceClient.connect(service.url)) == nil
            }
            kill(pid_t(writer), SIGCONT)
            for sender in senders {
                #expect(try await within(.seconds(30), "an answer") { try await sender.value } == 200)
            }
            #expect(await exit == 0)
            #expect(try await owner.value("SELECT count(*) FROM log.event") == 7)
            await owner.close()
        }
    }

    @Test(.timeLimit(.minutes(15)))
    func aFullQueueIs503AndNothingOfItIsStored() async throws {
        try await ServiceFixture.run(["ingest.queued_events": "20", "ingest.writers": "1"]) { fixture in
            // This lock makes every append wait.
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

    @Test("idle connections and slow clients do not hold up a stop", .timeLimit(.minutes(15)))
    func aStopWithIdleAndSlowClients() async throws {
        try await ServiceFixture.run { fixture in
            let service = try await ServiceProcess.start(database: fixture.database.url)
            let key = fixture.app.write
            let idle = try (0..<50).map { _ in try RawClient(service.url) }
            let kept = try await ServiceClient.connect(service.url)
            #expect(try await kept.post(Sample.action(), key: key).status == 200)
            let slow = try RawClient(service.url)
            await slow.send(
                "POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n["
            )
            try await eventually("the beginning of its body is there", within: .seconds(60)) {
                try await kept.get("/metrics").text.contains("notilog_ingest_bytes 1\n")
            }
            let start = ContinuousClock.now
            async let status = slow.status(within: .seconds(20))
            let exit = try await within(.seconds(30), "a stop with slow clients") { await service.stop() }
            #expect(exit == 0)
            #expect(ContinuousClock.now - start < .seconds(12))
            let told = await status
            #expect(told == 503, "it is told to send again")
            withExtendedLifetime(idle) {}
        }
    }

    @Test("a database that hangs does not hold up a stop", .timeLimit(.minutes(15)))
    func aStopWithAFrozenDatabase() async throws {
        try await TestDatabase.withServer { server, database in
            let app = try await TestApp.make("first", in: database)
            let line = try FaultProxy(to: .socket(path: MovedLog.socket(server)))
            defer { line.close() }
            let url = "postgresql://postgres@127.0.0.1:\(line.port)/postgres?sslmode=disable&gssencmode=disable"
            let service = try await ServiceProcess.start(database: url, settings: ["http.stop_seconds": "3"])
            let client = try await ServiceClient.connect(service.url)
            #expect(try await client.post(Sample.action(), key: app.write).status == 200)
            line.drop(true)
            let waiting = Task { try? await client.post(Sample.action(notification: "waits"), key: app.write).status }
            let watching = try await ServiceClient.connect(service.url)
            try await eventually("its event is being stored", within: .seconds(60)) {
                try await watching.get("/metrics").text.contains("notilog_ingest_requests 1\n")
            }
            let probes = try (0..<3).map { _ in try RawClient(service.url) }
            for probe in probes { await probe.send("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n") }
            let exit = try await within(.seconds(30), "a stop without a database") { await service.stop() }
            #expect(exit == 0)
            let answered = await waiting.value
            #expect(answered != 200, "what was not stored is not acknowledged")
            withExtendedLifetime(probes) {}
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
            #expect(result.errors.contains("port \(port) is in use: choose another with http.port (NOTILOG_HTTP_PORT"))
        }
    }

    @Test func anAddressOfAnotherMachineIsSaid() async throws {
        try await TestDatabase.withDatabase { database in
            let result = try await NotilogCommand.run(
                ["serve", "--port", "0", "--host", "192.0.2.1"],
                environment: ["NOTILOG_DATABASE_URL": database.url]
            )
            #expect(result.status == 1)
            #expect(result.errors.contains("192.0.2.1 is not an address of this machine"), "\(result.errors)")
            #expect(result.errors.contains("http.host (NOTILOG_HTTP_HOST"), "\(result.errors)")
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
