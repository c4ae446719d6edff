import Administration
import ArgumentParser
import Deliveries
import Digests
import NotificationEvents
import Reports
import Schema
import Service

/// `notilog digests`: figures of saved views by mail, and their deliveries.
struct DigestsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "digests",
        abstract: "Manage digests: the figures of a saved view by mail, each day or week.",
        discussion: """
            Example:
              notilog digests list --app shop
            """,
        subcommands: [Add.self, List.self, Remove.self, Send.self, Deliveries.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send the figures of a saved view to an address, each day or week.",
            usage: "notilog digests add [<options>] <view> (--daily | --weekly) --mail <mail>",
            discussion: """
                A digest is due at a time of day in the view's time zone. It reports on the
                last full day, or on the last full week from Monday. `notilog digest` prints
                it. The service sends it through the mail server of the setting mail.host.

                Examples:
                  notilog digests add 'news by week' --weekly --mail team@example.com
                  notilog digests add 'all' --daily --at 07:30 --mail ops@example.com
                """
        )
        @OptionGroup var chosen: AppOptions
        @Argument(help: "The view's name.")
        var view: String
        @Flag(help: "Each day.")
        var daily = false
        @Flag(help: "Each week.")
        var weekly = false
        @Option(help: "The weekday of a weekly digest. (default: monday)")
        var weekday: String?
        @Option(help: "The time of day, HH:MM.")
        var at = "08:00"
        @Option(help: "To whom it is sent: NAME@HOST.")
        var mail: String
        @OptionGroup var result: ResultOptions

        private struct Output: Encodable {
            var added: Int64
            var dueAt: String
        }

        func validate() throws {
            guard daily != weekly else { throw ValidationError("a digest takes either --daily or --weekly") }
            _ = try wanted()
        }

        private func wanted() throws -> WantedDigest {
            do throws(DigestError) {
                let schedule = try DigestSchedule(every: weekly ? "week" : "day", weekday: weekday, at: at)
                return try WantedDigest(view: view, schedule: schedule, mail: mail)
            } catch {
                throw ValidationError(error.description)
            }
        }

        func run() async throws {
            let catalogue = try ReportCatalogue(folder: try ReleaseFolder.locate())
            let wanted = try wanted()
            let digest = try await chosen.withPool(needs: .writer, writes: true) { pool, app in
                do {
                    let store = DigestStore(pool)
                    let id = try await store.add(wanted, app: app.id, catalogue: catalogue)
                    return try await store.digests(app: app.id).first { $0.id == id }
                } catch let error as DigestError {
                    throw CommandFailure(error.description)
                }
            }
            guard let digest else { return }
            try result.print(
                "added digest \(digest.id): it is due at \(digest.dueAt)",
                Output(added: digest.id, dueAt: "\(digest.dueAt)")
            )
            let deliveries = try await chosen.store.options.settings().service.deliveries
            for lack in deliveries.lacks(for: ["mailto:\(mail)"]) { Console.note(lack) }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the digests of an app, by view.",
            usage: "notilog digests list [<options>]",
            discussion: """
                Example:
                  notilog digests list --app shop
                """
        )
        @OptionGroup var chosen: AppOptions
        @Flag(name: .customLong("json"), help: "Write the digests as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            var id: Int64
            var view: String
            var every: String
            var weekday: String?
            var at: String
            var tz: String
            var receiver: String
            var dueAt: String
            var madeAt: String?
            var lastError: String?
        }

        func run() async throws {
            let digests = try await chosen.withPool(needs: .writer) { try await DigestStore($0).digests(app: $1.id) }
            let rows = digests.map { digest in
                Output(
                    id: digest.id,
                    view: digest.question.view,
                    every: digest.schedule.every,
                    weekday: digest.schedule.weekdayName,
                    at: digest.schedule.at,
                    tz: digest.question.tz,
                    receiver: digest.receiver,
                    dueAt: digest.dueAt.description,
                    madeAt: digest.madeAt?.description,
                    lastError: digest.lastError
                )
            }
            try TextTable(
                rows,
                [
                    "ID": { String($0.id) }, "VIEW": { $0.view },
                    "EACH": { "\($0.weekday ?? $0.every) at \($0.at) \($0.tz)" }, "TO": { $0.receiver },
                    "DUE": { $0.dueAt }, "ERROR": { $0.lastError ?? "" },
                ]
            ).print(asJSON: asJSON)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a digest.",
            usage: "notilog digests remove [<options>] <id>",
            discussion: """
                What is not delivered yet will not be.

                Example:
                  notilog digests remove 3 --app shop
                """
        )
        @OptionGroup var chosen: ChosenDigest
        @OptionGroup var result: ResultOptions

        func run() async throws {
            try await chosen.change { try await $0.remove($1, app: $2) }
            try result.print("removed", ["removed": chosen.id])
        }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a digest now.",
            usage: "notilog digests send [<options>] <id>",
            discussion: """
                A service makes and sends it within seconds, at most once a minute. The
                schedule does not change.

                Example:
                  notilog digests send 3 --app shop
                """
        )
        @OptionGroup var chosen: ChosenDigest
        @OptionGroup var result: ResultOptions

        func run() async throws {
            try await chosen.change { try await $0.send($1, app: $2) }
            try result.print("due now", ["due": chosen.id])
        }
    }

    struct Deliveries: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List what was delivered or is to be, the newest first.",
            usage: "notilog digests deliveries [<options>]",
            discussion: """
                Example:
                  notilog digests deliveries --app shop
                """
        )
        @OptionGroup var list: DeliveryList

        func run() async throws {
            try await list.print(.digests, source: "VIEW")
        }
    }
}
