import EventLog
import Logging
import NotificationEvents
import Postgres
import Projections
import Schema
import Synchronization

/// A log with a partition a day, so that a few days of events are cut many times over.
struct RetentionStore: Sendable {
    let database: TestDatabase
    let log: EventLog
    let connection: Connection
    let catalogue: ProjectionCatalogue

    static let day: Int64 = 86_400_000_000
    /// The start of the first partition.
    static let firstDay = RandomEvents.start - 3 * day

    /// Runs a body with a store on a fresh database.
    static func with<Value>(
        days: Int = 20,
        caller: isolated (any Actor)? = #isolation,
        _ body: (RetentionStore) async throws -> Value
    ) async throws -> Value {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect(settings: ["search_path": "projection", "timezone": "UTC"])
            for day in 0..<days { try await makePartition(day, on: connection) }
            let log = EventLog(database.configuration, signal: LogSignal(), logger: Logger(label: "retention.log"))
            let writing = Task { await log.run() }
            let store = RetentionStore(
                database: database,
                log: log,
                connection: connection,
                catalogue: try ProjectionCatalogue(folder: try ReleaseFolder.locate())
            )
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(store))
            } catch {
                result = .failure(error)
            }
            writing.cancel()
            await writing.value
            await connection.close()
            return try result.get()
        }
    }

    private static func makePartition(_ day: Int, on connection: Connection) async throws {
        let name = "log.event_day_" + (day < 10 ? "0" : "") + String(day)
        let (from, to) = (start(of: day), start(of: day + 1))
        try await connection.execute(
            script: """
                CREATE TABLE \(name) (LIKE log.event INCLUDING ALL);
                ALTER TABLE \(name) OWNER TO notilog_owner;
                ALTER TABLE log.event ATTACH PARTITION \(name) FOR VALUES FROM ('\(from)') TO ('\(to)')
                """
        )
    }

    /// When a day's partition begins.
    static func start(of day: Int) -> Timestamp { Timestamp(microseconds: firstDay + Int64(day) * self.day) }

    /// Retention on this log, its work cut small.
    func retention(batchLimit: Int64 = 25, timeout: Duration = .seconds(20)) throws -> Retention {
        try Retention(
            database.configuration,
            folder: try ReleaseFolder.locate(),
            options: .init(batchLimit: batchLimit, cutLimit: 5, lockTimeout: timeout),
            logger: Logger(label: "retention")
        )
    }

    /// Applies everything.
    func catchUp(limit: Int64 = 100_000) async throws {
        let runner = ProjectionRunner(
            database.configuration,
            catalogue: catalogue,
            signal: LogSignal(),
            options: .init(batchLimit: limit),
            logger: Logger(label: "retention.projections")
        )
        try await runner.catchUp()
    }

    /// Rebuilds every group beside the versions in use, in two lanes where it can have them, and compares table by table.
    ///
    /// - Returns: what differs.
    func differencesFromRebuild() async throws -> [String] {
        var differences: [String] = []
        for group in catalogue.groups {
            let schema = "projection_verify_\(group.leader)"
            let files = try ProjectionFiles(group, in: try ReleaseFolder.locate())
            let worker = try await database.connect()
            let begun: Int64 = try await worker.withTransaction { worker in
                try await worker.execute(
                    script: "CREATE SCHEMA \(schema); SET LOCAL search_path = \(schema), projection, log, pg_catalog"
                )
                try await files.make(on: worker)
                try await files.register(schema: schema, lanes: group.lanes == nil ? 1 : 2, on: worker)
                return try await worker.query(
                    "SELECT projection.begin($1, $2)",
                    [.text(schema), .text(group.leader)]
                ).only().get(0)
            }
            let settled: Int64 = try await worker.value("SELECT settled_position FROM log.state")
            try await worker.withTransaction { worker in
                for lane in 0..<(group.lanes == nil ? 1 : 2) as Range<Int16> {
                    try await group.apply(to: schema, lane: lane, after: begun, upTo: settled, on: worker)
                }
            }
            let tables: [String] = try await worker.value(
                "SELECT array_agg(tablename::text ORDER BY 1) FROM pg_tables WHERE schemaname = $1",
                [.text(schema)]
            )
            for table in tables where !["lane_category", "category_versions"].contains(table) {
                if try await differs(table, from: schema, on: worker) {
                    differences.append("\(table): sums of lanes differ")
                }
                if try await hasLanes(table) { continue }
                let row = try await worker.query(
                    """
                    SELECT count(*) FILTER (WHERE side = 'served'), count(*) FILTER (WHERE side = 'rebuilt')
                    FROM (
                      (SELECT 'served' AS side, x::text FROM (TABLE projection.\(table) EXCEPT ALL TABLE \(schema).\(table)) x)
                      UNION ALL
                      (SELECT 'rebuilt', x::text FROM (TABLE \(schema).\(table) EXCEPT ALL TABLE projection.\(table)) x)
                    ) d
                    """,
                    cached: false
                ).only()
                let (served, rebuilt): (Int64, Int64) = (try row.get(0), try row.get(1))
                if served + rebuilt > 0 {
                    differences.append("\(table): \(served) rows only as served, \(rebuilt) only as rebuilt")
                }
            }
            try await worker.query("SELECT projection.discard($1, $2)", [.text(schema), .text(group.leader)])
            await worker.close()
        }
        return differences
    }

    private func hasLanes(_ table: String) async throws -> Bool {
        try await count(
            "pg_attribute WHERE attrelid = 'projection.\(table)'::regclass AND attname = 'lane' AND NOT attisdropped"
        ) > 0
    }

    private func differs(_ table: String, from schema: String, on worker: Connection) async throws -> Bool {
        try await worker.query(
            "SELECT missing + extra + different > 0 FROM projection.compare($1, $2)",
            [.text(schema), .text(table)]
        ).only().get(0)
    }

    func count(_ what: String) async throws -> Int64 {
        try await connection.value("SELECT count(*) FROM \(what)")
    }
}

/// A clock that a test moves, in microseconds since 1970.
final class TestClock: Sendable {
    private let time: Mutex<Int64>

    init(_ time: Int64) { self.time = Mutex(time) }

    var now: Int64 { time.withLock { $0 } }

    func advance(_ microseconds: Int64) { time.withLock { $0 += microseconds } }
}
