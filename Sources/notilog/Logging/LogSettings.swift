import Logging
import Pacing
import Settings

/// The level and the format of the log.
struct LogSettings: Sendable {
    private let level: String
    private let format: String?

    /// Reads the settings.
    init(_ settings: SettingsReader) {
        format = settings.text("log.format", "json or text; default: text if standard error is a terminal")
        level = settings.text(
            "log.level",
            default: "info",
            "trace, debug, info, notice, warning, error or critical"
        )
    }

    /// Checks the settings.
    ///
    /// - Throws: ``CommandFailure`` if level or format is invalid.
    func check() throws(CommandFailure) { _ = try logger("notilog") }

    /// A logger by the settings.
    ///
    /// - Throws: ``CommandFailure`` if level or format is invalid.
    func logger(_ label: String) throws(CommandFailure) -> Logger {
        guard let level = Logger.Level(rawValue: level) else {
            throw CommandFailure("log.level is one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        let format: LineLogHandler.Format?
        if let name = self.format {
            format = LineLogHandler.Format(rawValue: name)
        } else {
            format = Console.isTerminal ? .text : .json
        }
        guard let format else { throw CommandFailure("log.format is json or text") }
        let repeated = RepeatedLines()
        return Logger(label: label) {
            LineLogHandler(label: $0, format: format, repeated: repeated, logLevel: level)
        }
    }
}
