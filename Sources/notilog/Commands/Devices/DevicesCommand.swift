import Administration
import ArgumentParser
import EventLog
import Foundation
import Reports
import Schema

/// `notilog devices`: one installation of an app.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Show a device, or erase it.",
        discussion: """
            Example:
              notilog devices show 9f3c2a --app shop
            """,
        subcommands: [Show.self, Erase.self, Ledger.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a device's settings, tokens and reachability, as JSON.",
            usage: "notilog devices show [<options>] <id>",
            discussion: """
                Example:
                  notilog devices show --app shop 5b1c9a52
                """
        )
        @OptionGroup var options: SettingsOptions
        @Option(help: "The app that the device belongs to; required if there are several.")
        var app: String?
        @Argument(help: "The device's id, as its events carry it.")
        var id: String
        @Flag(name: .customLong("json"), help: "Write it on one line.")
        var asJSON = false

        func run() async throws {
            let settings = try await options.settings()
            let json = try await Database.withPool(settings.database, needs: .writer) { pool in
                let app = try await ChosenApp.find(app, pool).name
                guard let json = try await Devices(pool, ids: IDHashing(settings.reader)).show(id, app: app) else {
                    throw CommandFailure("app \(app) has no event of this device: check the id")
                }
                return json
            }
            if asJSON { return Console.print(String(decoding: json, as: UTF8.self)) }
            let value = try JSONSerialization.jsonObject(with: Data(json))
            let pretty = try JSONSerialization.data(
                withJSONObject: value,
                options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            )
            Console.print(TerminalText.clean(String(decoding: pretty, as: UTF8.self), keepsLines: true))
        }
    }

    struct Erase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Erase a device for good: its ids, tokens and personal data. Counts stay.",
            usage: "notilog devices erase [<options>] --app <app> <id>",
            discussion: """
                Replaces its id, token digests and notification ids with surrogates, and
                rejects its later events. It cannot be undone. Keep the ledger (notilog devices
                ledger export) with your dumps: after a restore it erases the device again. The
                later events of an unknown device are rejected too; because its id may be
                mistyped, the command says so and exits with 1.

                Example:
                  notilog devices erase --app shop 5b1c9a52
                """
        )
        @OptionGroup var options: SettingsOptions
        @Option(help: "The app that the device belongs to.")
        var app: String
        @Argument(help: "The device's id, as its events carry it.")
        var id: String
        @Flag(name: .customLong("json"), help: "Write the result as JSON.")
        var asJSON = false

        func validate() throws {
            guard !id.isEmpty else { throw ValidationError("<id> is empty: give the device's id") }
        }

        private struct Output: Encodable {
            var position: Position
            var events: Int64
            var isKnown: Bool
        }

        func run() async throws {
            let settings = try await options.settings()
            let (report, found) = try await Database.withPool(settings.database, needs: .writer, writes: true) { pool in
                try await Devices(pool, ids: IDHashing(settings.reader)).erase(id, app: app)
            }
            let isKnown = if case .nothing = found { false } else { true }
            if asJSON {
                try JSONOutput.print(Output(position: report.position, events: report.events, isKnown: isKnown))
            } else if case .device = found {
                Console.print("erased: \(report.events) events changed, recorded at position \(report.position)")
            } else if isKnown {
                Console.print("erased before, recorded at position \(report.position): nothing was left to change")
            }
            guard isKnown else {
                throw CommandFailure(
                    "nothing was erased, because app \(app) has no such device: check the id; "
                        + "its later events are rejected, recorded at position \(report.position)"
                )
            }
        }
    }
}
