import Testing

@testable import Postgres

@Suite("Errors")
struct PostgresErrorTests {
    @Test("what stands in quotes is left out, but for a name that the server gave")
    func quoted() {
        #expect(
            PostgresError.withoutQuoted("null value in column \"a\" of relation \"b\"", keep: nil)
                == "null value in column \"…\" of relation \"…\""
        )
        #expect(
            PostgresError.withoutQuoted("duplicate key value violates unique constraint \"a_pkey\"", keep: "a_pkey")
                == "duplicate key value violates unique constraint \"a_pkey\""
        )
    }

    @Test("a value is left out whole, with the quotes in it")
    func value() {
        #expect(
            PostgresError.withoutValue("invalid input syntax for type integer: \"{\"token\":\"secret\"}\"")
                == "invalid input syntax for type integer: \"…\""
        )
        #expect(PostgresError.withoutValue("value too long") == "value too long")
        #expect(PostgresError.withoutValue("one \" alone") == "one \" alone")
    }

    @Test(
        "retriable or not",
        arguments: [
            ("40001", true), ("40P01", true), ("55P03", true), ("53300", true), ("08006", true), ("57P01", true),
            ("23505", false), ("22P02", false), ("42601", false), ("57014", false),
        ]
    )
    func retriable(sqlState: String, expected: Bool) {
        var error = PostgresError(.server, "x")
        error.sqlState = sqlState
        #expect(error.isRetriable == expected)
    }

    @Test(
        "others were in the way, or not",
        arguments: [
            ("40001", true), ("40P01", true), ("55P03", true), ("53300", false), ("40002", false), ("57014", false),
        ]
    )
    func contention(sqlState: String, expected: Bool) {
        var error = PostgresError(.server, "x")
        error.sqlState = sqlState
        #expect(error.isContention == expected)
    }

    @Test(
        "a server that lets nobody in, or none that answers",
        arguments: [
            (#"connection to server at "::1", port 5432 failed: FATAL:  database "nodb" does not exist"#, true),
            (#"connection to server at "::1", port 5432 failed: FATAL:  role "nouser" does not exist"#, true),
            (
                #"connection to server at "::1", port 5432 failed: FATAL:  password authentication failed for user "u""#,
                true
            ),
            (#"connection to server at "::1", port 5432 failed: FATAL:  the database system is starting up"#, false),
            (#"connection to server at "::1", port 5432 failed: FATAL:  sorry, too many clients already"#, false),
            (#"connection to server at "::1", port 5432 failed: Connection refused"#, false),
        ]
    )
    func refused(message: String, expected: Bool) {
        #expect(PostgresError(.connection, message).isRefusedConnection == expected)
        // A service goes on trying: the role may be made while it runs.
        #expect(PostgresError(.connection, message).isConnectionFailure)
    }

    @Test(
        "a server, a database or a role that has as many connections as it may",
        arguments: [
            "sorry, too many clients already", #"too many connections for role "u""#,
            "remaining connection slots are reserved for non-replication superuser connections",
        ]
    )
    func outOfConnections(reason: String) {
        let error = PostgresError(.connection, "connection to server failed: FATAL:  \(reason)")
        #expect(error.isOutOfConnections && error.isConnectionFailure && !error.isRefusedConnection)
        #expect(!PostgresError(.connection, "connection to server failed: Connection refused").isOutOfConnections)
    }

    @Test("a broken connection is retriable and a connection failure; a data error is neither")
    func kinds() {
        #expect(PostgresError(.connection, "x").isRetriable)
        #expect(PostgresError(.connection, "x").isConnectionFailure)
        var error = PostgresError(.server, "x")
        error.sqlState = "22021"
        #expect(error.isDataError)
        #expect(!error.isConnectionFailure)
    }

    @Test("the description has state, message, constraint and hint, and no detail")
    func description() {
        var error = PostgresError(.server, "no")
        error.sqlState = "23505"
        error.severity = "ERROR"
        error.constraint = "c"
        error.detail = "Key (a)=(secret)"
        #expect("\(error)" == "ERROR 23505: no (constraint c)")
    }
}
