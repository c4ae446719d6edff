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
}
