import EventLog
import Exports
import Foundation
import Logging
import Postgres
import Projections
import Schema

/// A database with an app `demo`, events written as rows, and exports of it into a folder of the test's own.
struct ExportsDatabase: Sendable {
    let database: TestDatabase
    let connection: Connection
    let pool: Pool
    let folder: URL

    /// Runs a test.
    static func with(_ body: (ExportsDatabase) async throws -> Void) async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect(settings: ["timezone": "UTC"])
            try await connection.query("INSERT INTO notilog.app (name) VALUES ('demo'), ('other')")
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("notilog-export-\(UUID().uuidString)")
            let exports = ExportsDatabase(
                database: database,
                connection: connection,
                pool: Pool(database.configuration, limit: 4),
                folder: folder
            )
            defer { try? FileManager.default.removeItem(at: folder) }
            do {
                try await body(exports)
            } catch {
                await exports.pool.shutDown()
                throw error
            }
            await exports.pool.shutDown()
            await connection.close()
        }
    }

    /// Appends events, each an object with kind, at and data, and where it has them device, nid, token, occurrence and app.
    func append(_ events: [[String: Any]]) async throws {
        let json = try JSONSerialization.data(withJSONObject: events)
        try await connection.query(
            "SELECT log.ensure_partitions(min(at), max(at)) FROM jsonb_to_recordset($1) AS e (at timestamptz)",
            [.jsonb(Array(json))]
        )
        try await connection.query(
            """
            INSERT INTO log.event (position, received_at, occurred_at, effective_at, occurrence, id, app_id, utc_offset,
              schema_version, time_clamped, kind, device_id, notification_id, token, data)
            SELECT nextval('log.position'), at, at, at, occurrence, gen_random_uuid(), coalesce(app, 1), 0, 1, false, kind,
              coalesce(device, ''), nid, decode(token, 'hex'), coalesce(data, '{}')
            FROM jsonb_to_recordset($1) AS e (at timestamptz, occurrence timestamptz, app integer, kind text, device text,
              nid text, token text, data jsonb)
            """,
            [.jsonb(Array(json))]
        )
        try await connection.query("CALL log.settle(NULL)")
    }

    /// Appends so many events by SQL alone, of 500 devices.
    func append(many count: Int) async throws {
        try await connection.query("SELECT log.ensure_partitions('2026-01-01', '2026-02-01')")
        try await connection.query(
            """
            INSERT INTO log.event (position, received_at, occurred_at, effective_at, id, app_id, utc_offset, schema_version,
              time_clamped, kind, device_id, notification_id, data)
            SELECT nextval('log.position'), t, t, t, gen_random_uuid(), 1, 60, 1, false, 'delivery', 'device-' || n % 500,
              'n-' || n, '{"source": "service_extension", "category_id": "news", "attributes": {"note": "a \\"b\\",\\n\\u00e9"}}'
            FROM generate_series(1, $1) AS n, LATERAL (SELECT timestamptz '2026-01-01' + n * interval '1 second') AS x (t)
            """,
            [.int4(Int32(count))]
        )
        try await connection.query("CALL log.settle(NULL)")
    }

    /// Applies every projection to what is settled.
    func project() async throws {
        let runner = ProjectionRunner(
            database.configuration,
            catalogue: try ProjectionCatalogue(folder: try ReleaseFolder.locate()),
            signal: .init(),
            logger: Logger(label: "exports.projections")
        )
        try await runner.catchUp()
    }

    /// Rebuilds a group of projections, and swaps it.
    func rebuild(_ leader: String) async throws {
        let sql = try ReleaseFolder.locate()
        let group = try ProjectionCatalogue(folder: sql).groups.first { $0.leader == leader }
        guard let group else { return }
        let files = try ProjectionFiles(group, in: sql)
        let rebuild = ProjectionRebuild(database.configuration, files: files, logger: Logger(label: "exports.rebuild"))
        _ = try await rebuild.run { _ in }
    }

    /// Whether so many versions were put in place since the database was made.
    func isRebuilt(_ times: Int64) async throws -> Bool {
        let first: Int64 = Int64(try ProjectionCatalogue(folder: try ReleaseFolder.locate()).groups.count)
        let last: Int64 = try await connection.value(
            "SELECT max(version_id) FROM projection.version WHERE schema_name = 'projection'"
        )
        return last >= first + times
    }

    /// A run, to be made.
    func request(
        _ dataset: String,
        cursor: String = "c",
        format: ExportFormat = .ndjson,
        gzip: Bool = false,
        folder name: String? = nil,
        app: (AppID, String) = (1, "demo"),
        accepting: Bool = false
    ) -> ExportRun {
        ExportRun(
            ExportRequest(
                dataset: dataset,
                cursor: cursor,
                appID: app.0,
                app: app.1,
                folder: name.map { folder.path + $0 } ?? folder.path,
                format: format,
                gzip: gzip,
                acceptsIncarnation: accepting
            ),
            pool: pool
        )
    }

    /// Makes a run, and gives its rows; none where there was nothing new.
    func rows(_ dataset: String, cursor: String = "c", app: (AppID, String) = (1, "demo")) async throws -> [[String:
        Any]]
    {
        let folder = "/\(cursor)"
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        switch try await request(dataset, cursor: cursor, folder: folder, app: app).run() {
        case .nothing: return []
        case .wrote(let manifest, _):
            let data = try Data(contentsOf: self.folder.appendingPathComponent(cursor + "/" + manifest.file))
            return try data.split(separator: 10).compactMap {
                try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any]
            }
        }
    }

    /// Takes a token's rows away, as where it goes beyond the bound of what is computed.
    func forget(token: String) async throws {
        try await connection.query(
            "INSERT INTO projection.token_excess SELECT 1, '', decode($1, 'hex')",
            [.text(token)]
        )
        try await connection.query(
            "DELETE FROM projection.device_token WHERE token = decode($1, 'hex')",
            [.text(token)]
        )
    }

    func text(_ sql: String) async throws -> String {
        try await connection.value("SELECT coalesce(string_agg(t, E'\\n'), '') FROM (\(sql)) AS x (t)")
    }
}
