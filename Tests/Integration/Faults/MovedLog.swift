import EventLog
import Foundation
import Logging
import PlainHTTP
import Postgres
import PrivatePostgres
import Testing

/// Copies of servers, and what must hold after a log has moved from one to another.
enum MovedLog {
    /// Where clients go when there are several servers: libpq takes the one that can be written to.
    static func url(_ lines: [FaultProxy]) -> String {
        let hosts = lines.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        return
            "postgresql://postgres@\(hosts)/postgres?target_session_attrs=read-write&sslmode=disable&gssencmode=disable"
    }

    static func socket(_ server: PrivatePostgres) -> String {
        "\(server.url().split(separator: "=").last ?? "")/.s.PGSQL.5432"
    }

    /// A streaming replica, that commits wait for or that lags behind.
    static func replica(
        of primary: PrivatePostgres,
        isSynchronous: Bool = true
    ) async throws -> (server: PrivatePostgres, folder: String) {
        let folder = try Programs.makeFolder("notilog-standby-")
        let host = primary.url().split(separator: "=").last.map(String.init) ?? ""
        let arguments = [
            "--pgdata=\(folder)/data", "--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast",
            "--host=\(host)", "--username=postgres",
        ]
        try await Programs.run("pg_basebackup", arguments, asServer: true)
        let server = try await PrivatePostgres.start(
            .init(folder: folder, settings: ["fsync": "off", "shared_buffers": "64MB"]),
            logger: Logger(label: "test.standby")
        )
        let connection = try await TestDatabase(url: primary.url()).connect()
        if isSynchronous {
            try await connection.query("ALTER SYSTEM SET synchronous_standby_names = '*'", cached: false)
            try await connection.query("SELECT pg_reload_conf()")
        }
        try await eventually("a standby", within: .seconds(30)) {
            try await connection.query(
                "SELECT count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = $1",
                [.text(isSynchronous ? "sync" : "async")]
            ).only().get(0)
        }
        await connection.close()
        return (server, folder)
    }

    /// Once a replica has what there is so far, lets nothing more reach it.
    static func stopReceiving(_ standby: PrivatePostgres, from primary: PrivatePostgres) async throws {
        let sending = try await TestDatabase(url: primary.url()).connect()
        let written: String = try await sending.value("SELECT pg_current_wal_flush_lsn()::text")
        let connection = try await TestDatabase(url: standby.url()).connect()
        try await eventually("the replica at \(written)", within: .seconds(30)) {
            try await connection.query("SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn", [.text(written)])
                .only().get(0)
        }
        try await connection.query("ALTER SYSTEM SET primary_conninfo = ''", cached: false)
        try await connection.query("SELECT pg_reload_conf()")
        try await eventually("the end of the replica's receiving", within: .seconds(30)) {
            try await sending.value("SELECT count(*) = 0 FROM pg_stat_replication")
        }
        await connection.close()
        await sending.close()
    }

    static func promote(_ standby: PrivatePostgres) async throws {
        let connection = try await TestDatabase(url: standby.url()).connect()
        #expect(try await connection.value("SELECT pg_promote(true, 30)", as: Bool.self))
        await connection.close()
    }

    /// So many events, each once, each in the identity table.
    static func checkOnce(_ database: TestDatabase, events: Int64) async throws {
        let connection = try await database.connect()
        let row = try await connection.query(
            """
            SELECT count(*), count(DISTINCT id), count(DISTINCT position), (SELECT count(*) FROM log.identity) FROM log.event
            """
        ).only()
        for column in 0..<4 { #expect(try row.get(column, as: Int64.self) == events) }
        await connection.close()
    }

    static func reasons(_ database: TestDatabase) async throws -> [String] {
        let pool = Pool(database.configuration, limit: 1)
        let reasons = try await Incarnation.all(pool).map(\.reason)
        await pool.shutDown()
        return reasons
    }
}

/// Posts events of one device and reads them back.
struct TimelineReader: Sendable {
    let url: String
    let app: TestApp
    private static let minute = String(Sample.time(3600).prefix(17))

    init(_ url: String, _ app: TestApp) {
        self.url = url
        self.app = app
    }

    /// Posts the events of these numbers; the same number is always the same event.
    @discardableResult
    func post(_ numbers: Range<Int>) async throws -> EventsReply {
        let client = try await ServiceClient.connect(url)
        let events = numbers.map { number in
            let id = "00000000-0000-7000-8000-\(String(format: "%012d", number))"
            let at = "\(Self.minute)\(String(format: "%02d", number % 60)).\(String(format: "%03d", number))Z"
            return Sample.action(device: "traveller", notification: "n\(number)", id: id, at: at)
        }
        let answer = try await client.post("[\(events.joined(separator: ","))]", key: app.write)
        await client.connection.close()
        guard answer.status == 200 else { throw FaultFailure("posting was answered \(answer.status): \(answer.text)") }
        return try answer.events
    }

    /// The cursor after so many pages of ten.
    func cursor(pages: Int = 1) async throws -> String {
        struct Page: Decodable { var nextCursor: String? }
        var cursor: String?
        for _ in 0..<pages {
            let answer: Page = try await page(after: cursor).decoded()
            guard let next = answer.nextCursor else { throw FaultFailure("the timeline has too few pages") }
            cursor = next
        }
        return cursor ?? ""
    }

    func page(after cursor: String?) async throws -> HTTPAnswer {
        let client = try await ServiceClient.connect(url)
        let query = "?limit=10" + (cursor.map { "&cursor=\($0)" } ?? "")
        let answer = try await client.get("/v1/devices/traveller/events" + query, key: app.read)
        await client.connection.close()
        return answer
    }

    func status(of cursor: String) async throws -> Int {
        try await page(after: cursor).status
    }

    /// Waits until everything posted is in every projection.
    func settle() async throws {
        let client = try await ServiceClient.connect(url)
        let reply = try await client.post(Sample.action(device: "last", notification: "\(UUID())"), key: app.write)
        guard reply.status == 200, let position = try reply.events.position else {
            throw FaultFailure("posting was answered \(reply.status)")
        }
        try await eventually("a report that has position \(position)", within: .seconds(60)) {
            try await client.get("/v1/reports/engagement?min_position=\(position)", key: app.read).status == 200
        }
        await client.connection.close()
    }
}
