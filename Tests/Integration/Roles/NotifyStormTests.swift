import Administration
import Logging
import NotificationEvents
import Postgres
import Testing

@testable import Service

/// NOTIFY takes no right: a login that only connects can notify as often as it likes.
@Suite("Roles: a storm of notifications")
struct NotifyStormTests {
    @Test("it costs a few looks at the keys, and keys that are revoked in the midst of it stop counting")
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
            let (administration, maker) = (Administration(pool), try #require(APIKey.id(in: app.admin)))
            _ = try await administration.revokeKey(app.read)
            // As over HTTP.
            let isRevoked = try await administration.revokeKey(try #require(APIKey.id(in: app.write)), by: maker)
            #expect(isRevoked)
            try await eventually("the keys no longer count", within: .seconds(60)) {
                directory.count == 2
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

    @Test("whoever makes or revokes a key or an app, the services are told at once")
    func everyChange() async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("first", in: database)
            let maker = try #require(APIKey.id(in: app.admin))
            let changes: [(String, @Sendable (Administration) async throws -> Void)] = [
                ("a key of an operator", { _ = try await $0.createKey(app: "first", scope: .read) }),
                ("its revocation", { _ = try await $0.revokeKey(app.read) }),
                ("an app by a key", { _ = try await $0.createApp("second", by: maker) }),
                ("a key by a key", { _ = try await $0.createKey(scope: .read, label: nil, by: maker) }),
                ("its revocation by a key", { _ = try await $0.revokeKey(APIKey.id(in: app.write) ?? "", by: maker) }),
            ]
            let listener = try await database.connect()
            try await listener.listen(to: Administration.channel)
            let pool = Pool(database.configuration, limit: 1)
            for (change, make) in changes {
                try await make(Administration(pool))
                let notification = try await listener.waitForNotification(timeout: .seconds(10))
                #expect(notification == ServerNotification(channel: Administration.channel, payload: ""), "\(change)")
            }
            await listener.close()
            await pool.shutDown()
        }
    }
}
