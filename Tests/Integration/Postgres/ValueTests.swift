import Foundation
import Postgres
import Testing

@Suite("PostgreSQL: values")
struct ValueTests {
    private func roundTrip<T: PostgresDecodable & Equatable & Sendable>(
        _ connection: Connection,
        _ values: [(Parameter, T)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for (parameter, expected) in values {
            let rows = try await connection.query("SELECT $1", [parameter])
            #expect(try rows.only().get(0) == expected, sourceLocation: sourceLocation)
        }
    }

    @Test("every type of parameter comes back as it was sent")
    func scalars() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            try await roundTrip(connection, [(.int2(.min), Int16.min), (.int2(.max), .max), (.int2(0), 0)])
            try await roundTrip(connection, [(.int4(.min), Int32.min), (.int4(.max), .max)])
            try await roundTrip(connection, [(.int8(.min), Int64.min), (.int8(.max), .max)])
            try await roundTrip(
                connection,
                [
                    (.float8(0.1), 0.1), (.float8(-.infinity), -.infinity),
                    (.float8(.greatestFiniteMagnitude), .greatestFiniteMagnitude),
                ]
            )
            try await roundTrip(connection, [(.bool(true), true), (.bool(false), false)])
            try await roundTrip(connection, [(.text(""), ""), (.text("Grüße 👋🏽\n\"'\\"), "Grüße 👋🏽\n\"'\\")])
            try await roundTrip(connection, [(.bytea([]), [UInt8]()), (.bytea(Array(0...255)), Array(0...255))])
            let id = UUID()
            try await roundTrip(connection, [(.uuid(id), id)])
            let times: [Int64] = [0, -1, 946_684_800_000_000, 1_767_225_599_123_456, -62_135_596_800_000_000]
            try await roundTrip(connection, times.map { (.timestamptz($0), $0) })
            try await roundTrip(connection, [(.jsonb("{\"a\": [1, null]}"), "{\"a\": [1, null]}")])
            try await roundTrip(connection, [(.jsonb("{}"), Array("{}".utf8))])
            let nulls: [Parameter] = [
                .int2(nil), .int4(nil), .int8(nil), .float8(nil), .bool(nil), .text(nil), .bytea(nil), .uuid(nil),
                .timestamptz(nil), .jsonb(nil as String?),
            ]
            try await roundTrip(connection, nulls.map { ($0, String?.none) })
        }
    }

    @Test("arrays of every type, with NULL elements and without any")
    func arrays() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            try await roundTrip(
                connection,
                [(.int4s([1, nil, .max]), [Int32?](arrayLiteral: 1, nil, .max)), (.int4s([]), [])]
            )
            try await roundTrip(connection, [(.int8s([1, nil, .min]), [Int64?](arrayLiteral: 1, nil, .min))])
            try await roundTrip(connection, [(.texts(["a", nil, ""]), [String?](arrayLiteral: "a", nil, ""))])
            try await roundTrip(connection, [(.byteas([[0], nil, []]), [[UInt8]?](arrayLiteral: [0], nil, []))])
            let ids = Parameter.array(of: .uuid, count: 2, elementBytes: 16) { writer in
                writer.append(uuidHigh: 1, low: .max)
                writer.appendNull()
            }
            let id = UUID(uuidString: "00000000-0000-0001-FFFF-FFFFFFFFFFFF")
            try await roundTrip(connection, [(ids, [UUID?](arrayLiteral: id, nil))])
            try await roundTrip(connection, [(.timestamptzs([7, nil, -7]), [Int64?](arrayLiteral: 7, nil, -7))])
            try await roundTrip(connection, [(.jsonbs([Array("[1]".utf8), nil]), [String?](arrayLiteral: "[1]", nil))])
        }
    }

    @Test("types without a Swift type read as text")
    func text() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            let cases: [(String, String)] = [
                ("0::numeric", "0"), ("-12345.678900::numeric", "-12345.678900"),
                ("1e20::numeric", "100000000000000000000"),
                ("0.00001234::numeric", "0.00001234"), ("10000::numeric", "10000"), ("'NaN'::numeric", "NaN"),
                ("date '2024-02-29'", "2024-02-29"), ("interval '1 day 1.5 s'", "P1DT1.500000S"),
                ("interval '0'", "PT0S"),
                ("timestamptz '2026-01-01 00:00:00.000001+01'", "2025-12-31T23:00:00.000001Z"),
                ("'{\"a\":1}'::json", "{\"a\":1}"), ("true", "true"), ("42", "42"), ("1.5::float8", "1.5"),
                ("'10.0.0.0/8'::cidr", "10.0.0.0/8"), ("'[1,5)'::int4range", "[1,5)"), ("'a'::name", "a"),
            ]
            for (expression, expected) in cases {
                let row = try await connection.query("SELECT \(expression)", cached: false).only()
                #expect(try row.get(0, as: String.self) == expected, "\(expression)")
            }
            let mixed = try await connection.query("SELECT 7 AS n, true AS b, 1.5::float8 AS d, '10.0.0.1'::inet AS i")
                .only()
            #expect(try mixed.get("n", as: Int.self) == 7)
            #expect(try mixed.get("b", as: Bool.self))
            #expect(try mixed.get("d", as: Double.self) == 1.5)
            #expect(try mixed.get("i", as: String.self) == "10.0.0.1")
        }
    }

    @Test("values of unknown type for those who only show them")
    func anyValue() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            let row = try await connection.query(
                "SELECT NULL::int, 1::int2, 2.5::float8, 'x', true, '{\"a\": 1}'::jsonb, ARRAY[1,NULL], 1.50::numeric, to_timestamp(1)"
            ).only()
            let expected: [PostgresValue] = [
                .null, .integer(1), .double(2.5), .text("x"), .bool(true), .json("{\"a\": 1}"),
                .array([.integer(1), .null]),
                .text("1.50"), .timestamp(1_000_000),
            ]
            for (index, value) in expected.enumerated() { #expect(try row.get(index) == value) }
        }
    }

    @Test("a value of another type, NULL, or a number too large is a typed error that names the column, not the value")
    func mismatch() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let connection = try await database.connect()
            let row = try await connection.query("SELECT 'secret' AS word, NULL::int AS nothing, 70000 AS large").only()
            #expect { try row.get("word", as: Int64.self) } throws: { error in
                let error = error as? PostgresError
                return error?.code == .decoding && error?.message.contains("word") == true
                    && error?.message.contains("secret") == false
            }
            #expect(throws: PostgresError.self) { try row.get("nothing", as: Int.self) }
            #expect(throws: PostgresError.self) { try row.get("large", as: Int16.self) }
            #expect(throws: PostgresError.self) { try row.get("Word", as: String.self) }
            #expect(throws: PostgresError.self) { try row.get(3, as: String.self) }
            #expect(try row.get("nothing", as: Int?.self) == nil)
        }
    }
}
