import Administration
import ArgumentParser
import Postgres
import Reports

/// How a report's answer is read.
struct ReportReading: ParsableArguments {
    @Option(name: .customLong("min-position"), help: "Wait until this position of the log is in the report.")
    var minPosition: String?
    @Option(help: "table, json, csv or ndjson.")
    var format: String?
    @Flag(name: .customLong("json"), help: "The same as --format json.")
    var asJSON = false
    @Flag(name: .customLong("all-columns"), help: "Show every column in a table.")
    var showsAllColumns = false

    func validate() throws {
        guard !asJSON || format.map({ $0 == "json" }) ?? true else {
            throw ValidationError("--json and --format \(format ?? "") exclude each other: use one")
        }
    }

    /// A question's parameters with those of its reading.
    ///
    /// - Throws: `ValidationError` with what the report accepts.
    func parameters(
        _ report: String,
        _ question: [(name: String, value: String)],
        _ catalogue: ReportCatalogue
    ) throws -> ReportParameters {
        let own = [("min_position", minPosition), ("format", format)]
        let pairs = question + own.compactMap { name, value in value.map { (name: name, value: $0) } }
        do {
            return try ReportParameters(pairs, for: try catalogue.report(report))
        } catch {
            throw error.ofCommand
        }
    }

    /// Whether a list of reports is written as JSON.
    ///
    /// - Throws: `ValidationError` for a format that lists do not have.
    func listsAsJSON() throws -> Bool {
        switch format {
        case nil: asJSON
        case "json": true
        case "table": false
        default: throw ValidationError("a list of reports is a table or json")
        }
    }

    /// Runs a report and prints it.
    func print(_ parameters: ReportParameters, app: App, _ catalogue: ReportCatalogue, _ pool: Pool) async throws {
        let shown = parameters.format ?? (asJSON ? .json : .table)
        do {
            try await ReportRunner(catalogue: catalogue, pool: pool).write(
                parameters,
                app: app.name,
                as: shown,
                width: ReportCommand.width,
                allColumns: showsAllColumns
            ) { piece in
                if case .text(let text) = piece { Console.print(bytes: text) }
            }
        } catch let error as ReportError {
            throw error.ofCommand
        }
        if shown == .json { Console.print(bytes: [UInt8(ascii: "\n")]) }
    }
}
