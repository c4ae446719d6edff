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
            (#"connection to server at "::1", port 5432 failed: fe_sendauth: no password supplied"#, true),
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

    @Test(
        "why PostgreSQL refuses, by its state",
        arguments: [
            ("25006", PostgresError.Refusal.readOnly), ("42501", .permission), ("53100", .diskFull),
            ("53200", .outOfResources), ("53300", .outOfConnections), ("53400", .outOfResources), ("57P03", nil),
            ("40001", nil), ("25P02", nil), ("42P01", nil),
        ] as [(String, PostgresError.Refusal?)]
    )
    func refusal(sqlState: String, expected: PostgresError.Refusal?) {
        var error = PostgresError(.server, "x")
        error.sqlState = sqlState
        #expect(error.refusal == expected)
    }

    @Test("a server that lets nobody in refuses; one that does not answer does not")
    func refusedConnections() {
        let refused = #"connection to server at "::1", port 5432 failed: FATAL:  role "u" does not exist"#
        #expect(PostgresError(.connection, refused).refusal == .login)
        let full = "connection to server failed: FATAL:  sorry, too many clients already"
        #expect(PostgresError(.connection, full).refusal == .outOfConnections)
        #expect(PostgresError(.connection, "connection to server failed: Connection refused").refusal == nil)
    }

    @Test(
        "the reason has no host, address, role or database",
        arguments: [
            (
                #"connection to server at "db.example.com" (10.1.2.3), port 5432 failed: Connection refused; Is the server running on that host and accepting TCP/IP connections?"#,
                "Connection refused"
            ),
            (
                #"connection to server at "db" (10.1.2.3), port 5432 failed: FATAL:  no pg_hba.conf entry for host "10.1.2.4", user "u", database "d", no encryption"#,
                #"FATAL:  no pg_hba.conf entry for host "…", user "…", database "…", no encryption"#
            ),
            (
                #"could not translate host name "db.example.com" to address: Name or service not known"#,
                #"could not translate host name "…" to address: Name or service not known"#
            ),
            (
                "server closed the connection unexpectedly; This probably means the server terminated abnormally",
                "server closed the connection unexpectedly"
            ),
        ]
    )
    func reason(message: String, expected: String) {
        #expect(PostgresError(.connection, message).reason == expected)
        var error = PostgresError(.server, message)
        error.sqlState = "42501"
        #expect(error.reason == "42501: \(expected)")
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
