import Administration
import ArgumentParser
import EventLog

/// `notilog why`: what became of one notification.
struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Show what became of a notification and why, link by link.",
        usage: "notilog why [<options>] <device> <id>",
        discussion: """
            Each link is yes, no, unknown or not applicable, with its reason. Silence is
            unknown: iOS does not report everything.

            Example:
              notilog why --app shop 5b1c9a52 spring-sale-1
            """
    )
    @OptionGroup var options: SettingsOptions
    @Option(help: "The app; required if there are several.")
    var app: String?
    @Argument(help: "The device's id, as its events carry it.")
    var device: String
    @Argument(help: "The notification_id, else the request_identifier.")
    var id: String
    @Flag(name: .customLong("json"), help: "Write it as JSON.")
    var asJSON = false

    func run() async throws {
        let settings = try await options.settings()
        let verdict = try await Database.withPool(settings.database) { pool in
            let app = try await ChosenApp.find(app, pool).name
            guard let verdict = try await Devices(pool, ids: IDHashing(settings.reader)).verdict(device, id, app: app)
            else { throw CommandFailure("app \(app) has no event of this notification: check the ids") }
            return verdict
        }
        if asJSON {
            return Console.print(String(decoding: verdict.json(deviceID: device, notificationID: id), as: UTF8.self))
        }
        TextTable(
            verdict.links,
            ["LINK": { $0.name }, "VERDICT": { $0.verdict }, "AT": { $0.time ?? "" }, "WHY": { $0.sentence }]
        ).print()
        if let outcome = verdict.outcome { Console.print("outcome: \(outcome)") }
    }
}
