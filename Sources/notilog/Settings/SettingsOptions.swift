import ArgumentParser
import Logging
import Settings
import Synchronization

/// The options of every command that uses the database.
struct SettingsOptions: ParsableArguments {
    @Option(name: .customLong("database-url"), help: "The database: a URL or libpq connection string.")
    var databaseURL: String?

    @Option(help: "A file with settings, YAML or JSON.")
    var config: String?

    @Option(name: .customLong("env-file"), help: "A file with environment variables, as systemd reads it.")
    var envFile: String?

    @Option(name: .customLong("log-level"), help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: String?

    /// Every setting, with values that the command sets.
    ///
    /// - Throws: `ValidationError` (exit code 64) if an option is at fault; `SettingsError` if the environment or a file is.
    func settings(_ more: [String: String?] = [:]) async throws -> Settings {
        if let envFile { try EnvironmentFile.load(envFile) }
        var options = more.compactMapValues { $0 }
        if let databaseURL { options["database.url"] = databaseURL }
        if let logLevel { options["log.level"] = logLevel }
        let settings: Settings
        do {
            settings = try await Settings(options: options, file: config)
        } catch let error as SettingsError where error.isOfOption {
            throw ValidationError(error.message)
        }
        Self.warn(settings)
        return settings
    }

    /// Whether the command has warned already: some read their settings more than once.
    private static let hasWarned = Mutex(false)

    /// Logs what the settings have to say, so that `log.level` silences it for who has other variables of such names.
    private static func warn(_ settings: Settings) {
        let warnings = settings.reader.warnings
        let isFirst = hasWarned.withLock { warned in
            defer { warned = true }
            return !warned
        }
        guard isFirst, !warnings.isEmpty else { return }
        let logger = settings.logger("notilog")
        for warning in warnings { logger.warning("\(warning)") }
    }
}
