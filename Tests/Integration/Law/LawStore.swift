import Decoding
import EventLog
import Logging
import NotificationEvents
import Postgres
import Projections
import Schema

/// A database with Notilog's log and projections, driven by hand.
struct LawStore: Sendable {
    let log: EventLog
    let database: TestDatabase
    let catalogue: ProjectionCatalogue
    let connection: Connection

    /// Runs a body with a store on a fresh database.
    static func withStore<Value: Sendable>(
        _ body: @Sendable (LawStore) async throws -> Value
    ) async throws -> Value {
        try await TestDatabase.withDatabase { try await withStore(on: $0, body) }
    }

    /// Runs a body with a store on a database that has Notilog's schema and no event.
    static func withStore<Value: Sendable>(
        on database: TestDatabase,
        _ body: @Sendable (LawStore) async throws -> Value
    ) async throws -> Value {
        let log = EventLog(database.configuration, signal: LogSignal(), logger: Logger(label: "law.log"))
        let writing = Task { await log.run() }
        defer { writing.cancel() }
        let connection = try await database.connect(settings: ["search_path": "projection"])
        let store = LawStore(
            log: log,
            database: database,
            catalogue: try ProjectionCatalogue(folder: try ReleaseFolder.locate()),
            connection: connection
        )
        let value = try await body(store)
        await connection.close()
        return value
    }

    /// Stores the next batch of every app at once, so that the batches of different apps lie among each other.
    ///
    /// - Parameter mayBeErased: whether events may be refused as their device, or their token's, was erased.
    func append(_ batches: [(app: AppID, events: [NormalisedEvent])], mayBeErased: Bool = false) async throws {
        try await withThrowingTaskGroup { group in
            for batch in batches where !batch.events.isEmpty {
                group.addTask {
                    for result in try await log.append(batch.events, app: batch.app) {
                        switch result {
                        case .stored, .duplicate: continue
                        case .erased where mayBeErased: continue
                        case .conflict, .tooOld, .rejected, .erased:
                            throw LawError("an event was not stored: \(result)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Applies everything, so many positions a batch.
    func apply(limit: Int64) async throws {
        let runner = ProjectionRunner(
            database.configuration,
            catalogue: catalogue,
            signal: LogSignal(),
            options: .init(batchLimit: limit, firstBatch: limit),
            logger: Logger(label: "law.projections")
        )
        try await runner.catchUp()
    }

    /// A setting of the database, for the connections to come.
    func set(_ setting: String, to value: Int) async throws {
        try await database.set(setting, to: value, on: connection)
    }

    /// Empties every projection, as at the start of a rebuild.
    func forget() async throws {
        let tables = try await connection.query(
            """
            SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') FROM pg_tables
            WHERE schemaname = 'projection' AND tablename NOT IN ('checkpoint', 'version', 'version_lane', 'set_aside')
            """
        ).only().get(0, as: String.self)
        try await connection.query("TRUNCATE \(tables)")
        try await connection.query("UPDATE projection.checkpoint SET position = 0")
    }

    /// Makes `jsonb` of every other event that is kept as text.
    func parseSomeEvents() async throws {
        try await connection.query(
            "UPDATE log.event SET data = data_text::jsonb, data_text = NULL WHERE data IS NULL AND position % 2 = 0"
        )
    }

    /// Gives the versions in use, whose tables are empty, so many lanes.
    func setLanes(_ number: Int16) async throws {
        try await connection.setLanes(number, of: catalogue)
    }

    /// The upper bounds of the latency buckets, in microseconds.
    func latencyBounds() async throws -> [Int64] {
        try await connection.query("SELECT projection.latency_bounds()").only().get(0)
    }
}

extension TestDatabase {
    /// A setting of the database, for the connections to come.
    func set(_ setting: String, to value: Int, on connection: Connection) async throws {
        try await connection.execute(
            script: """
                DO $$ BEGIN
                  EXECUTE format('ALTER DATABASE %I SET \(setting) = \(value)', current_database());
                END $$
                """
        )
    }
}

extension Connection {
    /// Gives the versions in use, whose tables are empty, so many lanes, where they can have more than one.
    func setLanes(_ number: Int16, of catalogue: ProjectionCatalogue) async throws {
        for group in catalogue.groups where group.lanes != nil {
            try await query("DELETE FROM projection.checkpoint WHERE name = $1", [.text(group.leader)])
            try await query(
                "UPDATE projection.version SET lanes = $2 WHERE schema_name = 'projection' AND leader = $1",
                [.text(group.leader), .int2(number)]
            )
            try await query(
                "INSERT INTO projection.checkpoint (name, lane) SELECT $1, generate_series(0, $2 - 1)",
                [.text(group.leader), .int4(Int32(number))]
            )
        }
    }
}
