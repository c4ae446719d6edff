import Administration
import ArgumentParser
import EventLog
import NotificationEvents

/// `notilog annotations`: what is noted.
struct AnnotationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "annotations",
        abstract: "List and delete annotations.",
        discussion: """
            Example:
              notilog annotations list --app shop
            """,
        subcommands: [List.self, Delete.self]
    )

    struct Output: Encodable {
        var id: Int64
        var at: String
        var label: String

        init(_ annotation: Annotation) {
            id = annotation.id
            at = annotation.at.description
            label = annotation.label
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the annotations of an app, oldest first.",
            usage: "notilog annotations list [<options>]",
            discussion: """
                Example:
                  notilog annotations list --app shop
                """
        )
        @OptionGroup var chosen: AppOptions
        @Flag(name: .customLong("json"), help: "Write the annotations as JSON.")
        var asJSON = false

        func run() async throws {
            let annotations = try await chosen.withApp { try await $0.annotations(app: $1) }
            try TextTable(
                annotations.map(Output.init),
                ["ID": { String($0.id) }, "AT": { $0.at }, "LABEL": { $0.label }]
            ).print(asJSON: asJSON)
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an annotation.",
            usage: "notilog annotations delete [<options>] <id>",
            discussion: """
                Example:
                  notilog annotations delete 7 --app shop
                """
        )
        @OptionGroup var chosen: AppOptions
        @Argument(help: "The annotation's number, as the list has it.")
        var id: Int64
        @OptionGroup var result: ResultOptions

        func run() async throws {
            let isDeleted = try await chosen.withApp(writes: true) { try await $0.deleteAnnotation(id, app: $1) }
            guard isDeleted else {
                throw CommandFailure("the app has no annotation \(id): see `notilog annotations list`")
            }
            try result.print("deleted \(id)", ["deleted": id])
        }
    }
}
