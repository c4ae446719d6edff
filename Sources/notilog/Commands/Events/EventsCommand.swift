import ArgumentParser
import NotificationEvents

/// `notilog events`: what may be sent, from the vocabulary itself.
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Show the kinds of events with their fields, as Markdown.",
        discussion: """
            All of it is docs/events.md as well.

            Example:
              notilog events action_response
            """
    )

    @Argument(help: "A kind of event; else all of them.")
    var kind: String?

    func run() async throws {
        guard let kind else { return Console.print(EventReference.everything) }
        guard let known = EventKind.named(kind) else {
            let names = EventKind.all.map(\.name).joined(separator: ", ")
            throw CommandFailure("there is no kind \(kind): choose one of \(names)")
        }
        Console.print(EventReference.section(known).joined(separator: "\n"))
    }
}
