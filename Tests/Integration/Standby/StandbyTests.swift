import EventLog
import Exports
import Foundation
import Logging
import NotificationEvents
import PlainHTTP
import Postgres
import PrivatePostgres
import Reports
import Schema
import Testing

/// Reports and exports read from a standby, and what is said and done when it is behind, away or promoted.
@Suite("Standby", .serialized)
struct StandbyTests {
    @Test("every report and the export of events are the same from the standby", .timeLimit(.minutes(10)))
    func equality() async throws {
        try await StandbyRig.withService { rig, service, _ in
            let result = try await NotilogCommand.run([
                "simulate", "--devices", "200", "--days", "5", "--seed", "7", "--url", service.url, "--key",
                rig.app.provider,
            ])
            #expect(result.status == 0, "\(result.errors)")
            // A connection of its own: the service may close one that was idle during the simulation.
            let first = try await ServiceClient.connect(service.url)
            _ = try await rig.post(first)
            await first.connection.close()
            try await rig.catchUp()
            let (standby, primary, shutDown) = rig.inProcess()
            #expect(await standby.probe().state == .following)
            let catalogue = try ReportCatalogue(folder: ReleaseFolder.locate())
            // Whatever is read from the primary would fail.
            let nowhere = Pool(ConnectionConfiguration(connectionString: "postgresql://127.0.0.1:1/none"), limit: 1)
            let there = ReportRunner(catalogue: catalogue, pool: nowhere, standby: standby)
            let here = ReportRunner(catalogue: catalogue, pool: primary)
            let asOf = Timestamp(microseconds: Int64(Date().timeIntervalSince1970) * 1_000_000)
            var rows = 0
            for definition in catalogue.reports + catalogue.listings {
                let parameters = try ReportParameters([], for: definition)
                let expected = try await here.run(parameters, app: rig.app.name, asOf: asOf)
                let found = try await there.run(parameters, app: rig.app.name, asOf: asOf)
                #expect(found.rows == expected.rows, "\(definition.name)")
                #expect(found.asOf.position == expected.asOf.position)
                rows += found.rows.count
            }
            #expect(rows > 100)

            let whole = try await export(ExportReader(pool: primary), rig.app)
            #expect(whole.count > 1000)
            #expect(try await export(ExportReader(pool: primary, standby: standby), rig.app) == whole)
            // A standby that lacks some of what is exported is not read.
            try await rig.pause(true)
            let second = try await ServiceClient.connect(service.url)
            _ = try await second.post(Sample.action(notification: "late"), key: rig.app.write)
            await second.connection.close()
            let connection = try await rig.database.connect()
            try await eventually("a settled event") {
                try await connection.value(
                    "SELECT bool_and(e.position <= s.settled_position) FROM log.event e, log.state s"
                )
            }
            await connection.close()
            #expect(try await export(ExportReader(pool: primary, standby: standby), rig.app).count == whole.count + 1)
            try await rig.pause(false)
            try await rig.catchUp()
            try await primaryIsLost(rig, standby, primary)
            await nowhere.shutDown()
            await shutDown()
        }
    }

