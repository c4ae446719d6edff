import Administration
import ArgumentParser
import Foundation
import Postgres
import Reports
import Schema

/// `notilog report`: any report, straight from the database.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Print a report; without a name, list the reports.",
        discussion: """
            Examples:
              notilog report
              notilog report engagement --by category --from 2026-03-01 --to 2026-04-01 \\
                --tz Europe/Berlin
              notilog report engagement --by platform --filter category=news \\
                --filter category=offer --format csv
            """
    )

    @OptionGroup var options: SettingsOptions

    @Argument(help: "The report's name.")
    var name: String?

    @Option(help: "The app; required if there are several.")
    var app: String?
    @Option(help: "One or two dimensions, joined by a comma.")
    var by: String?
    @Option(help: "none, hour, day, week or month.")
    var interval: String?
    @Option(help: "The start: a date or an RFC 3339 time.")
    var from: String?
    @Option(help: "The end, not included.")
    var to: String?
    @Option(help: "The time zone of dates and intervals, such as Europe/Berlin.")
    var tz: String?
    @Option(help: "How long a response may take, as an ISO 8601 duration such as P3D.")
    var window: String?
    @Option(help: "The denominator of rates: reached, delivered or presented.")
    var per: String?
    @Option(help: "The number of groups with rows of their own, largest first; the others share one row.")
    var limit: Int?
    @Option(name: .customLong("min-position"), help: "Wait until this position of the log is in the report.")
    var minPosition: String?
    @Option(
        name: .customLong("filter"),
        help: "DIMENSION=VALUE; may be repeated; an empty value selects rows without one."
    )
    var filters: [String] = []
    @Option(name: .customLong("param"), help: "Any other parameter of the report, as NAME=VALUE.")
    var others: [String] = []
    @Option(help: "table, json, csv or ndjson.")
    var format: String?
    @Flag(name: .customLong("json"), help: "The same as --format json.")
    var asJSON = false
    @Flag(name: .customLong("all-columns"), help: "Show every column in a table.")
    var showsAllColumns = false

    func run() async throws {
        let catalogue = try ReportCatalogue(folder: try ReleaseFolder.locate())
        guard let name else { return try list(catalogue) }
        do {
            let parameters = try ReportParameters(try pairs(), for: try catalogue.report(name))
            let database = try await options.settings().database
            let format = parameters.format ?? (asJSON ? .json : .table)
            try await Database.withPool(database) { pool in
                let app = try await ChosenApp.find(app, pool).name
                let runner = ReportRunner(catalogue: catalogue, pool: pool)
                try await runner.write(
                    parameters,
                    app: app,
                    as: format,
                    width: Self.width,
                    allColumns: showsAllColumns
                ) { piece in
                    if case .text(let text) = piece { Console.print(bytes: text) }
                }
            }
            if format == .json { Console.print(bytes: [UInt8(ascii: "\n")]) }
        } catch let error as ReportError {
            throw CommandFailure(error.message)
        }
    }

    private func pairs() throws -> [(name: String, value: String)] {
        let given: [(String, String?)] = [
            ("by", by), ("interval", interval), ("from", from), ("to", to), ("tz", tz), ("window", window),
            ("per", per), ("limit", limit.map(String.init)),
            ("min_position", minPosition), ("format", format),
        ]
        var pairs = given.compactMap { name, value in value.map { (name: name, value: $0) } }
        for pair in filters + others {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw ValidationError("--filter and --param take NAME=VALUE, such as category=news")
            }
            pairs.append((String(parts[0]), String(parts[1])))
        }
        return pairs
    }

    private struct Listed: Encodable {
        var name: String
        var purpose: String
    }

    private func list(_ catalogue: ReportCatalogue) throws {
        let all = catalogue.reports.map { Listed(name: $0.name, purpose: $0.purpose) }
        try TextTable(all, ["REPORT": { $0.name }, "PURPOSE": { $0.purpose }]).print(asJSON: asJSON)
    }

    /// The width of `COLUMNS`, else of the terminal.
    static var width: Int {
        if let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init) { return columns }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 120 }
        return Int(size.ws_col)
    }
}
