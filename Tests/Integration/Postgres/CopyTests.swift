import Foundation
import Postgres
import Testing

@Suite("PostgreSQL: COPY")
struct CopyTests {
    private struct GivenUp: Error {}

    @Test("rows go in and come out, in chunks")
    func roundTrip() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            try await connection.execute(script: "CREATE TABLE t (a bigint, b text, c timestamptz)")
            var next: Int64 = 0
            let count = try await connection.copyIn("COPY t FROM STDIN (FORMAT binary)", columns: 3) { rows in
                for _ in 0..<1000 {
                    rows.startRow()
                    rows.append(.int8(next))
                    rows.append(next % 3 == 0 ? .text(nil) : .text("row \(next) ü"))
                    rows.append(.timestamptz(next))
                    next += 1
                }
                return next < 50_000
            }
            #expect(count == 50_000)
            #expect(
                try await connection.value(
                    "SELECT sum(a)::bigint FROM t WHERE b IS NULL OR b = 'row ' || a || ' ü'",
                    as: Int.self
                ) == 1_249_975_000
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

    @Test("what fails loads nothing and leaves the connection usable")
    func failures() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            try await connection.execute(script: "CREATE TABLE t (a int CHECK (a < 100))")
            await #expect(throws: GivenUp.self) {
                _ = try await connection.copyIn("COPY t FROM STDIN (FORMAT binary)", columns: 1) { rows in
                    rows.startRow()
                    rows.append(.int4(1))
                    throw GivenUp()
                }
            }
            await #expect {
                var isFirst = true
                _ = try await connection.copyIn("COPY t FROM STDIN (FORMAT binary)", columns: 1) { rows in
                    guard isFirst else { return false }
                    isFirst = false
                    rows.startRow()
                    rows.append(.int4(100))
                    return true
                }
            } throws: {
                ($0 as? PostgresError)?.sqlState == "23514"
            }
            await #expect(throws: PostgresError.self) {
                _ = try await connection.copyIn("COPY missing FROM STDIN", columns: 1) { _ in false }
            }
            #expect(try await connection.value("SELECT count(*) FROM t") == 0)
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
                _ = try await connection.copyIn("SELECT 1", columns: 1) { _ in false }
            }
        }
    }
}