    /// The lines of an export of events.
    private func export(_ reader: ExportReader, _ app: TestApp) async throws -> [Substring] {
        let dataset = try await reader.dataset("events")
        let bound = try await reader.bound(dataset, app: app.id)
        let range = ExportRange(after: 0, upTo: bound.number)
        let stream = try reader.stream(dataset, app: app.id, range, as: .ndjson, chunkBytes: 1 << 14)
        var bytes: [UInt8] = []
        while let part = try await stream.next() { bytes += part }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    /// An export that has begun goes on without its primary.
    private func primaryIsLost(_ rig: StandbyRig, _ standby: Standby, _ primary: Pool) async throws {
        let reader = ExportReader(pool: primary, standby: standby)
        let dataset = try await reader.dataset("events")
        let bound = try await reader.bound(dataset, app: rig.app.id)
        let count = Int64(try await export(reader, rig.app).count)
        let range = ExportRange(after: 0, upTo: bound.number)
        let stream = try reader.stream(dataset, app: rig.app.id, range, as: .ndjson, chunkBytes: 1 << 14)
        _ = try await stream.next()
        // What the primary had written as the stream began.
        try await rig.catchUp()
        try await rig.primary.stop(.immediate)
        while try await stream.next() != nil {}
        #expect(stream.rows == count)
        #expect(await standby.probe().state == .following, "what it was, until the primary answers again")
        try await rig.primary.restart()
    }

    @Test("a report waits for min_position while replay is paused, and is told the lag", .timeLimit(.minutes(10)))
    func pausedReplay() async throws {
        try await StandbyRig.withService { rig, service, client in
            let first = try await rig.post(client)
            #expect(try await client.report(rig, minPosition: first).status == 200)
            try await rig.pause(true)
            // More than the sequence notes in advance: the standby does not know of the last one.
            for number in 100..<140 {
                _ = try await client.post(Sample.action(notification: "n\(number)"), key: rig.app.write)
            }
            let second = try await rig.post(client, notification: "n2")
            let asOf = try await client.asOf(rig)
            #expect(asOf.position < second, "it is read from the standby")

            // Past the limit it is the error of a projection that is behind.
            let start = ContinuousClock.now
            let late = try await client.report(rig, minPosition: second)
            #expect(ContinuousClock.now - start > .seconds(4))
            #expect(late.status == 409, "\(late.text)")
            #expect(try late.problem.code == "projection_behind")
            #expect(late.headers["retry-after"] != nil)
            #expect(late.text.contains("lag_seconds"))
            // One that was never assigned is known not to be, and not waited for.
            let unknown = try await client.report(rig, minPosition: 999_999)
            #expect(unknown.status == 400)
            #expect(try unknown.problem.code == "unknown_position")

            // How far it is behind is said: in answers, in readiness, in metrics, by the doctor.
            try await eventually("a lag that is told") { try await client.asOf(rig).lagSeconds > 0 }
            let ready = try await client.get("/readyz").decoded(StandbyRig.Ready.self)
            #expect(ready.standby?.positionsBehind ?? 0 > 0)
            #expect(ready.standby?.bytesBehind ?? 0 > 0)
            #expect(ready.standby?.secondsBehind ?? 0 > 0)
            let metrics = try await client.get("/metrics").text
            for line in ["notilog_standby_following 1", "notilog_standby_promoted 0", "notilog_standby_lag_bytes"] {
                #expect(metrics.contains(line), "\(line)")
            }
            let doctor = try await DoctorReport.run(
                rig.database.url,
                environment: ["NOTILOG_REPORTS_DATABASE_URL": rig.server.url()]
            )
            doctor.expect("ok", "report_standby", "positions")
            doctor.expect("warn", "report_standby", "hot_standby_feedback", advice: "set it to on")
            // What concerns one device is read from the primary, at once.
            #expect(try await client.get("/v1/notifications/d1/n2", key: rig.app.read).status == 200)

            // Released, a report that waits is answered.
            let other = try await ServiceClient.connect(service.url)
            let watcher = try await rig.standby.connect()
            let asked: String = try await watcher.value("SELECT clock_timestamp()::text")
            let waiting = Task { try await other.report(rig, minPosition: second) }
            try await eventually("a report that waits") {
                try await watcher.value(
                    """
                    SELECT count(*) > 0 FROM pg_stat_activity
                    WHERE query LIKE '%reporting.progress%' AND query_start > $1::text::timestamptz AND pid <> pg_backend_pid()
                    """,
                    [.text(asked)]
                )
            }
            await watcher.close()
            try await rig.pause(false)
            let answer = try await waiting.value
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try answer.decoded(StandbyRig.Report.self).asOf.position >= second)
            await other.connection.close()

            try await tooFarBehind(rig, client)
        }
    }

    /// The position of a report that is read from the standby, or else from the primary.
    private func newest(_ primary: Pool, _ standby: Standby, _ rig: StandbyRig) async throws -> Int64 {
        let runner = ReportRunner(
            catalogue: try ReportCatalogue(folder: ReleaseFolder.locate()),
            pool: primary,
            standby: standby
        )
        let parameters = try ReportParameters([], for: runner.catalogue.report("engagement"))
        return try await runner.run(parameters, app: rig.app.name).asOf.position.rawValue
    }

    /// A standby beyond its limit is not read until it has caught up.
    private func tooFarBehind(_ rig: StandbyRig, _ client: ServiceClient) async throws {
        try await rig.catchUp()
        let (standby, primary, shutDown) = rig.inProcess(lagLimit: 0)
        #expect(await standby.probe().state == .following)
        try await rig.pause(true)
        let position = try await rig.post(client, notification: "n3")
        let status = await standby.probe()
        #expect(status.state == .behind && status.lag?.positions ?? 0 > 0)
        #expect(try await newest(primary, standby, rig) >= position)
        try await rig.pause(false)
        try await eventually("a standby that has caught up") { await standby.probe().state == .following }
        await shutDown()
    }

    @Test("a report that the standby cancels is made again once, and then refused", .timeLimit(.minutes(10)))
    func recoveryConflict() async throws {
        try await StandbyRig.with { rig in
            // Compared with its primary once: a service whose comparison comes late on a busy machine would read the primary.
            let (standby, primary, shutDown) = rig.inProcess()
            try await eventually("a standby that follows") { await standby.probe().state == .following }
            let gate = try await ReportGate.closed(on: rig)
            let once = Task { try await newest(primary, standby, rig) }
            let first = try await gate.waiting()
            try await gate.cleanUp()
            try await gate.cancel()
            _ = try await gate.waiting(after: first)
            await gate.open()
            _ = try await once.value

            let second = try await ReportGate.closed(on: rig)
            let twice = Task { try await newest(primary, standby, rig) }
            let attempt = try await second.waiting()
            try await second.cancel()
            _ = try await second.waiting(after: attempt)
            try await second.cancel()
            let error = await #expect(throws: ReportError.self) { try await twice.value }
            #expect(error?.code == .recoveryConflict)
            await second.open()
            // Neither the standby nor the connection is lost by it.
            #expect(standby.status.state == .following)
            _ = try await newest(primary, standby, rig)
            #expect(standby.status.state == .following)
            await shutDown()
        }
    }

