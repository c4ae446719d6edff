import Administration
import ArgumentParser
import EventLog
import NotificationEvents
import Reports
import Schema

extension ReportCommand {
    /// `notilog report view NAME`.
    struct View: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the report of a saved view.",
            usage: "notilog report view [<options>] <name>",
            discussion: """
                Example:
                  notilog report view 'news by week' --format csv
                """
        )
        @OptionGroup var chosen: AppOptions
        @Argument(help: "The view's name.")
        var name: String
        @OptionGroup var reading: ReportReading

        func run() async throws {
            let catalogue = try ReportCatalogue(folder: try ReleaseFolder.locate())
            try await chosen.withPool(needs: .writer) { pool, app in
                guard let view = try await Administration(pool).savedViews(app: app.id, name: name).first else {
                    throw CommandFailure("the app has no view of that name: see `notilog report views`")
                }
                let parameters = try reading.parameters(view.report, view.pairs, catalogue)
                try await reading.print(parameters, app: app, catalogue, pool)
            }
        }
    }

    /// `notilog report save NAME REPORT`.
    struct Save: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Save a report with its parameters under a name.",
            usage: "notilog report save [<options>] <name> <report>",
            discussion: """
                Replaces a view of the same name. Without --from and --to the view covers the
                last 30 days whenever it is read.

                Example:
                  notilog report save 'news by week' engagement --interval week \\
                    --filter category=news
                """
        )
        @OptionGroup var chosen: AppOptions
        @Argument(help: "The view's name: up to 100 bytes, on one line.")
        var name: String
        @Argument(help: "The report's name.")
        var report: String
        @OptionGroup var question: ReportQuestion
        @OptionGroup var result: ResultOptions

        private struct Output: Encodable {
            var saved: String
            var position: Int64
            var isNew: Bool
        }

        func validate() throws {
            guard GivenName.isAccepted(name) else { throw ValidationError(GivenName.rule(of: "view")) }
        }

        func run() async throws {
            let catalogue = try ReportCatalogue(folder: try ReleaseFolder.locate())
            let pairs = try question.pairs()
            guard SavedView.excluded.isDisjoint(with: pairs.map(\.name)) else {
                throw ValidationError(SavedView.excludedRule)
            }
            let parameters: ReportParameters
            do {
                parameters = try ReportParameters(pairs, for: try catalogue.report(report))
            } catch {
                throw error.ofCommand
            }
            let (view, isNew) = try await chosen.withPool(needs: .writer, writes: true) { pool, app in
                do {
                    try await ReportRunner(catalogue: catalogue, pool: pool).check(parameters, app: app.name)
                    return try await Administration(pool).saveView(name, app: app.id, report: report, pairs: pairs)
                } catch let error as ReportError {
                    throw error.ofCommand
                } catch let error as TooManyViews {
                    throw CommandFailure(error.description)
                }
            }
            try result.print(
                "\(isNew ? "saved" : "saved again"), as defined at position \(view.position)",
                Output(saved: name, position: view.position.rawValue, isNew: isNew)
            )
        }
    }

    /// `notilog report views`.
    struct Views: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the saved views.",
            usage: "notilog report views [<options>]",
            discussion: """
                Example:
                  notilog report views --app shop
                """
        )
        @OptionGroup var chosen: AppOptions
        @Flag(name: .customLong("json"), help: "Write the views as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            var name: String
            var report: String
            var parameters: [String: [String]]
            var position: Int64
            var savedAt: String
        }

        func run() async throws {
            let views = try await chosen.withApp { try await $0.savedViews(app: $1) }
            let rows = views.map {
                Output(
                    name: $0.name,
                    report: $0.report,
                    parameters: $0.parameters,
                    position: $0.position.rawValue,
                    savedAt: $0.savedAt.description
                )
            }
            try TextTable(
                rows,
                [
                    "NAME": { $0.name }, "REPORT": { $0.report },
                    "PARAMETERS": { ReportQuestion.words($0.parameters) },
                    "SAVED": { $0.savedAt },
                ]
            ).print(asJSON: asJSON)
        }
    }

    /// `notilog report delete NAME`.
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a saved view.",
            usage: "notilog report delete [<options>] <name>",
            discussion: """
                Example:
                  notilog report delete 'news by week'
                """
        )
        @OptionGroup var chosen: AppOptions
        @Argument(help: "The view's name.")
        var name: String
        @OptionGroup var result: ResultOptions

        func run() async throws {
            let isDeleted = try await chosen.withApp(writes: true) { try await $0.deleteView(name, app: $1) }
            guard isDeleted else {
                throw CommandFailure("the app has no view of that name: see `notilog report views`")
            }
            try result.print("deleted", ["deleted": name])
        }
    }
}
