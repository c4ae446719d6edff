import EventLog
import Logging
import Postgres
import Projections
import Schema
import Testing

/// A database whose log is filled by SQL, and its projections driven by hand or by a running service's parts.
struct ProjectionFixture: Sendable {
    let database: TestDatabase
    let connection: Connection
    let folder: ReleaseFolder
    let catalogue: ProjectionCatalogue
    let checkpoints: ProjectionCheckpoints

    static func with<Value>(
        folder: ReleaseFolder? = nil,
        caller: isolated (any Actor)? = #isolation,
        _ body: (ProjectionFixture) async throws -> Value
    ) async throws -> Value {
        try await TestDatabase.withDatabase { database in
            let folder = try folder ?? ReleaseFolder.locate()
            let catalogue = try ProjectionCatalogue(folder: folder)
            let pool = Pool(database.configuration, limit: 3)
            let connection = try await database.connect()
            try await connection.query(
                "SELECT log.ensure_partitions('2026-01-01', '2026-02-20')"
            )
            let fixture = ProjectionFixture(
                database: database,
                connection: connection,
                folder: folder,
                catalogue: catalogue,
                checkpoints: ProjectionCheckpoints(catalogue: catalogue, pool: pool)
            )
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(fixture))
            } catch {
                result = .failure(error)
            }
            await connection.close()
            await pool.shutDown()
            return try result.get()
        }
    }

    /// Appends `count` events of 50 devices (requests, deliveries, responses, settings, tokens), and settles the log.
    ///
    /// - Parameter badEvery: every so many positions one of the device `bad`; 0 for none.
    /// - Returns: the last position.
    @discardableResult
    func fill(_ count: Int, badEvery: Int = 0) async throws -> Int64 {
        let writer = try await database.connect()
        try await writer.withTransaction { writer in
            // It is no append: a service would settle positions that are drawn here and not committed yet.
            try await writer.query("SELECT lock.exclusive('drain')")
            try await writer.query(
                """
                INSERT INTO log.event
                SELECT p, at, at, at, at, NULL, gen_random_uuid(), 1, 0, 1, false, kind,
                  CASE WHEN $2 > 0 AND p % nullif($2, 0) = 0 THEN 'bad' ELSE 'device-' || n % 50 END,
                  CASE WHEN kind IN ('settings', 'token') THEN NULL ELSE 'n-' || n END,
                  CASE WHEN kind = 'token' THEN sha256(('t' || n % 60)::bytea) END,
                  jsonb_strip_nulls(jsonb_build_object('category_id', 'c' || n % 4, 'context', jsonb_build_object(
                    'platform', 'ios', 'app_version', '1.' || n % 50 % 3)) || CASE kind
                    WHEN 'request' THEN '{"origin": "provider", "alerting": true, "trigger": {"type": "push"}}'
                    WHEN 'delivery' THEN '{"source": "service_extension", "extension": {"outcome": "modified"}}'
                    WHEN 'action_response' THEN jsonb_build_object('action_id', (ARRAY['default', 'like'])[1 + n % 2])
                    WHEN 'settings' THEN jsonb_build_object('authorization_status', (ARRAY['authorized', 'denied'])[1 + (n % 97 = 0)::integer])
                    ELSE '{"provider": "apns", "type": "alert", "environment": "production", "state": "registered"}' END)
                FROM (
                  SELECT p, p / 5 AS n, timestamptz '2026-01-05' + p * interval '1 second' AS at,
                    (ARRAY['request', 'delivery', 'action_response', 'settings', 'token'])[1 + (p * 7 + p / 11) % 5] AS kind
                  FROM (SELECT nextval('log.position') AS p FROM generate_series(1, $1) OFFSET 0) drawn
                ) e
                """,
                [.int4(Int32(count)), .int4(Int32(badEvery))]
            )
        }
        let settled = try await Settler.settleNow(on: writer).rawValue
        await writer.close()
        return settled
    }

    func runner(
        batch: Int64 = 1_000,
        timeLimit: Duration = .seconds(60),
        eventTimeLimit: Duration = .seconds(5),
        configuration: ConnectionConfiguration? = nil
    ) -> ProjectionRunner {
        ProjectionRunner(
            configuration ?? database.configuration,
            catalogue: catalogue,
            signal: LogSignal(),
            options: .init(
                batchLimit: batch,
                pollInterval: .milliseconds(20),
                timeLimit: timeLimit,
                eventTimeLimit: eventTimeLimit
            ),
            logger: Logger(label: "test.projections")
        )
    }

    func files(_ name: String) throws -> ProjectionFiles {
        try ProjectionFiles(checkpoints.group(of: name), in: folder)
    }

    func rebuild(_ name: String, batch: Int64 = 1_000, lanes: Int16? = nil) throws -> ProjectionRebuild {
        ProjectionRebuild(
            database.configuration,
            files: try files(name),
            batchLimit: batch,
            lanes: lanes,
            logger: Logger(label: "test.rebuild")
        )
    }

    func verify(_ name: String = "notification") async throws -> ProjectionVerification.Report {
        try await ProjectionVerification(
            database.configuration,
            files: try files(name),
            logger: Logger(label: "test.verify")
        ).run { _ in }
    }

    /// Fails the test unless every projection is what a rebuild of it would be.
    func expectVerified(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for group in catalogue.groups {
            let report = try await verify(group.leader)
            let broken = report.tables.filter { !$0.isEqual }
            #expect(broken.isEmpty, "\(broken)", sourceLocation: sourceLocation)
        }
    }

    func status(_ name: String = "notification") async throws -> ProjectionStatus {
        let all = try await checkpoints.status()
        return try #require(all.first { $0.name == name })
    }

    func count(_ sql: String) async throws -> Int64 {
        try await connection.query("SELECT count(*) FROM \(sql)", cached: false).only().get(0)
    }

    /// The schemas left that hold a version beside the ones that serve.
    func schemasBeside() async throws -> [String] {
        try await connection.query(
            "SELECT nspname::text FROM pg_namespace WHERE nspname ~ '^projection_(next|verify|old)_' ORDER BY 1",
            cached: false
        )
        .map { try $0.get(0) }
    }
}
