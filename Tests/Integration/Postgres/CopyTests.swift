import Foundation
import Postgres
import Testing

@Suite("PostgreSQL: COPY")
struct CopyTests {
    private struct GivenUp: Error {}

    @Test("rows come out in chunks")
    func chunks() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            try await connection.execute(
                script: "CREATE TABLE t AS SELECT a, 'row ' || a || ' ü' AS b FROM generate_series(0, 49999) AS a"
            )
            var chunks = 0
            var lines = 0
            try await connection.copyOut("COPY (SELECT * FROM t ORDER BY a) TO STDOUT") { chunk in
                chunks += 1
                #expect(chunk.last == UInt8(ascii: "\n"), "whole rows")
                lines += chunk.count { $0 == UInt8(ascii: "\n") }
            }
            #expect(lines == 50_000)
            #expect(chunks > 10)
            #expect(await connection.isReusable)
        }
    }

    @Test("a consumer that gives up closes the connection, as the rest cannot be unread")
    func giveUp() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            await #expect(throws: GivenUp.self) {
                try await connection.copyOut("COPY (SELECT generate_series(1, 1000000)) TO STDOUT") { _ in
                    throw GivenUp()
                }
            }
            #expect(await !connection.isReusable)
        }
    }

    @Test("COPY as a query is an error, not a session that hangs")
    func asQuery() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            await #expect(throws: PostgresError.self) {
                try await connection.execute(script: "COPY (SELECT 1) TO STDOUT")
            }
            await #expect(throws: PostgresError.self) {
                try await connection.copyOut("SELECT 1") { _ in }
            }
        }
    }
}
