import Administration
import ArgumentParser
import EventLog
import NotificationEvents

/// `notilog apps`: the apps and their switches.
struct Apps: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create, list and delete apps, set their switches, grant access to readers.",
        subcommands: [Create.self, List.self, Set.self, Grant.self, Revoke.self, Readers.self, Delete.self]
    )

    struct Output: Encodable {
        var id: AppID
        var name: String
        var keepReplyText: Bool
        var hashIds: Bool
        var createdAt: String

        init(_ app: App) {
            id = app.id
            name = app.name
            keepReplyText = app.keepsReplyText
            hashIds = app.hashesIDs
            createdAt = app.createdAt.description
        }
    }

    static func show(_ apps: [App], asJSON: Bool) throws {
        try TextTable(
            apps.map(Output.init),
            [
                "NAME": { $0.name }, "KEEP_REPLY_TEXT": { $0.keepReplyText ? "on" : "off" },
                "HASH_IDS": { $0.hashIds ? "on" : "off" }, "CREATED": { $0.createdAt },
            ]
        ).print(asJSON: asJSON)
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an app.",
            usage: "notilog apps create [<options>] <name>",
            discussion: """
                Example:
                  notilog apps create shop
                """
        )
        @OptionGroup var store: StoreOptions
        @Argument(help: "The app's name: a-z, 0-9, dot, underscore, hyphen.")
        var name: String
        @Flag(name: .customLong("json"), help: "Write the app as JSON.")
        var asJSON = false

        func run() async throws {
            let app = try await store.withPool { pool in
                try await Administration(pool).createApp(name)
            }
            if asJSON { return try JSONOutput.print(Output(app)) }
            Console.print("created app \(app.name): next run `notilog keys create --app \(app.name) --scope write`")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the apps.",
            usage: "notilog apps list [<options>]",
            discussion: """
                Example:
                  notilog apps list --json
                """
        )
        @OptionGroup var store: StoreOptions
        @Flag(name: .customLong("json"), help: "Write the apps as JSON.")
        var asJSON = false

        func run() async throws {
            let apps = try await store.withPool { pool in
                try await Administration(pool).apps()
            }
            try show(apps, asJSON: asJSON)
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turn a switch of an app on or off.",
            usage: "notilog apps set [<options>] <name> <app-switch> <value>",
            discussion: """
                Switches: keep_reply_text (store the text of replies), hash_ids (store only
                keyed hashes of ids; needs NOTILOG_ID_HASH_SECRET).

                Example:
                  notilog apps set shop keep_reply_text on
                """
        )
        @OptionGroup var store: StoreOptions
        @Argument(help: "The app's name.")
        var name: String
        @Argument(help: "keep_reply_text or hash_ids.")
        var appSwitch: SwitchName
        @Argument(help: "on or off.")
        var value: OnOff
        @Flag(name: .customLong("json"), help: "Write the app as JSON.")
        var asJSON = false

        func run() async throws {
            let app = try await store.withPool { pool in
                try await Administration(pool).set(name, appSwitch.appSwitch, value == .on)
            }
            try show([app], asJSON: asJSON)
        }
    }
}

/// The two positions of a switch.
enum OnOff: String, ExpressibleByArgument, CaseIterable {
    case on, off
}

/// A switch as the command line takes it.
enum SwitchName: String, ExpressibleByArgument, CaseIterable {
    case keepReplyText = "keep_reply_text"
    case hashIDs = "hash_ids"

    var appSwitch: AppSwitch {
        switch self {
        case .keepReplyText: .keepReplyText
        case .hashIDs: .hashIDs
        }
    }
}
