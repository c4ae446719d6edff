import Administration
import ArgumentParser
import Deliveries
import Digests
import Foundation
import Reports
import Schema
import Service

/// `notilog digest VIEW`: what a digest of a saved view says now.
struct DigestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "digest",
        abstract: "Print what a digest of a saved view says now, without sending it.",
        usage: "notilog digest [<options>] <view>",
        discussion: """
            The figures are of the last full day, or with --weekly of the last full week
            from Monday, in the view's time zone; beside them stands how they changed since
            the period before.

            Example:
              notilog digest 'news by week' --weekly --app shop
            """
    )
    @OptionGroup var chosen: AppOptions
    @Argument(help: "The view's name.")
    var view: String
    @Flag(help: "Of the last full week instead of the last full day.")
    var weekly = false
    @Option(help: "Write the digest with its chart to a file, too, as a page for a browser.")
    var html: String?

    func run() async throws {
        let catalogue = try ReportCatalogue(folder: try ReleaseFolder.locate())
        let pageURL = try await chosen.store.options.settings().service.deliveries.pageURL
        let message = try await chosen.withPool(needs: .writer) { pool, app in
            guard let saved = try await Administration(pool).savedViews(app: app.id, name: view).first else {
                throw CommandFailure("the app has no view of that name: see `notilog report views`")
            }
            let question = DigestQuestion(view: saved.name, report: saved.report, parameters: saved.parameters)
            let runner = ReportRunner(catalogue: catalogue, pool: pool)
            do {
                return try await DigestMaker(DigestStore(pool), runner, pageURL: pageURL)
                    .preview(question, app: app.name, isWeekly: weekly)
            } catch let error as DigestError {
                throw CommandFailure(error.description)
            } catch let error as ReportError {
                throw CommandFailure(error.message)
            }
        }
        // Clients chose the names of its rows.
        for line in message.lines { Console.print(TerminalText.clean(line)) }
        guard let html else { return }
        do {
            try Data(message.document.utf8).write(to: URL(fileURLWithPath: html))
        } catch {
            throw CommandFailure("\(html) cannot be written: choose a folder that you can write to")
        }
    }
}
