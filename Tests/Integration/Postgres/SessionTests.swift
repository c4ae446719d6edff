import Foundation
import Logging
import Postgres
import Testing

@Suite("PostgreSQL: connections")
struct SessionTests {
    @Test("errors carry SQLSTATE, constraint and hint, and never a value")
    func errors() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            try await connection.execute(
                script:
                    "CREATE TABLE t (a int CONSTRAINT t_positive CHECK (a > 0), b text CONSTRAINT t_b_key UNIQUE, c jsonb)"
            )
            func failure(_ sql: String, _ parameters: [Parameter]) async -> PostgresError? {
                do {
                    try await connection.query(sql, parameters)
                    return nil
                } catch {
                    return error as? PostgresError
                }
            }
            let insert = "INSERT INTO t (a, b, c) VALUES ($1, $2, $3)"
            #expect(await failure(insert, [.int4(1), "secret", .jsonb("{}")]) == nil)
            let failures = [
                ("23514", await failure(insert, [.int4(-1), "secret2", .null])),
                ("23505", await failure(insert, [.int4(1), "secret", .null])),
                ("22P02", await failure(insert, [.int4(1), "x", .jsonb("secret")])),
                ("22P02", await failure("SELECT $1::text::int", ["secret"])),
                ("22021", await failure("SELECT $1::text", ["secret\0"])),
                ("42P01", await failure("SELECT * FROM missing", [])),
                ("42601", await failure("SELEKT", [])),
                ("22012", await failure("SELECT 1 / $1::int", [.int4(0)])),
            ]
            for (state, error) in failures {
                #expect(error?.code == .server)
                #expect(error?.sqlState == state)
                #expect(error?.isDataError == true)
                let all = "\(String(describing: error)) \(error?.detail ?? "") \(error?.hint ?? "")"
                #expect(!all.contains("secret"), "\(all)")
            }
            #expect(failures[0].1?.constraint == "t_positive")
            #expect(try await connection.value("SELECT count(*) FROM t") == 1)
        }
    }

    @Test("no server, an unknown database, and a bad URL are connection errors that name no password")
    func connectFailures() async throws {
        let folder = NSTemporaryDirectory()
        for url in [
            "postgresql://me:hunter2@127.0.0.1:1/x", "postgresql://me:hunter2@/x?host=\(folder)",
            "host=\(folder) port=nonsense password=hunter2",
            // What libpq cannot read, or takes for something else, it quotes.
            "postgresql://me:hunter2%sure@127.0.0.1:1/x", "postgresql://me:hunter2@[::1/x",
            "postgresql://me:hunter2/a@127.0.0.1:1/x", "postgresql://me:a@hunter2@127.0.0.1:1/x",
            "host=\(folder) password=a hunter2",
        ] {
            await #expect {
                _ = try await Connection.connect(ConnectionConfiguration(connectionString: url))
            } throws: { error in
                let error = error as? PostgresError
                return error?.code == .connection && error?.isRetriable == true
                    && !"\(String(describing: error))".contains("hunter2")
            }
        }
        try await TestDatabase.withDatabase(migrated: false) { database in
            let configuration = ConnectionConfiguration(connectionString: database.url, database: "there_is_none")
            await #expect(throws: PostgresError.self) { _ = try await Connection.connect(configuration) }
            await #expect(throws: PostgresError.self) {
                _ = try await database.connect(settings: ["no_such_setting": "1"])
            }
        }
    }

    @Test("a transaction is committed, or rolled back where its body throws; a failed one is not taken for committed")
    func transactions() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            try await connection.execute(script: "CREATE TABLE t (a int)")
            try await connection.withTransaction { try await $0.query("INSERT INTO t VALUES (1)") }
            struct GivenUp: Error {}
            await #expect(throws: GivenUp.self) {
                try await connection.withTransaction { connection in
                    try await connection.query("INSERT INTO t VALUES (2)")
                    throw GivenUp()
                }
            }
            await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    try await connection.query("INSERT INTO t VALUES (3)")
                    _ = try? await connection.query("SELECT 1/0")
                }
            }
            await #expect(throws: PostgresError.self) {
                try await connection.withTransaction(isolation: .repeatableRead, readOnly: true) {
                    try await $0.query("INSERT INTO t VALUES (4)")
                }
            }
            #expect(await !connection.isInTransaction)
            #expect(try await connection.query("SELECT a FROM t").map { try $0.get(0, as: Int.self) } == [1])
        }
    }

    @Test("cancelling breaks off the statement and the connection, at once")
    func cancellation() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            let pid = try await connection.processID
            let watcher = try await database.connect()
            let task = Task { try await connection.query("SELECT pg_sleep(600)") }
            let running =
                "SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND state = 'active' AND query LIKE '%pg_sleep(600)%'"
            while try await watcher.value(running, [.int4(pid)], as: Int.self) == 0 {}
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(await !connection.isReusable)
            await #expect(throws: PostgresError.self) { try await connection.query("SELECT 1") }
            // The server notices the closed socket by itself.
            while try await watcher.value(running, [.int4(pid)], as: Int.self) == 1 {}
        }
    }

    @Test("what gives a lock back runs in a cancelled task, too")
    func finishing() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let (holder, other) = (try await database.connect(), try await database.connect())
            try await holder.query("SELECT pg_advisory_lock(1)")
            let working = Task {
                while !Task.isCancelled { await Task.yield() }
                await holder.finish("SELECT pg_advisory_unlock(1)")
            }
            working.cancel()
            await working.value
            #expect(try await other.value("SELECT pg_try_advisory_lock(1)"))
            #expect(await holder.isReusable)
        }
    }

    @Test("a session that the server ends says why")
    func endedByTheServer() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let admin = try await database.connect()
            // The last reads when nothing was asked.
            let calls: [(Connection) async throws -> Void] = [
                { try await $0.query("SELECT 1") },
                { try await $0.copyOut("COPY (SELECT 1) TO STDOUT") { _ in } },
                { _ = try await $0.waitForNotification(timeout: .seconds(60)) },
            ]
            for call in calls {
                let connection = try await database.connect()
                let pid = try await connection.processID
                try await admin.query("SELECT pg_terminate_backend($1, 60000)", [.int4(pid)])
                await #expect {
                    try await call(connection)
                } throws: { error in
                    guard let error = error as? PostgresError else { return false }
                    return error.sqlState == "57P01" && error.code == .connection
                }
                #expect(await !connection.isReusable)
            }

            let idle = try await database.connect(settings: ["idle_in_transaction_session_timeout": "1ms"])
            let pid = try await idle.processID
            await #expect {
                try await idle.withTransaction { idle in
                    try await eventually("a session that is ended") {
                        try await admin.value("SELECT count(*) FROM pg_stat_activity WHERE pid = $1", [.int4(pid)]) == 0
                    }
                    try await idle.query("SELECT 1")
                }
            } throws: { ($0 as? PostgresError)?.sqlState == "25P03" }
        }
    }

    @Test("a session that the server takes and then does not set up is given up in time, and at once when cancelled")
    func settingsWithoutAnswer() async throws {
        // Whoever connects after VACUUM has been at certain catalogs reads them all before it is a session.
        let settings = ["fsync": "off", "autovacuum": "off"]
        try await TestDatabase.withServer(settings: settings, migrated: false) { _, database in
            let admin = try await database.connect()
            let watcher = try await database.connect()  // outside, as a transaction sees the same activity all along
            var configuration = database.configuration.with(
                settings: ["default_text_search_config": "pg_catalog.simple"],
                applicationName: "limited"
            )
            try await admin.withTransaction { admin in
                // What the setting names is looked up here, and not before.
                try await admin.query("LOCK TABLE pg_catalog.pg_ts_config IN ACCESS EXCLUSIVE MODE")
                configuration.connectTimeoutSeconds = 1
                await #expect {
                    _ = try await within(.seconds(20), "a session that is not set up") { [configuration] in
                        try await Connection.connect(configuration)
                    }
                } throws: { ($0 as? PostgresError)?.isConnectionFailure == true }

                // The server is still at the one before.
                configuration = configuration.with(settings: [:], applicationName: "cancelled")
                configuration.connectTimeoutSeconds = 600
                let connecting = Task { [configuration] in try await Connection.connect(configuration) }
                try await eventually("a session that waits to be set up") {
                    try await watcher.value(
                        """
                        SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
                        WHERE NOT granted AND application_name = 'cancelled' AND datname = current_database()
                        """
                    ) == 1
                }
                connecting.cancel()
                await #expect(throws: CancellationError.self) {
                    _ = try await within(.seconds(20), "a connect that was cancelled") { try await connecting.value }
                }
            }
        }
    }

    @Test("a COMMIT or ROLLBACK that the network swallows is given up in time, and at once when cancelled")
    func endsOfTransactionsWithoutAnswer() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let line = try FaultProxy(to: .socket(path: MovedLog.socket(try await TestServer.shared.server())))
            defer { line.close() }
            let name = try await database.connect().value("SELECT current_database()::text", as: String.self)
            let url = "postgresql://postgres@127.0.0.1:\(line.port)/\(name)?sslmode=disable&gssencmode=disable"
            let configuration = ConnectionConfiguration(connectionString: url, connectTimeoutSeconds: 60)
            struct BodyFailure: Error {}
            /// A transaction that the line fails in, right before its end.
            @Sendable func transaction(settings: [String: String] = [:], failing: Bool = false) async throws {
                line.drop(false)
                let connection = try await Connection.connect(configuration.with(settings: settings))
                try await connection.withTransaction { connection in
                    try await connection.query("SELECT 1")
                    line.drop(true)
                    if failing { throw BodyFailure() }
                }
            }
            let limited = ["statement_timeout": "5s"]
            await #expect {
                try await within(.seconds(40), "a commit") { try await transaction(settings: limited) }
            } throws: {
                ($0 as? PostgresError)?.isConnectionFailure == true && line.isDropping
            }
            await #expect(throws: BodyFailure.self) {
                try await within(.seconds(40), "a rollback") { try await transaction(settings: limited, failing: true) }
            }
            for failing in [false, true] {
                line.drop(false)
                let ending = Task { try await transaction(failing: failing) }
                try await eventually("the line is swallowing", within: .seconds(60)) { line.isDropping }
                ending.cancel()
                await #expect {
                    try await within(.seconds(40), "an end that was cancelled") { try await ending.value }
                } throws: {
                    failing ? $0 is BodyFailure : $0 is CancellationError
                }
            }
        }
    }

    @Test("a statement whose transaction may take longer than the session is waited for as long")
    func longerThanTheSession() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect(settings: ["statement_timeout": "1s"])
            try await connection.withTransaction { connection in
                try await connection.query("SELECT set_config('statement_timeout', '60s', true)")
                try await connection.query("SELECT pg_sleep(12)", within: .seconds(70))
            }
        }
    }

    @Test("statements are prepared again after the table changed, or after DISCARD")
    func stalePlans() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            try await connection.execute(script: "CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
            #expect(try await connection.query("SELECT * FROM t").only().count == 1)
            try await connection.execute(script: "ALTER TABLE t ADD b int")
            #expect(try await connection.query("SELECT * FROM t").only().count == 2)
            try await connection.execute(script: "DISCARD ALL")
            #expect(try await connection.query("SELECT * FROM t").only().count == 2)
            // A transaction fails, and may be tried again.
            try await connection.execute(script: "ALTER TABLE t ADD c int")
            await #expect {
                try await connection.withTransaction { try await $0.query("SELECT * FROM t") }
            } throws: { error in
                (error as? PostgresError)?.sqlState == "0A000" && (error as? PostgresError)?.isRetriable == true
            }
            let columns = try await connection.withTransaction { try await $0.query("SELECT * FROM t").only().count }
            #expect(columns == 3)
        }
    }

    @Test("a closed connection answers with a typed error, also to COPY and in a transaction")
    func closed() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            await connection.close()
            await connection.close()
            await #expect(throws: PostgresError.self) { try await connection.query("SELECT 1") }
            await #expect(throws: PostgresError.self) { try await connection.execute(script: "SELECT 1") }
            await #expect(throws: PostgresError.self) { try await connection.withTransaction { _ in } }
            await #expect(throws: PostgresError.self) {
                try await connection.copyOut("COPY (SELECT 1) TO STDOUT") { _ in }
            }
        }
    }

    @Test("notifications come with channel and payload; none is nil in time")
    func notifications() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let listener = try await database.connect()
            try await listener.listen(to: "odd \"name\"")
            #expect(try await listener.waitForNotification(timeout: .milliseconds(10)) == nil)
            let sender = try await database.connect()
            try await sender.query("SELECT pg_notify($1, $2)", ["odd \"name\"", "päyload"])
            #expect(
                try await listener.waitForNotification(timeout: .seconds(20))
                    == ServerNotification(channel: "odd \"name\"", payload: "päyload")
            )
        }
    }

    @Test("a listener comes back after its connection was cut, and says so")
    func listener() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let admin = try await database.connect()
            let (events, continuation) = AsyncStream.makeStream(of: Listener.Event.self)
            let listener = Listener(
                database.configuration.with(settings: [:], applicationName: "listening"),
                channels: ["c"],
                logger: Logger(label: "test.listener")
            )
            let task = Task { await listener.run { continuation.yield($0) } }
            var iterator = events.makeAsyncIterator()
            #expect(await iterator.next() == .listening)
            try await admin.query("SELECT pg_notify('c', '1')")
            #expect(await iterator.next() == .notification(ServerNotification(channel: "c", payload: "1")))
            try await admin.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'listening' AND datname = current_database()"
            )
            #expect(await iterator.next() == .listening)
            task.cancel()
            await task.value
        }
    }
}
