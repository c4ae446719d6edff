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
            #expect(try await HeldLock.take("a test", database.configuration, timeout: .zero) == nil)
            for lock in [taken, kept] { await lock.release() }
            let again = try #require(try await HeldLock.take("a test", database.configuration))
            await again.release()
            await connection.close()
        }
    }
}
