import Logging
import Pacing
import Settings

/// The level and the format of the log.
struct LogSettings: Sendable {
    private let level: Logger.Level
    private let format: LineLogHandler.Format

    /// Reads the settings, and refuses a level or a format that is none.
    init(_ settings: SettingsReader) {
        let format = settings.text("log.format", "json or text; default: text if standard error is a terminal")
        let level = settings.text(
            "log.level",
            default: "info",
            "trace, debug, info, notice, warning, error or critical"
        )
        let knownFormat = format.flatMap { LineLogHandler.Format(rawValue: $0) }
        if format != nil, knownFormat == nil { settings.refuse("log.format", "is none of these") }
        self.format = knownFormat ?? (Console.isTerminal ? .text : .json)
        let knownLevel = Logger.Level(rawValue: level)
        if knownLevel == nil { settings.refuse("log.level", "is none of these") }
        self.level = knownLevel ?? .info
    }

    /// A logger by the settings.
    func logger(_ label: String) -> Logger {
        let (level, format) = (level, format)
        let repeated = RepeatedLines()
        return Logger(label: label) {
            LineLogHandler(label: $0, format: format, repeated: repeated, logLevel: level)
        }
    }
}
