import EventLog
import Postgres
import Testing

/// Guarantee 18: an erasure, which no batch of a projection may meet, keeps batches waiting for a bounded share of the time.
@Suite("Erasure: batches that wait behind it")
struct ErasureWaitTests {
    /// A batch without events. With `upTo` beyond some thousand it may be long.
    private static func apply(_ version: String, upTo: Int64 = 0) -> String {
        "SELECT projection.begin_fold('\(version)', 'notification', \(upTo))"
    }

    /// How many of 200 batches of a version in use wait for a lock.
    private static func waiting(_ database: TestDatabase) async throws -> Int {
        let live = try await database.connect(settings: ["lock_timeout": "1ms"])
        var waiting = 0
        for _ in 0..<200 {
            do {
                try await live.execute(script: apply("projection"))
            } catch let error as PostgresError where error.sqlState == "55P03" {
                waiting += 1
            }
        }
        await live.close()
        return waiting
    }

    private static func isWaiting(for table: String, _ connection: Connection) async throws -> Bool {
        try await connection.value(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass)",
            [.text(table)]
        )
    }

    @Test("while an erasure waits for a batch of a rebuild, no batch of a version in use waits")
    func rebuild() async throws {
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            try await owner.query("INSERT INTO notilog.app (name) VALUES ('first')")
            let batch = try await database.connect()
            try await batch.execute(script: "BEGIN; \(Self.apply("projection_next_none", upTo: 100_000))")
            let erasing = Task { try await Erasure(database.configuration).erase("leaving", app: 1) }
            try await eventually("the erasure waits") {
                try await owner.value(
                    """
                    SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                      WHERE NOT l.granted AND a.application_name = 'notilog erase' AND a.datname = current_database())
                    """
                )
            }
            #expect(try await Self.waiting(database) == 0)
            try await batch.query("ROLLBACK")
            #expect(try await erasing.value.events == 0)
            await batch.close()
            await owner.close()
        }
    }

    @Test("waits for batches of versions in use end after two seconds, and after one there is none for forty")
    func share() async throws {
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            let batch = try await database.connect()
            try await batch.execute(script: "BEGIN; \(Self.apply("projection"))")
            let asked: Double = try await owner.value("SELECT extract(epoch FROM clock_timestamp())::double precision")
            let stopping = Task { try await Self.stop(database) }
            try await eventually("it waits") { try await Self.isWaiting(for: "lock.still", owner) }
            #expect(try await Self.waiting(database) > 0, "batches wait behind it")
            let stopped = try await stopping.value
            #expect(stopped == "55P03")
            let next: Double = try await owner.value("SELECT last_value / 1000.0::double precision FROM lock.next_wait")
            #expect(next - asked >= 42)

            async let others = {
                var states: Set<String?> = []
                for _ in 0..<50 { states.insert(try await Self.stop(database)) }
                return states
            }()
            #expect(try await Self.waiting(database) == 0)
            #expect(try await others == ["55P03"])

            // After that one waits again, and gets its turn.
            try await owner.query("SELECT setval('lock.next_wait', 1)")
            let last = Task { try await Self.stop(database) }
            try await eventually("it waits again") { try await Self.isWaiting(for: "lock.still", owner) }
            try await batch.query("COMMIT")
            #expect(try await last.value == nil)
            let again: Int64 = try await owner.value("SELECT last_value FROM lock.next_wait")
            #expect(again > Int64(asked * 1000))
            await batch.close()
            await owner.close()
        }
    }

    /// Stops batches as an erasure does; gives the SQLSTATE if it could not.
    private static func stop(_ database: TestDatabase) async throws -> String? {
        let session = try await database.connect()
        var state: String?
        do {
            try await session.query("SELECT lock.stop_batches()")
        } catch let error as PostgresError {
            state = error.sqlState
        }
        await session.close()
        return state
    }
}
