import ArgumentParser
import EventLog
import Foundation
import Postgres
import Schema

extension DevicesCommand {
    /// `notilog devices ledger`: the erased devices, as keyed hashes.
    struct Ledger: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Export the ledger of erased devices, and import it after a restore.",
            discussion: """
                Example:
                  notilog devices ledger export > ledger.ndjson
                """,
            subcommands: [Export.self, Import.self]
        )
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the ledger of erased devices as NDJSON.",
            usage: "notilog devices ledger export [<options>]",
            discussion: """
                It contains no ids: each line is a keyed hash. Keep a copy that is newer than
                any of your dumps.

                Example:
                  notilog devices ledger export --output /backup/notilog-ledger.ndjson
                """
        )
        @OptionGroup var options: SettingsOptions
        @Option(help: "The file to write, completely or not at all; default: standard output.")
        var output: String?

        func run() async throws {
            let database = try await options.settings().database
            let text: String
            do {
                text = try await Erasure(database).exportLedger().map { $0 + "\n" }.joined()
            } catch {
                throw Database.explained(error, needs: [.writer])
            }
            guard let output else { return Console.print(bytes: Array(text.utf8)) }
            do {
                try Data(text.utf8).write(to: URL(fileURLWithPath: output), options: .atomic)
            } catch {
                throw CommandFailure(
                    "the file \(output) cannot be written: check that its folder exists and has free space"
                )
            }
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import a ledger, and erase each of its devices that the database holds.",
            usage: "notilog devices ledger import [<options>] <file>",
            discussion: """
                For a database restored from a dump that is older than some erasures: run it
                before the service starts.

                Example:
                  notilog devices ledger import /backup/notilog-ledger.ndjson
                """
        )
        @OptionGroup var options: SettingsOptions
        @Argument(help: "A file of `notilog devices ledger export`.")
        var file: String
        @Flag(name: .customLong("json"), help: "Write the result as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            struct LeftOut: Encodable {
                var app: String
                var entries: Int64
                var reason: String
            }
            var added: Int64
            var devices: Int
            var events: Int64
            var leftOut: [LeftOut]
        }

        func run() async throws {
            guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
                throw CommandFailure("the file \(file) cannot be read: use a file of `notilog devices ledger export`")
            }
            // Empty ones count: an error has the number of a line.
            let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
            let database = try await options.settings().database
            let done: Erasure.Import
            do {
                try await Database.withPool(database, limit: 1, needs: .writer, writes: true) { _ in }
                done = try await Erasure(database).importLedger(lines)
            } catch let error as PostgresError where error.sqlState == SQLState.invalidParameterValue {
                throw CommandFailure("\(file): \(error.message)")
            } catch let error as PostgresError where error.sqlState == SQLState.objectNotInPrerequisiteState {
                throw CommandFailure(error.message)
            } catch {
                throw Database.explained(error, needs: [.writer])
            }
            if asJSON {
                try JSONOutput.print(
                    Output(
                        added: done.added,
                        devices: done.devices,
                        events: done.events,
                        leftOut: done.leftOut.map {
                            .init(app: $0.app, entries: $0.entries, reason: $0.isHere ? "other_number" : "no_such_app")
                        }
                    )
                )
            } else {
                Console.print(
                    "\(done.added) new entries; erased \(done.devices) devices, \(done.events) events"
                )
            }
            for app in done.leftOut where !app.isHere {
                Console.note(
                    "left out \(app.entries) entries of \(app.app): there is no such app here. If you create it, erase its devices again"
                )
            }
            guard let renumbered = done.leftOut.first(where: \.isHere) else { return }
            throw CommandFailure(
                "left out \(renumbered.entries) entries of \(renumbered.app): the app was made anew since the ledger was exported, and the "
                    + "entries cannot be matched with its devices: erase these by their ids, or import into a restored dump"
            )
        }
    }
}
