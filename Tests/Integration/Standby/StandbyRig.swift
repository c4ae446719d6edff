import EventLog
import Foundation
import Logging
import PlainHTTP
import Postgres
import PrivatePostgres
import Schema
import Testing

/// A primary with a streaming standby.
struct StandbyRig: Sendable {
    let primary: PrivatePostgres
    let database: TestDatabase
    let server: PrivatePostgres
    let app: TestApp

    /// The standby.
    var standby: TestDatabase { TestDatabase(url: server.url()) }

    /// Runs a test on the two servers.
    static func with(_ body: (StandbyRig) async throws -> Void) async throws {
        try await TestDatabase.withServer { primary, database in
            let app = try await TestApp.make("first", in: database)
            let (server, folder) = try await MovedLog.replica(of: primary, isSynchronous: false)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let rig = StandbyRig(primary: primary, database: database, server: server, app: app)
            do {
                try await body(rig)
            } catch {
                try? await server.stop(.immediate)
                throw error
            }
            try? await server.stop(.immediate)
        }
    }

    /// Runs a test against a service that reads reports from the standby, once it does.
    static func withService(
        _ settings: [String: String] = [:],
        _ body: (StandbyRig, ServiceProcess, ServiceClient) async throws -> Void
    ) async throws {
        try await with { rig in
            var all = settings
            all["reports.database_url"] = rig.server.url()
            let service = try await ServiceProcess.start(database: rig.database.url, settings: all)
            let client = try await ServiceClient.connect(service.url)
            do {
                try await rig.wait(for: .following, client)
                try await body(rig, service, client)
            } catch {
                await service.kill()
                throw error
            }
            await client.connection.close()
            await service.stop()
        }
    }

    /// The standby of a service in this process, which is looked at when the test says so.
    func inProcess(lagLimit: Double = 60) -> (standby: Standby, primary: Pool, shutDown: @Sendable () async -> Void) {
        let primary = Pool(database.configuration, limit: 2)
        let standby = Standby(
            reading: Pool(self.standby.configuration, limit: 2),
            monitoring: Pool(self.standby.configuration, limit: 1),
            primary: primary,
            lagLimit: lagLimit,
            logger: Logger(label: "test.standby")
        )
        return (
            standby, primary,
            {
                await standby.shutDown()
                await primary.shutDown()
            }
        )
    }

    /// Waits until the service says this of the standby. It stays ready.
    func wait(for state: StandbyStatus.State, _ client: ServiceClient) async throws {
        try await eventually("a standby that is \(state)", within: .seconds(60)) {
            let ready = try await client.get("/readyz").decoded(Ready.self)
            return ready.status == "ready" && ready.standby?.state == state.rawValue
        }
    }

    /// Waits until the standby has replayed what the primary has written by now.
    func catchUp() async throws {
        let (primary, standby) = (try await database.connect(), try await self.standby.connect())
        let written: String = try await primary.value("SELECT pg_current_wal_insert_lsn()::text")
        try await eventually("a standby at \(written)", within: .seconds(60)) {
            try await standby.query("SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn", [.text(written)]).only()
                .get(0)
        }
        await primary.close()
        await standby.close()
    }

    /// Has the standby replay nothing for now, or go on.
    func pause(_ isPaused: Bool) async throws {
        let connection = try await standby.connect()
        try await connection.query(isPaused ? "SELECT pg_wal_replay_pause()" : "SELECT pg_wal_replay_resume()")
        guard isPaused else { return await connection.close() }
        try await eventually("a paused replay") {
            try await connection.value("SELECT pg_get_wal_replay_pause_state() = 'paused'")
        }
        await connection.close()
    }

    /// Posts an event, and waits until every projection of the primary has it.
    func post(_ client: ServiceClient, notification: String = "n1") async throws -> Int64 {
        let written = try await client.post(Sample.action(notification: notification), key: app.write).events
        let position = try #require(written.position)
        let leaders = try ProjectionCatalogue(folder: ReleaseFolder.locate()).groups.map(\.leader)
        let connection = try await database.connect()
        try await eventually("projections at \(position)", within: .seconds(60)) {
            try await connection.query(
                "SELECT min(position) >= $2 FROM projection.status($1)",
                [.texts(leaders), .int8(position)]
            ).only().get(0)
        }
        await connection.close()
        return position
    }

    /// What `/readyz` says.
    struct Ready: Decodable {
        struct Standby: Decodable {
            var state: String
            var detail: String?
            var bytesBehind: Int64?
            var positionsBehind: Int64?
            var secondsBehind: Double?
        }

        var status: String
        var standby: Standby?
    }

    /// How new a report is.
    struct Report: Decodable {
        struct AsOf: Decodable {
            var position: Int64
            var lagSeconds: Double
        }

        var asOf: AsOf
    }
}

extension ServiceClient {
    /// Asks for a report once, also where it is behind.
    func report(_ rig: StandbyRig, minPosition: Int64? = nil) async throws -> HTTPAnswer {
        let query = minPosition.map { "?min_position=\($0)" } ?? ""
        return try await connection.send(
            "GET",
            "/v1/reports/engagement" + query,
            headers: [("Authorization", "Bearer \(rig.app.read)")]
        )
    }

    /// How new the report without a least position is.
    func asOf(_ rig: StandbyRig) async throws -> StandbyRig.Report.AsOf {
        let answer = try await report(rig)
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.decoded(StandbyRig.Report.self).asOf
    }
}
