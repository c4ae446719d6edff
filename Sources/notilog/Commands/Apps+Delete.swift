import Administration
import ArgumentParser
import Foundation

extension Apps {
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an app for good, with its keys and all its data.",
            usage: "notilog apps delete [<options>] <name>",
            discussion: """
                Revokes its keys, then deletes its events, what was computed from them, its
                quarantine, exports' cursors and ledger of erased devices, in batches while
                others go on. Broken off, the same command goes on. It cannot be undone. Files
                that were exported, and dumps, stay as they are.

                Example:
                  notilog apps delete shop
                """
        )
        @OptionGroup var store: StoreOptions
        @Argument(help: "The app's name.")
        var name: String
        @Flag(help: "Do not ask.")
        var yes = false

        func run() async throws {
            try await store.withPool { pool in
                let administration = Administration(pool)
                let app = try await administration.app(name)
                try confirm(app)
                let deletion = try await administration.beginDeletion(of: app.name)
                var progress = Progress("deleting", total: Int(clamping: deletion.events))
                try await administration.finishDeletion(deletion) { progress.show(Int(clamping: $0)) }
                progress.finish(Int(clamping: deletion.events))
                Console.print("deleted the app \(app.name) and its \(deletion.events) events")
            }
        }

        private func confirm(_ app: App) throws {
            guard !yes else { return }
            guard isatty(STDIN_FILENO) == 1 else {
                throw CommandFailure(
                    "this deletes all data of \(app.name) for good: say --yes, or run it in a terminal"
                )
            }
            Console.note("this deletes all data of \(app.name) for good; type the app's name to go on:")
            guard readLine() == app.name else { throw CommandFailure("the name is another: nothing was deleted") }
        }
    }
}
