import Administration
import ArgumentParser
import EventLog
import NotificationEvents
import Postgres
import Schema

/// `notilog apps`: the apps and their switches.
struct Apps: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create, list and delete apps, set their switches, grant access to readers.",
        discussion: """
            Example:
              notilog apps create shop
            """,
        subcommands: [Create.self, List.self, Set.self, Grant.self, Revoke.self, Readers.self, Delete.self]
    )

    struct Output: Encodable {
        var id: AppID
        var name: String
        var keepReplyText: Bool
        var hashIds: Bool
        var createdAt: String
        var dimensions: [String]

        init(_ app: App) {
            id = app.id
            name = app.name
            keepReplyText = app.keepsReplyText
            hashIds = app.hashesIDs
            createdAt = app.createdAt.description
            dimensions = app.dimensions
        }
    }

    static func show(_ apps: [App], asJSON: Bool) throws {
        try TextTable(
            apps.map(Output.init),
            [
                "NAME": { $0.name }, "KEEP_REPLY_TEXT": { $0.keepReplyText ? "on" : "off" },
                "HASH_IDS": { $0.hashIds ? "on" : "off" }, "DIMENSIONS": { $0.dimensions.joined(separator: ",") },
                "CREATED": { $0.createdAt },
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
            let app = try await store.withPool(needs: .owner, writes: true) { pool in
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
            let apps = try await store.withPool(needs: .writer) { pool in
                try await Administration(pool).apps()
            }
            try show(apps, asJSON: asJSON)
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turn a switch of an app on or off, or name its dimensions.",
            usage: "notilog apps set [<options>] <name> <setting> <value> ...",
            discussion: """
                Switches: keep_reply_text (store the text of replies), hash_ids (store only
                keyed hashes of ids; needs NOTILOG_ID_HASH_SECRET).

                dimensions names up to four keys of attributes, by which reports group and
                filter notifications as attribute.KEY: of events from now on, and of all
                after `notilog projections rebuild notification`. Spaces or commas separate
                them.

                Examples:
                  notilog apps set shop keep_reply_text on
                  notilog apps set shop dimensions order_type tier
                """
        )
        @OptionGroup var store: StoreOptions
        @Argument(help: "The app's name.")
        var name: String
        @Argument(help: "keep_reply_text, hash_ids or dimensions.")
        var setting: AppSetting
        @Argument(
            help: ArgumentHelp(
                "on or off; for dimensions: keys, separated by spaces or commas, or none.",
                valueName: "value"
            )
        )
        var values: [String]
        @Flag(name: .customLong("json"), help: "Write the app as JSON.")
        var asJSON = false

        func run() async throws {
            let change = try change()
            let app = try await store.withPool(needs: .owner, writes: true) { pool in
                let administration = Administration(pool)
                switch change {
                case .turn(let appSwitch, let value): return try await administration.set(name, appSwitch, value)
                case .name(let keys): return try await named(keys, administration)
                }
            }
            switch change {
            case .turn(.hashIDs, true):
                Console.note(
                    "this applies to new events only: stored events keep their ids, and devices erased earlier can send again"
                )
                if !IDHashing(try await store.options.settings().reader).isAvailable {
                    Console.note(
                        "NOTILOG_ID_HASH_SECRET is not set here: a service without it refuses the app's events (503 id_hash_secret)"
                    )
                }
            case .turn(.hashIDs, false):
                Console.note(
                    "this applies to new events only: stored events keep their hashes, and devices erased earlier can send again. Keep NOTILOG_ID_HASH_SECRET set: an erasure needs it to find the hashed events"
                )
            default: break
            }
            try show([app], asJSON: asJSON)
        }

        private enum Change {
            case turn(AppSwitch, Bool)
            case name([String])
        }

        private func change() throws -> Change {
            if let appSwitch = setting.appSwitch {
                guard values.count == 1, let value = OnOff(rawValue: values[0]) else {
                    throw ValidationError("\(setting.rawValue) takes on or off")
                }
                return .turn(appSwitch, value == .on)
            }
            // With commas too, as `notilog apps list` shows them.
            let named = values.flatMap { $0.split(separator: ",").map(String.init) }
            let keys = named == ["none"] ? [] : named
            guard App.areDimensions(keys) else { throw ValidationError(App.dimensionRule) }
            return .name(keys)
        }

        private func named(_ keys: [String], _ administration: Administration) async throws -> App {
            do {
                try await administration.nameDimensions(app: try await administration.app(name).id, keys)
            } catch let error as PostgresError where error.sqlState == SQLState.lockNotAvailable {
                throw AdministrationError("long batches of projections are under way: try again in a minute")
            }
            return try await administration.app(name)
        }
    }
}

/// The two positions of a switch.
enum OnOff: String, ExpressibleByArgument, CaseIterable {
    case on, off
}

/// What is set of an app, as the command line takes it.
enum AppSetting: String, ExpressibleByArgument, CaseIterable {
    case keepReplyText = "keep_reply_text"
    case hashIDs = "hash_ids"
    case dimensions

    /// Nil for what is no switch.
    var appSwitch: AppSwitch? {
        switch self {
        case .keepReplyText: .keepReplyText
        case .hashIDs: .hashIDs
        case .dimensions: nil
        }
    }
}
