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

    @Test("settings of the caller replace those of the module")
    func settings() {
        let configuration = ConnectionConfiguration().with(settings: [
            "TimeZone": "Europe/Berlin", "lock_timeout": "1s",
        ])
        #expect(configuration.sessionSettings["TimeZone"] == "Europe/Berlin")
        #expect(configuration.sessionSettings["lock_timeout"] == "1s")
        #expect(configuration.sessionSettings["client_connection_check_interval"] == "1s")
    }

    @Test("pauses grow to their limit and start over")
    func backoff() {
        var backoff = Backoff(first: .milliseconds(100), longest: .milliseconds(350))
        let pauses = (0..<4).map { _ in backoff.next() }
        #expect((Duration.milliseconds(50)...(.milliseconds(100))).contains(pauses[0]))
        #expect((Duration.milliseconds(100)...(.milliseconds(200))).contains(pauses[1]))
        #expect((Duration.milliseconds(175)...(.milliseconds(350))).contains(pauses[3]))
        backoff.reset()
        #expect(backoff.next() <= .milliseconds(100))
    }
}