    @Test("a standby that is killed takes neither reports nor ingest away, and is read again", .timeLimit(.minutes(10)))
    func killed() async throws {
        try await StandbyRig.withService { rig, service, client in
            _ = try await rig.post(client)
            _ = try await client.asOf(rig)
            let (standby, primary, shutDown) = rig.inProcess()
            #expect(await standby.probe().state == .following)
            try rig.server.kill()
            // As it was last seen it follows: the report finds that it does not answer.
            #expect(try await newest(primary, standby, rig) >= 1)
            #expect(standby.status.state == .away)
            await shutDown()
            let first = try await rig.post(client, notification: "n2")
            try await eventually("a report from the primary") { try await client.asOf(rig).position >= first }
            try await rig.wait(for: .away, client)
            let ready = try await client.get("/readyz").decoded(StandbyRig.Ready.self)
            let detail = try #require(ready.standby?.detail)
            #expect(detail.contains("the standby does not answer ("), "\(detail)")
            #expect(!detail.contains(MovedLog.socket(rig.server)), "\(detail)")
            for number in 3..<6 {
                let position = try await rig.post(client, notification: "n\(number)")
                #expect(try await client.report(rig, minPosition: position).status == 200)
            }
            #expect(try await client.get("/metrics").text.contains("notilog_standby_following 0"))
            try await rig.server.restart()
            try await rig.wait(for: .following, client)
            try await rig.pause(true)
            let last = try await rig.post(client, notification: "n6")
            #expect(try await client.asOf(rig).position < last, "it is read from the standby again")
            try await rig.pause(false)
            #expect(service.log.contains("the standby does not answer"))
        }
    }

    @Test("a promoted standby is not read, and that is said", .timeLimit(.minutes(10)))
    func promoted() async throws {
        try await StandbyRig.withService { rig, service, client in
            _ = try await rig.post(client)
            let (standby, primary, shutDown) = rig.inProcess()
            #expect(await standby.probe().state == .following)
            try await MovedLog.promote(rig.server)
            let position = try await rig.post(client, notification: "n2")
            // As it was last seen it follows: the transaction itself finds that it does not.
            #expect(try await newest(primary, standby, rig) >= position)
            #expect(standby.status.state == .promoted)
            await shutDown()

            try await rig.wait(for: .promoted, client)
            #expect(try await client.asOf(rig).position >= position)
            #expect(try await client.get("/metrics").text.contains("notilog_standby_promoted 1"))
            #expect(service.log.contains("the server was promoted and is no standby"))
            let doctor = try await DoctorReport.run(
                rig.database.url,
                environment: ["NOTILOG_REPORTS_DATABASE_URL": rig.server.url()]
            )
            doctor.expect("fail", "report_standby", "promoted", advice: "make it a standby again")
        }
    }

    @Test("a service whose database is a standby is not ready, and says why", .timeLimit(.minutes(10)))
    func standbyAsDatabase() async throws {
        try await StandbyRig.with { rig in
            try await rig.catchUp()
            let service = try await ServiceProcess.start(
                database: rig.server.url(),
                settings: ["projections.enabled": "false"]
            )
            let client = try await ServiceClient.connect(service.url)
            let ready = try await client.get("/readyz")
            #expect(ready.status == 503, "\(ready.text)")
            #expect(ready.text.contains(#""append":"the server is a standby, which takes no events""#), "\(ready.text)")
            let refused = try await client.post(Sample.action(), key: rig.app.write)
            #expect(refused.status == 503, "\(refused.text)")
            #expect(try refused.problem.detail.hasPrefix("the database is read-only: "))
            try await eventually("the log says so") { service.log.contains("is a standby, which takes no events") }
            let lines = service.log.split(separator: "\n")
            let said = try #require(lines.firstIndex { $0.contains("is a standby, which takes no events") })
            #expect(lines.prefix(said).allSatisfy { !$0.contains("25006") }, "\(service.log)")
            await client.connection.close()
            await service.stop()
        }
    }

    @Test("a standby of another server is not read", .timeLimit(.minutes(10)))
    func foreign() async throws {
        try await StandbyRig.with { rig in
            try await TestDatabase.withServer { _, other in
                let primary = Pool(other.configuration, limit: 1)
                let standby = Standby(
                    reading: Pool(rig.standby.configuration, limit: 1),
                    monitoring: Pool(rig.standby.configuration, limit: 1),
                    primary: primary,
                    lagLimit: 60,
                    logger: Logger(label: "test.standby")
                )
                #expect(await standby.probe().state == .foreign)
                await standby.shutDown()
                await primary.shutDown()
            }
        }
    }
}
