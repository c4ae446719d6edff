import ArgumentParser
import NotificationEvents

/// `notilog events`: the kinds of events, from the vocabulary itself.
struct EventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Show the kinds of events with their fields, as Markdown.",
        discussion: """
            docs/events.md has the output for all kinds.

            Example:
              notilog events action_response
            """
    )

    @Argument(help: "A kind of event; default: all kinds.")
    var kind: String?

    func run() throws {
        guard let kind else { return Console.print(EventReference.everything) }
        guard let known = EventKind.named(kind) else {
            let names = EventKind.all.map(\.name).joined(separator: ", ")
            throw CommandFailure("there is no kind \(kind): choose one of \(names)")
        }
        Console.print(EventReference.section(known).joined(separator: "\n"))
    }
}
