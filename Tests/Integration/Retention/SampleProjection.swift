import EventLog
import Logging
import NotificationEvents
import Postgres
import Projections
import Reports
import Schema
import Testing

/// What must come out of one sample event of every kind, whatever version they were stored in.
struct SampleProjection {
    let database: TestDatabase
    let connection: Connection
    let app: AppID
    let name: String

    init(_ database: TestDatabase, _ connection: Connection, app: AppID, name: String) {
        self.database = database
        self.connection = connection
        self.app = app
        self.name = name
    }

    func check() async throws {
        let runner = ProjectionRunner(
            database.configuration,
            catalogue: try ProjectionCatalogue(folder: try ReleaseFolder.locate()),
            signal: LogSignal(),
            logger: Logger(label: "test.projections")
        )
        try await runner.catchUp()
        let pool = Pool(database.configuration, limit: 2)
        try await read(pool)
        try await project()
        try await report(pool)
        await pool.shutDown()
    }

    /// A device's timeline shows each in the current version.
    private func read(_ pool: Pool) async throws {
        let events = try await pool.query(
            """
            SELECT kind, data::text
            FROM notilog.timeline($1, 'sample-device', NULL, '-infinity', '00000000-0000-0000-0000-000000000000', 100)
            """,
            [.app(app)]
        )
        #expect(events.count == EventKind.all.count)
        for event in events where try event.get(0) == "presentation" {
            let data: String = try event.get(1)
            #expect(data.contains("foreground") && data.contains("banner"), "\(name): \(data)")
        }
    }

    private func project() async throws {
        let rows: [String: String] = [
            """
            SELECT format('%s %s %s %s %s %s %s %s %s', requested, delivered, presented, showed, responded, replied, dismissed,
              action_id, category)
            FROM notification WHERE app_id = $1 AND notification_id = 'sample-notification'
            """: "t t t t t t t comment news",
            "SELECT withdrawn::text FROM notification WHERE app_id = $1 AND notification_id = 'sample-request'": "true",
            "SELECT format('%s %s', authorization_status, sound) FROM device_settings WHERE app_id = $1":
                "authorized disabled",
            "SELECT state FROM device_token WHERE app_id = $1": "invalidated",
            "SELECT string_agg(action_id, ' ' ORDER BY place) FROM category_action WHERE app_id = $1": "comment like",
        ]
        for (sql, expected) in rows {
            let found = try await connection.query(sql, [.app(app)], cached: false).map {
                try $0.get(0, as: String?.self)
            }
            #expect(found == [expected], "\(name): \(sql)")
        }
    }

    private func report(_ pool: Pool) async throws {
        let runner = ReportRunner(catalogue: try ReportCatalogue(folder: try ReleaseFolder.locate()), pool: pool)
        let pairs = [("from", "2026-02-01"), ("to", "2026-04-01")]
        let parameters = try ReportParameters(pairs, for: try runner.catalogue.report("engagement"))
        let asOf = Timestamp.parse("2026-04-02T00:00:00Z")?.timestamp
        let result = try await runner.run(parameters, app: name, asOf: asOf)
        let news = try result.row(["category": "news"])
        #expect(
            news.counts("requested", "reached", "presented_seen", "responded", "replied", "dismissed")
                == [1, 1, 1, 1, 1, 1],
            "\(name)"
        )
    }
}
