import Testing

@testable import Postgres

@Suite("Connection configuration")
struct ConfigurationTests {
    @Test("what a connection string says stands over defaults, and under what the caller sets")
    func order() {
        let keywords = ConnectionConfiguration(connectionString: "postgresql://x", database: "d").parameters.map(
            \.keyword
        )
        let url = keywords.firstIndex(of: "dbname") ?? -1
        #expect(keywords.prefix(url).contains("connect_timeout"))
        #expect(keywords.suffix(from: url + 1).contains("dbname"))
        #expect(keywords.suffix(from: url + 1).contains("application_name"))
    }

    @Test(
        "a URL that is cut short is no name of a database, and no server is told it",
        arguments: [
            ("postgres//u:secret@127.0.0.1/notilog", false), ("u:secret@127.0.0.1:5432/notilog", false),
            ("postgresql://u:secr@et/word@127.0.0.1/notilog", false),
            ("postgresql://u:secr%40et%2Fword@127.0.0.1/notilog", true),
            ("notilog", true), ("dbname=notilog", true), ("postgresql:///notilog", true), (nil, true),
        ] as [(String?, Bool)]
    )
    func readable(text: String?, expected: Bool) {
        #expect(ConnectionConfiguration(connectionString: text).isReadable == expected)
    }

    @Test(
        "a connection string for another database keeps the server and the login",
        arguments: [
            ("postgresql://u@127.0.0.1:5433/notilog", "host='127.0.0.1' port='5433' user='u' dbname='it\\'s'"),
            ("postgresql:///x?host=/tmp", "host='/tmp' dbname='it\\'s'"),
            ("host=a,b port=1,2", "host='a,b' port='1,2' dbname='it\\'s'"), ("notilog", nil), (nil, nil),
            ("postgresql://u:secr@et/word@127.0.0.1", nil),
        ] as [(String?, String?)]
    )
    func otherDatabase(text: String?, expected: String?) {
        let other = ConnectionConfiguration(connectionString: text).connectionString(forDatabase: "it's")
        func words(_ text: String) -> [Substring] { text.split(separator: " ").sorted() }
        #expect(other.map(words) == expected.map(words))
        guard let other else { return }
        let read = ConnectionConfiguration(connectionString: other)
        #expect(read.databaseName == "it's" && read.server == ConnectionConfiguration(connectionString: text).server)
    }

    @Test("settings of the caller replace those of the module")
    func settings() {
        let configuration = ConnectionConfiguration().with(settings: [
            "TimeZone": "Europe/Berlin", "lock_timeout": "1s",
        ])
        #expect(configuration.sessionSettings["TimeZone"] == "Europe/Berlin")
        #expect(configuration.sessionSettings["lock_timeout"] == "1s")
        #expect(configuration.sessionSettings["client_connection_check_interval"] == "1s")
        #expect(configuration.sessionSettings["jit"] == "off")
    }

    @Test(
        "a call waits ten seconds longer than the server's own time limit, in any of its units",
        arguments: [
            ("20s", 30_000), ("500ms", 10_500), ("250", 10_250), ("2 min", 130_000), ("1h", 3_610_000), ("0", nil),
            ("soon", nil), ("99999999999 d", nil), (nil, nil),
        ] as [(String?, Int64?)]
    )
    func answerLimit(timeout: String?, milliseconds: Int64?) {
        var configuration = ConnectionConfiguration()
        configuration.settings["statement_timeout"] = timeout
        #expect(configuration.answerLimit == milliseconds.map { .milliseconds($0) })
    }
}
