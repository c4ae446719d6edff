import Administration
import ArgumentParser
import EventLog
import NotificationEvents
import Reports
import Schema

/// `notilog why`: what became of one notification.
struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Show what became of a notification and why, link by link.",
        usage: "notilog why [<options>] <device> <id>",
        discussion: """
            The first line is the outcome: the first link that says no, else the last that
            says yes. Each link is yes, no, unknown or not applicable, with its reason and
            its evidence: positions of events, and periods of settings or of a token.
            Silence is unknown: iOS does not report everything.

            Example:
              notilog why --app shop 5b1c9a52 spring-sale-1
            """
    )
    @OptionGroup var chosen: AppOptions
    @Option(help: "The firing of a repeating request, an RFC 3339 time; default: the newest.")
    var occurrence: String?
    @Argument(help: "The device's id, as its events carry it.")
    var device: String
    @Argument(help: "The notification_id, else the request_identifier.")
    var id: String
    @Flag(name: .customLong("json"), help: "Write it as JSON.")
    var asJSON = false

    func validate() throws {
        guard occurrence.map({ Timestamp.parse($0) != nil }) ?? true else {
            throw ValidationError("--occurrence takes an RFC 3339 time such as 2026-11-01T09:00:00Z")
        }
    }

    func run() async throws {
        let ids = IDHashing(try await chosen.store.options.settings().reader)
        let firing = occurrence.flatMap { Timestamp.parse($0)?.timestamp }
        let verdict = try await chosen.withPool(needs: .writer) { pool, app in
            let devices = Devices(pool, ids: ids)
            guard let verdict = try await devices.verdict(device, id, occurrence: firing, app: app.name) else {
                throw CommandFailure(
                    firing == nil
                        ? "app \(app.name) has no event of this notification: check the ids"
                        : "app \(app.name) has no firing of this notification at that time: its events list the `occurrence` values"
                )
            }
            return verdict
        }
        if !verdict.notApplied.isEmpty {
            let positions = verdict.notApplied.map { String($0.rawValue) }.joined(separator: ", ")
            Console.note(
                "not all of its events are in this yet: the projections have not applied the events at \(positions); "
                    + "see 'notilog projections list'"
            )
        }
        if asJSON {
            return Console.print(String(decoding: verdict.json(deviceID: device, notificationID: id), as: UTF8.self))
        }
        let outcome = verdict.decisive.map { "\($0.sentence) (\($0.name)_\($0.verdict))" }
        // A sentence may quote the error that a client sent.
        Console.print(outcome.map { TerminalText.clean($0) } ?? "What became of it is not known.")
        let links = try verdict.links.map { (link: $0, evidence: try $0.evidenceText()) }
        TextTable(
            links,
            [
                "LINK": { $0.link.name }, "VERDICT": { $0.link.verdict }, "AT": { $0.link.at?.description ?? "" },
                "WHY": { $0.link.sentence }, "EVIDENCE": { $0.evidence },
            ]
        ).print()
    }
}
