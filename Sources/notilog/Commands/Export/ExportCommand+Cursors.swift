import ArgumentParser
import Exports
import NotificationEvents
import Postgres
import Schema

extension ExportCommand {
    /// `notilog export cursors`: the position of each cursor.
    struct Cursors: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List, reset or delete cursors.",
            discussion: """
                Example:
                  notilog export cursors list
                """,
            subcommands: [List.self, Reset.self, Drop.self],
            defaultSubcommand: List.self
        )
    }
}

extension ExportCommand.Cursors {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the cursors with their positions.",
            usage: "notilog export cursors list [<options>]",
            discussion: """
                Example:
                  notilog export cursors list --json
                """
        )
        @OptionGroup var options: SettingsOptions
        @Flag(name: .customLong("json"), help: "Write the list as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            var name: String
            var app: String
            var dataset: String
            var done: Int64
            var state: String
            var pendingFile: String?
            var updatedAt: String
        }

        func run() async throws {
            try await options.onEachCell(needs: .writer) { settings in
                try show(
                    try await Database.withPool(settings.database, needs: .writer) { try await ExportCursor.all($0) }
                )
            }
        }

        private func show(_ cursors: [ExportCursor]) throws {
            let all = cursors.map {
                Output(
                    name: $0.name,
                    app: $0.app,
                    dataset: $0.dataset,
                    done: $0.done,
                    state: !$0.isKnown
                        ? "log_changed" : $0.isRunning ? "running" : $0.pendingFile == nil ? "idle" : "broken_off",
                    pendingFile: $0.pendingFile,
                    updatedAt: Timestamp(microseconds: $0.updatedAt).description
                )
            }
            try TextTable(
                all,
                [
                    "CURSOR": { $0.name }, "APP": { $0.app }, "DATASET": { $0.dataset }, "DONE": { String($0.done) },
                    "STATE": { $0.state }, "UPDATED": { $0.updatedAt },
                ]
            ).print(asJSON: asJSON)
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set a cursor back: its next run exports everything again, into another folder.",
            usage: "notilog export cursors reset [<options>] <name>",
            discussion: """
                Example:
                  notilog export cursors reset warehouse
                """
        )
        @OptionGroup var options: SettingsOptions
        @Argument(help: "The cursor's name.")
        var name: String
        @OptionGroup var result: ResultOptions

        func run() async throws {
            try await ExportCommand.Cursors.change(options, name) { try await ExportCursor.reset($0, $1) }
            try result.print("set back \(name): its next run needs another folder", ["set_back": name])
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a cursor; its files stay.",
            usage: "notilog export cursors drop [<options>] <name>",
            discussion: """
                Example:
                  notilog export cursors drop warehouse
                """
        )
        @OptionGroup var options: SettingsOptions
        @Argument(help: "The cursor's name.")
        var name: String
        @OptionGroup var result: ResultOptions

        func run() async throws {
            try await ExportCommand.Cursors.change(options, name) { try await ExportCursor.drop($0, $1) }
            try result.print("dropped \(name)", ["dropped": name])
        }
    }

    fileprivate static func change(
        _ options: SettingsOptions,
        _ name: String,
        _ body: (String, Pool) async throws -> Void
    ) async throws {
        do {
            try await options.onEachCell(needs: .writer, writes: true) { settings in
                try await Database.withPool(settings.database, needs: .writer) { try await body(name, $0) }
            }
        } catch let error as ExportError {
            throw CommandFailure(error.message)
        }
    }
}
