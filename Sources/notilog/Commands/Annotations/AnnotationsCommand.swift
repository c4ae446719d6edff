import Administration
import ArgumentParser
import EventLog
import NotificationEvents

/// `notilog annotations`: what is noted.
struct AnnotationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "annotations",
        abstract: "List and delete annotations.",
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
        @OptionGroup var store: StoreOptions
        @Option(help: "The app; required if there are several.")
        var app: String?
        @Flag(name: .customLong("json"), help: "Write the annotations as JSON.")
        var asJSON = false

        func run() async throws {
            let annotations = try await store.withPool { pool in
                try await Administration(pool).annotations(app: try await ChosenApp.find(app, pool).id)
            }
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
        @OptionGroup var store: StoreOptions
        @Argument(help: "The annotation's number, as the list has it.")
        var id: Int64
        @Option(help: "The app; required if there are several.")
        var app: String?

        func run() async throws {
            let isDeleted = try await store.withPool { pool in
                try await Administration(pool).deleteAnnotation(id, app: try await ChosenApp.find(app, pool).id)
            }
            guard isDeleted else {
                throw CommandFailure("the app has no annotation \(id): see `notilog annotations list`")
            }
            Console.print("deleted \(id)")
        }
    }
}
