import ArgumentParser

/// The options of every command that uses the database.
struct SettingsOptions: ParsableArguments {
    @Option(name: .customLong("database-url"), help: "The database: a URL or libpq connection string.")
    var databaseURL: String?

    @Option(help: "A file with settings, YAML or JSON.")
    var config: String?

    @Option(name: .customLong("log-level"), help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: String?

    /// Every setting, with values that the command sets.
    func settings(_ more: [String: String?] = [:]) async throws -> Settings {
        var options = more.compactMapValues { $0 }
        if let databaseURL { options["database.url"] = databaseURL }
        if let logLevel { options["log.level"] = logLevel }
        return try await Settings(options: options, file: config)
    }
}
