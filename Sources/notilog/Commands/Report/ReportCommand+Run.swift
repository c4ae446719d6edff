import ArgumentParser
import Reports
import Schema

extension ReportCommand {
    /// `notilog report NAME`.
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Print a report (the word `run` is optional).",
            usage: "notilog report [<options>] [<name>]",
            discussion: """
                Example:
                  notilog report engagement --by category
                """
        )

        @OptionGroup var chosen: AppOptions
        @Argument(help: "The report's name.")
        var name: String?
        @OptionGroup var question: ReportQuestion
        @OptionGroup var reading: ReportReading

        func run() async throws {
            let catalogue = try ReportCatalogue(folder: try ReleaseFolder.locate())
            guard let name else { return try list(catalogue) }
            let parameters = try reading.parameters(name, try question.pairs(), catalogue)
            try await chosen.withPool(needs: .reader) { pool, app in
                try await reading.print(parameters, app: app, catalogue, pool)
            }
        }

        private struct Listed: Encodable {
            var name: String
            var purpose: String
        }

        private func list(_ catalogue: ReportCatalogue) throws {
            let all = catalogue.reports.map { Listed(name: $0.name, purpose: $0.purpose) }
            let asJSON = try reading.listsAsJSON()
            try TextTable(all, ["REPORT": { $0.name }, "PURPOSE": { $0.purpose }]).print(asJSON: asJSON)
        }
    }
}
