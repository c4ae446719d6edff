import Administration
import EventLog
import Foundation
import Logging
import Postgres
import Service
import Settings

/// The settings of the service and of its commands.
///
/// Each component reads its own from ``reader``. All are read at the start, so that a wrong value is reported before anything
/// is done.
struct Settings: Sendable {
    let reader: SettingsReader
    /// The configuration of the service.
    let service: ServiceConfiguration
    let doctor: DoctorSettings
    private let logging: LogSettings
    private var databaseURL: String?
    private let ledgerSecret: LedgerSecret
    private let staleTokens: StaleTokens

    /// - Parameters:
    ///   - options: values given on the command line, by key.
    ///   - file: a JSON or YAML file; `nil` for none.
    /// - Throws: `SettingsError` if a value cannot be used, a key is unknown, or the file cannot be read.
    init(options: [String: String], file: String?) async throws {
        let environment = ProcessInfo.processInfo.environment
        reader = try await SettingsReader(options: options, environment: environment, file: file)
        service = ServiceConfiguration(reader)
        doctor = DoctorSettings(reader)
        logging = LogSettings(reader)
        databaseURL = reader.text(
            "database.url",
            isSecret: true,
            "database, as a URL or libpq connection string; default: PG* variables"
        )
        ledgerSecret = LedgerSecret(reader)
        staleTokens = StaleTokens(reader)
        try reader.check()
    }

    /// Whether a setting was given, anywhere.
    func isGiven(_ key: String) -> Bool { reader.settings.contains { $0.key == key && $0.source != nil } }

    /// Where the database is.
    var database: ConnectionConfiguration { database(url: databaseURL) }

    /// The same settings, with another database.
    func naming(_ url: String?) -> Settings {
        var copy = self
        copy.databaseURL = url
        return copy
    }

    /// The same configuration with another database.
    func database(url: String?) -> ConnectionConfiguration {
        staleTokens.applied(to: ledgerSecret.applied(to: ConnectionConfiguration(connectionString: url)))
    }

    /// A logger by the settings.
    func logger(_ label: String) -> Logger { logging.logger(label) }

    /// A setting as it is shown.
    struct Shown: Encodable {
        var setting: String
        /// `-` where there is none.
        var value: String
        var source: String
        var variable: String
        var meaning: String
    }

    /// Every setting with its source and meaning, secrets hidden.
    var table: TextTable<Shown> {
        TextTable(
            reader.settings.map {
                Shown(
                    setting: $0.key,
                    value: $0.shown,
                    source: $0.source ?? "default",
                    variable: $0.variable,
                    meaning: $0.meaning
                )
            },
            [
                "SETTING": { $0.setting }, "VALUE": { $0.value }, "SOURCE": { $0.source },
                "VARIABLE": { $0.variable }, "MEANING": { $0.meaning },
            ]
        )
    }
}
