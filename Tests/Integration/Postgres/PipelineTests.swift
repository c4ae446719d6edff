import Postgres
import Testing

@Suite("PostgreSQL: statements sent ahead")
struct PipelineTests {
    private static func withTable(_ body: (Connection) async throws -> Void) async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            try await connection.execute(script: "CREATE TABLE t (a int PRIMARY KEY, b text)")
            try await body(connection)
            await connection.close()
        }
    }

    private static let insert = "INSERT INTO t (a, b) VALUES ($1, $2)"

    private static func count(_ connection: Connection) async throws -> Int64 {
        try await connection.query("SELECT count(*) FROM t").only().get(0)
    }

    @Test("they run in their order, and a query sees what they did")
    func order() async throws {
        try await Self.withTable { connection in
            try await connection.withTransaction { connection in
                for number in 1...50 {
                    try await connection.send(Self.insert, [.int4(Int32(number)), "x"])
                    try await connection.send("UPDATE t SET b = b || $2 WHERE a = $1", [.int4(Int32(number)), "y"])
                }
                #expect(
                    try await connection.query("SELECT count(*) FROM t WHERE b = 'xy'").only().get(0) == 50 as Int64
                )
                try await connection.send("DELETE FROM t WHERE a > $1", [.int4(10)])
            }
            #expect(try await Self.count(connection) == 10)
            #expect(await connection.isReusable)
        }
    }

    @Test("where one fails, those after it do not run, the next call throws, and the transaction is undone")
    func failure() async throws {
        try await Self.withTable { connection in
            try await connection.query(Self.insert, [.int4(1), "kept"])
            for ending in ["a query", "the wait", "the commit", "an error of the caller"] {
                let error = await #expect(throws: (any Error).self, "\(ending)") {
                    try await connection.withTransaction { connection in
                        try await connection.send(Self.insert, [.int4(2), "x"])
                        try await connection.send(Self.insert, [.int4(1), "there already"])
                        try await connection.send(Self.insert, [.int4(3), "x"])
                        switch ending {
                        case "a query": _ = try await Self.count(connection)
                        case "the wait": try await connection.awaitAnswers()
                        case "the commit": break
                        default: throw CancellationError()
                        }
                    }
                }
                let isOwn = ending == "an error of the caller"
                #expect(
                    isOwn ? error is CancellationError : (error as? PostgresError)?.sqlState == "23505",
                    "\(ending)"
                )
                #expect(await connection.isReusable, "\(ending)")
                #expect(try await Self.count(connection) == 1, "\(ending)")
            }
        }
    }

    @Test("parameters larger than every buffer are sent while the server works")
    func large() async throws {
        try await Self.withTable { connection in
            let long = String(repeating: "abcdefgh", count: 200_000)
            try await connection.withTransaction { connection in
                for number in 1...8 {
                    try await connection.send(
                        "INSERT INTO t SELECT $1, $2 FROM (SELECT pg_sleep(0.05)) s",
                        [.int4(Int32(number)), .text(long)]
                    )
                }
            }
            #expect(try await connection.query("SELECT sum(length(b)) FROM t").only().get(0) == 12_800_000 as Int64)
        }
    }

    @Test("one statement with many parameters gives the rows of each in turn, also more than fit into buffers")
    func each() async throws {
        try await Self.withTable { connection in
            var read: [Int32] = []
            try await connection.withTransaction { connection in
                try await connection.query(
                    "SELECT n, repeat('x', 1000) FROM generate_series($1, $2) n",
                    each: (0..<40).map { [.int4($0 * 500), .int4($0 * 500 + 499)] }
                ) { rows in
                    for row in rows { read.append(try row.get(0)) }
                }
                #expect(try await Self.count(connection) == 0)
            }
            #expect(read == Array(0..<20_000))
            try await connection.query("SELECT $1::int", each: []) { _ in Issue.record("there is nothing to read") }
        }
    }

    @Test("a failure on the way ends the reading, and the connection can be used again")
    func eachFails() async throws {
        try await Self.withTable { connection in
            let each: [[Parameter]] = (0..<20).map { [.int4(10 - $0)] }
            var read = 0
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    try await connection.query("SELECT 100 / $1", each: each) { _ in read += 1 }
                }
            }
            #expect(error?.sqlState == "22012")
            #expect(read == 10)
            #expect(await connection.isReusable)
            await #expect(throws: CancellationError.self) {
                try await connection.withTransaction { connection in
                    try await connection.query("SELECT $1::int", each: each) { _ in throw CancellationError() }
                }
            }
            #expect(await connection.isReusable)
            let count = try await Self.count(connection)
            #expect(count == 0)
        }
    }

    @Test("a client that sends nothing more is idle in its transaction, and no longer than it may be")
    func idle() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let (connection, other) = (try await database.connect(), try await database.connect())
            let process: Int32 = try await connection.query("SELECT pg_backend_pid()").only().get(0)
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    try await connection.query("SET LOCAL idle_in_transaction_session_timeout = '200ms'")
                    for number in 1...2 { try await connection.send("SELECT $1::int", [.int4(Int32(number))]) }
                    // No answer is read, as by a process that is frozen.
                    try await eventually("the server ends the session") {
                        try await other.query(
                            "SELECT count(*) FROM pg_stat_activity WHERE pid = $1",
                            [.int4(process)]
                        ).only().get(0, as: Int64.self) == 0
                    }
                    try await connection.awaitAnswers()
                }
            }
            #expect(error?.isConnectionFailure == true, "\(String(describing: error))")
            await other.close()
        }
    }

    @Test("a server that ends the session ends what was sent")
    func terminated() async throws {
        try await Self.withTable { connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    try await connection.send(Self.insert, [.int4(1), "x"])
                    try await connection.send("SELECT pg_terminate_backend(pg_backend_pid())", [])
                    try await connection.send(Self.insert, [.int4(2), "x"])
                }
            }
            #expect(error?.isConnectionFailure == true, "\(String(describing: error))")
            #expect(await !connection.isReusable)
        }
    }
}
