import Foundation
import Postgres
import Testing

@Suite("PostgreSQL: the pool")
struct PoolTests {
    @Test("many tasks share few connections, and each gets its own answer")
    func sharing() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let pool = Pool(database.configuration, limit: 3)
            let pids = try await withThrowingTaskGroup(of: Int32.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let row = try await pool.query("SELECT $1::int, pg_backend_pid()", [.int4(Int32(number))])
                            .only()
                        #expect(try row.get(0) == number)
                        return try row.get(1)
                    }
                }
                return try await group.reduce(into: Set<Int32>()) { $0.formUnion([$1]) }
            }
            #expect(pids.count <= 3)
            #expect(pool.occupancy.leased == 0)
            await pool.shutDown()
            await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
        }
    }

    @Test("a pool that is made for some work is shut down after it, whether or not that failed")
    func lent() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let pool = try await Pool.with(database.configuration, limit: 1) { pool in
                let seven: Int32 = try await pool.query("SELECT 7").only().get(0)
                #expect(seven == 7)
                return pool
            }
            await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
            var last: Pool?
            await #expect(throws: CancellationError.self) {
                try await Pool.with(database.configuration, limit: 1) { pool in
                    last = pool
                    throw CancellationError()
                }
            }
            let failed = try #require(last)
            await #expect(throws: PostgresError.self) { try await failed.query("SELECT 1") }
        }
    }

    @Test("a connection left in a transaction, or cancelled, is not given to the next")
    func brokenOnes() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let pool = Pool(database.configuration, limit: 1)
            let first: Int32 = try await pool.withConnection { connection in
                try await connection.query("BEGIN")
                return try await connection.value("SELECT pg_backend_pid()")
            }
            let second: Int32 = try await pool.query("SELECT pg_backend_pid()").only().get(0)
            #expect(first != second)
            let task = Task { try await pool.query("SELECT pg_sleep(600)") }
            while !Task.isCancelled, pool.occupancy.leased == 0 { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await pool.query("SELECT 7").only().get(0) == 7)
        }
    }

    @Test("a session that began while the database was read-only is not kept once it refused to write")
    func readOnlyOnes() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            let name: String = try await connection.value("SELECT quote_ident(current_database())")
            try await connection.query("CREATE TABLE t (n integer)")
            try await connection.query("ALTER DATABASE \(name) SET default_transaction_read_only = on")
            let pool = Pool(database.configuration, limit: 1)
            await #expect(throws: PostgresError.self) { try await pool.query("INSERT INTO t VALUES (1)") }
            try await connection.query("ALTER DATABASE \(name) RESET default_transaction_read_only")
            try await pool.query("INSERT INTO t VALUES (2)")
            // In transactions too.
            try await connection.query("ALTER DATABASE \(name) SET default_transaction_read_only = on")
            let other = Pool(database.configuration, limit: 1)
            await #expect(throws: PostgresError.self) {
                try await other.withTransaction { try await $0.query("INSERT INTO t VALUES (3)") }
            }
            try await connection.query("ALTER DATABASE \(name) RESET default_transaction_read_only")
            try await other.withTransaction { try await $0.query("INSERT INTO t VALUES (4)") }
        }
    }

    @Test("storms of cancellation lose no place and mix up no answer")
    func cancellationStorm() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let pool = Pool(database.configuration, limit: 4)
            let answered = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<120 {
                    group.addTask {
                        let task = Task {
                            let row = try await pool.query("SELECT $1::int, pg_sleep(0.002)", [.int4(Int32(number))])
                                .only()
                            #expect(try row.get(0) == number)
                        }
                        if number % 3 == 0 {
                            for _ in 0..<Int.random(in: 0..<50) { await Task.yield() }
                            task.cancel()
                        }
                        return (try? await task.value) != nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(answered >= 80)
            let occupancy = pool.occupancy
            #expect(occupancy.leased == 0 && occupancy.waiting == 0 && occupancy.idle <= 4)
            let row = try await pool.query("SELECT 1").only()
            #expect(try row.get(0) == 1)
        }
    }

    @Test("who waits too long is told so, and takes nobody's place")
    func timeout() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let pool = Pool(database.configuration, limit: 1, acquireTimeout: .milliseconds(50))
            try await pool.withConnection { connection in
                try await connection.query("SELECT 1")
                await #expect {
                    try await pool.query("SELECT 1")
                } throws: {
                    ($0 as? PostgresError)?.code == .poolTimeout
                }
            }
            #expect(try await pool.query("SELECT 1").only().get(0) == 1)
        }
    }

    @Test("idle connections that the server closed are replaced without anybody noticing")
    func serverClosed() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let pool = Pool(database.configuration, limit: 2)
            let pid: Int32 = try await pool.query("SELECT pg_backend_pid()").only().get(0)
            let admin = try await database.connect()
            try await admin.query("SELECT pg_terminate_backend($1, 5000)", [.int4(pid)])
            #expect(try await pool.query("SELECT pg_backend_pid()").only().get(0) != pid)
        }
    }
}
