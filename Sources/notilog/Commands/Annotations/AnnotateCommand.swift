import Administration
import ArgumentParser
import EventLog
import NotificationEvents

/// `notilog annotate`: notes a release or a campaign where charts show it.
struct AnnotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "annotate",
        abstract: "Note a release or another change; charts show it at its time.",
        usage: "notilog annotate [<options>] <label>",
        discussion: """
            The same label at the same time is stored once. A deploy hook can also use
            POST /v1/annotations.

            Example:
              notilog annotate 'release 4.2' --app shop --at 2026-11-01T09:00:00Z
            """
    )
    @OptionGroup var chosen: AppOptions
    @Argument(help: "What is noted: up to 200 bytes, on one line.")
    var label: String
    @Option(help: "The time that it is about, as RFC 3339; default: now.")
    var at: String?
    @Flag(name: .customLong("json"), help: "Write the annotation as JSON.")
    var asJSON = false

    func validate() throws {
        guard Annotation.isLabel(label) else { throw ValidationError(Annotation.labelRule) }
        guard at.map({ Timestamp.parse($0) != nil }) ?? true else {
            throw ValidationError("--at takes an RFC 3339 time such as 2026-11-01T09:00:00Z")
        }
    }

    func run() async throws {
        let time = at.flatMap { Timestamp.parse($0)?.timestamp }
        let (annotation, isNew) = try await chosen.withApp(writes: true) { administration, app in
            do {
                return try await administration.annotate(app: app, at: time, label)
            } catch let error as TooManyAnnotations {
                throw CommandFailure(error.description)
            }
        }
        if asJSON { return try JSONOutput.print(AnnotationsCommand.Output(annotation)) }
        Console.print(
            isNew ? "noted at \(annotation.at) as \(annotation.id)" : "it was noted before, as \(annotation.id)"
        )
    }
}
