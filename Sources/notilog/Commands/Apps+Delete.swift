import Administration
import ArgumentParser
import Foundation
import Schema

extension Apps {
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an app for good, with its keys and all its data.",
            usage: "notilog apps delete [<options>] <name>",
            discussion: """
                Revokes its keys, then deletes its events, their rows in projections, its
                quarantine, export cursors and ledger of erased devices, in batches while
                other work continues. If interrupted, run it again: it continues. It cannot
                be undone. Exported files and dumps stay.

                Example:
                  notilog apps delete shop
                """
        )
        @OptionGroup var store: StoreOptions
        @Argument(help: "The app's name.")
        var name: String
        @Flag(help: "Do not ask for confirmation.")
        var yes = false
        @OptionGroup var result: ResultOptions

        private struct Output: Encodable {
            var deleted: String
            var events: Int64
        }

        func run() async throws {
            try await store.withPool(needs: .owner, writes: true) { pool in
                let administration = Administration(pool)
                let app = try await administration.app(name)
                try confirm(app)
                let deletion = try await administration.beginDeletion(of: app.name)
                var progress = Progress("deleting", total: Int(clamping: deletion.events))
                try await administration.finishDeletion(deletion) { progress.show(Int(clamping: $0)) }
                progress.finish(Int(clamping: deletion.events))
                try result.print(
                    "deleted app \(app.name) and its \(deletion.events) events",
                    Output(deleted: app.name, events: deletion.events)
                )
            }
        }

        private func confirm(_ app: App) throws {
            guard !yes else { return }
            guard isatty(STDIN_FILENO) == 1 else {
                throw CommandFailure(
                    "this deletes all data of \(app.name) for good: add --yes, or run it in a terminal"
                )
            }
            Console.note("this deletes all data of \(app.name) for good; type the app's name to continue:")
            guard readLine() == app.name else { throw CommandFailure("the name does not match: nothing was deleted") }
        }
    }
}
