import ArgumentParser
import Foundation

/// `notilog report`: any report, straight from the database or the store of `notilog dev`.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Print a report; without a name, list the reports. Save views.",
        discussion: """
            Examples:
              notilog report
              notilog report engagement --by category --from 2026-03-01 --to 2026-04-01 \\
                --tz Europe/Berlin
              notilog report engagement --by platform --filter category=news \\
                --filter category=offer --format csv
              notilog report view 'news by week'
            """,
        subcommands: [Run.self, View.self, Save.self, Views.self, Delete.self],
        defaultSubcommand: Run.self
    )

    /// The width of `COLUMNS`, else of the terminal.
    static var width: Int {
        if let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init) { return columns }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 120 }
        return Int(size.ws_col)
    }
}
