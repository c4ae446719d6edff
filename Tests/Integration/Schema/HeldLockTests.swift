import Postgres
import Schema
import Testing

/// A lock is held for hours: its session may hold up nothing else.
@Suite("Held locks")
struct HeldLockTests {
    @Test("a session that holds a lock has no snapshot, which would keep VACUUM from rows that were deleted since")
    func snapshots() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            func snapshots() async throws -> Int64 {
                try await connection.value(
                    """
                    SELECT count(backend_xmin) FROM pg_stat_activity
                    WHERE application_name = 'notilog lock' AND datname = current_database()
                    """
                )
            }
            let taken = try #require(try await HeldLock.take("a test", database.configuration))
            #expect(try await snapshots() == 0)
            let kept = try await HeldLock.keep(
                "SELECT projection.lock_version($1, $2)",
                [.text("projection"), .text("notification")],
                database.configuration
            )
            #expect(try await snapshots() == 0)
            for lock in [taken, kept] { try await lock.check() }
            #expect(try await snapshots() == 0)
            let meanwhile = try await taken.losable { try await snapshots() }
            #expect(meanwhile == 0)
            #expect(try await snapshots() == 0)
            #expect(try await HeldLock.take("a test", database.configuration, timeout: .zero) == nil)
            for lock in [taken, kept] { await lock.release() }
            let again = try #require(try await HeldLock.take("a test", database.configuration))
            await again.release()
            await connection.close()
        }
    }

    @Test("a lock that a frozen process would lose is kept by one that goes on; where it was lost, that is said")
    func losable() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            let lock = try #require(try await HeldLock.take("a test", database.configuration))
            let session =
                "FROM pg_stat_activity WHERE application_name = 'notilog lock' AND datname = current_database()"
            try await lock.losable {
                let begun: String = try await connection.value("SELECT state_change::text \(session)")
                try await eventually("the server is asked for something by itself") {
                    try await connection.value("SELECT state_change::text \(session)", as: String.self) != begun
                }
            }
            try await lock.check()
            await #expect(throws: PostgresError.self) {
                try await lock.losable {
                    _ = try await connection.query("SELECT pg_terminate_backend(pid) \(session)", cached: false)
                }
            }
            await lock.release()
            await connection.close()
        }
    }
}
