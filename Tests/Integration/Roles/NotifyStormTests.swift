import Administration
import Logging
import Postgres
import Testing

@testable import Service

/// NOTIFY takes no right: a login that only connects can notify as often as it likes.
@Suite("Roles: a storm of notifications")
struct NotifyStormTests {
    @Test("it costs a few looks at the keys, and a key that is revoked in the midst of it stops counting")
    func storm() async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("first", in: database)
            let pool = Pool(database.configuration, limit: 2)
            let directory = try await KeyDirectory.load(
                .init(
                    pool: pool,
                    logger: Logger(label: "test.keys"),
                    interval: .seconds(3600),
                    ids: IDHashing(secret: nil)
                )
            )
            let running = Task { await directory.run() }
            let (connection, begun) = (try await database.connect(), ContinuousClock.now)
            try await eventually("the service listens", within: .seconds(60)) {
                try await connection.value(
                    "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
                )
            }
            let before = directory.beginReading()
            for number in 0..<2_000 {
                try await connection.query("SELECT pg_notify('notilog_keys', $1)", [.text("\(number)")])
            }
            _ = try await Administration(pool).revokeKey(app.read)
            try await eventually("the key no longer counts", within: .seconds(60)) {
                directory.count == 3
            }
            // Four a second, and the one that may have been under way.
            let seconds = Int((ContinuousClock.now - begun) / .seconds(1)) + 1
            #expect(directory.beginReading() - before <= 4 * seconds + 2)
            running.cancel()
            await running.value
            await connection.close()
            await pool.shutDown()
        }
    }
}
