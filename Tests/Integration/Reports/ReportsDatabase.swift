import Foundation
import NotificationEvents
import Postgres
import Projections
import Reports
import Schema

/// A database with events that a test wrote as rows, every projection applied to them, and the reports on it.
struct ReportsDatabase: Sendable {
    let connection: Connection
    let runner: ReportRunner
    let pool: Pool

    /// Runs a test on a database with an app `demo`.
    static func with<Value>(
        timeout: Duration = .milliseconds(100),
        caller: isolated (any Actor)? = #isolation,
        _ body: (ReportsDatabase) async throws -> Value
    ) async throws -> Value {
        try await TestDatabase.withDatabase { database in
            let settings = ["search_path": "projection, log", "timezone": "UTC"]
            let connection = try await database.connect(settings: settings)
            try await connection.query("INSERT INTO notilog.app (name) VALUES ('demo')")
            let pool = Pool(database.configuration, limit: 2)
            let runner = ReportRunner(
                catalogue: try ReportCatalogue(folder: ReleaseFolder.locate()),
                pool: pool,
                timeout: timeout
            )
            let reports = ReportsDatabase(connection: connection, runner: runner, pool: pool)
            let value = try await body(reports)
            await pool.shutDown()
            await connection.close()
            return value
        }
    }

    /// Appends events, each an object with kind, at and data, and where it has them device, nid, token (hexadecimal), id,
    /// received, occurred, occurrence, app and clamped.
    func append(_ events: [[String: Any]]) async throws {
        let json = try JSONSerialization.data(withJSONObject: events)
        try await connection.query(
            """
            SELECT log.ensure_partitions(min(coalesce(received, at)), max(coalesce(received, at)))
            FROM jsonb_to_recordset($1) AS e (at timestamptz, received timestamptz)
            """,
            [.jsonb(Array(json))]
        )
        try await connection.query(
            """
            INSERT INTO log.event (position, received_at, occurred_at, effective_at, occurrence, id, app_id, utc_offset,
              schema_version, time_clamped, kind, device_id, notification_id, token, data)
            SELECT nextval('log.position'), coalesce(received, at), coalesce(occurred, at), at, occurrence, coalesce(id, gen_random_uuid()),
              coalesce(app, 1), 0, 1, coalesce(clamped, false), kind, coalesce(device, ''), nid, decode(token, 'hex'),
              coalesce(data, '{}')
            FROM jsonb_to_recordset($1) AS e (at timestamptz, received timestamptz, occurred timestamptz, occurrence timestamptz, id uuid,
              app integer, clamped boolean, kind text, device text, nid text, token text, data jsonb)
            """,
            [.jsonb(Array(json))]
        )
    }

    /// Applies every projection to what has come since the last time.
    func apply() async throws {
        try await connection.query("CALL log.settle()")
        for group in try ProjectionCatalogue(folder: ReleaseFolder.locate()).groups {
            let row = try await connection.query(
                """
                SELECT coalesce((SELECT position FROM projection.checkpoint WHERE name = $1), 0),
                  (SELECT settled_position FROM log.state)
                """,
                [.text(group.leader)]
            ).only()
            let (after, upto): (Int64, Int64) = (try row.get(0), try row.get(1))
            try await connection.withTransaction { connection in
                try await group.apply(after: after, upTo: upto, on: connection)
                try await connection.query(
                    """
                    INSERT INTO projection.checkpoint (name, position) VALUES ($1, $2)
                    ON CONFLICT (name, lane) DO UPDATE SET position = excluded.position
                    """,
                    [.text(group.leader), .int8(upto)]
                )
            }
        }
    }

    /// The time of which reports are asked.
    static let asOf = "2026-03-20T00:00:00Z"

    /// So many seconds before that.
    static func time(_ secondsBefore: Int64) -> String {
        Date(timeIntervalSince1970: Double(1_773_964_800 - secondsBefore)).ISO8601Format()
    }

    /// Runs a report.
    func run(
        _ name: String,
        _ pairs: KeyValuePairs<String, String> = [:],
        app: String = "demo",
        asOf: String? = ReportsDatabase.asOf
    ) async throws -> ReportResult {
        let report = try runner.catalogue.report(name)
        let parameters = try ReportParameters(pairs.map { ($0.key, $0.value) }, for: report)
        return try await runner.run(parameters, app: app, asOf: asOf.flatMap { Timestamp.parse($0)?.timestamp })
    }
}

extension ReportResult {
    /// The rows as what they are, by column.
    var records: [[String: ReportValue]] {
        rows.map { Dictionary(uniqueKeysWithValues: zip(columns.map(\.name), $0)) }
    }

    /// The only row in which these columns have these texts (nil is null).
    func row(_ key: KeyValuePairs<String, String?>) throws -> [String: ReportValue] {
        let found = records.filter { record in
            key.allSatisfy { record[$0.key] == ($0.value.map(ReportValue.text) ?? .null) }
        }
        guard found.count == 1 else { throw RowError(found: found.count) }
        return found[0]
    }

    struct RowError: Error { var found: Int }
}

extension [String: ReportValue] {
    /// The counts of a row, by column.
    func counts(_ names: String...) -> [Int64?] {
        names.map { if case .integer(let number)? = self[$0] { number } else { nil } }
    }

    /// A fraction or a number of seconds; nil for null.
    func number(_ name: String) -> Double? {
        if case .double(let number)? = self[name] { number } else { nil }
    }
}
