import Administration
import ArgumentParser
import NotificationEvents
import Schema

/// `notilog keys`: API keys of senders and readers.
struct Keys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create, list and revoke API keys.",
        discussion: """
            Example:
              notilog keys create --app shop --scope read
            """,
        subcommands: [Create.self, List.self, Revoke.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a key; it is shown only once.",
            usage: "notilog keys create [<options>] --app <app> --scope <scope>",
            discussion: """
                Scopes: write (apps), provider (senders of pushes), read (reports, devices),
                admin (everything).

                Example:
                  notilog keys create --app shop --scope write --label "iOS app"
                """
        )
        @OptionGroup var store: StoreOptions
        @Option(help: "The app that the key belongs to.")
        var app: String
        @Option(help: "write, provider, read or admin.")
        var scope: KeyScope
        @Option(help: "A description of the key's use.")
        var label: String?
        @Flag(name: .customLong("json"), help: "Write the key as JSON.")
        var asJSON = false

        func validate() throws {
            guard label.map({ $0.utf8.count <= 200 }) ?? true else {
                throw ValidationError("--label takes 200 bytes at most")
            }
        }

        private struct Output: Encodable {
            var id: String
            var key: String
            var scope: String
        }

        func run() async throws {
            let key = try await store.withPool(needs: .owner, writes: true) { pool in
                try await Administration(pool).createKey(app: app, scope: scope.scope, label: label)
            }
            if asJSON { return try JSONOutput.print(Output(id: key.id, key: key.text, scope: scope.rawValue)) }
            // The key alone, for scripts.
            Console.print(key.text)
            Console.note("keep it now: only its hash is stored (its id is \(key.id))")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List keys by their ids.",
            usage: "notilog keys list [<options>]",
            discussion: """
                Example:
                  notilog keys list --app shop
                """
        )
        @OptionGroup var store: StoreOptions
        @Option(help: "Only this app's.")
        var app: String?
        @Flag(name: .customLong("json"), help: "Write the keys as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            var id: String
            var app: String
            var scope: String
            var label: String?
            var createdAt: String
            var revokedAt: String?
        }

        func run() async throws {
            let keys = try await store.withPool(needs: .writer) { pool in
                try await Administration(pool).keys(app: app)
            }
            let all = keys.map {
                Output(
                    id: $0.id,
                    app: $0.app,
                    scope: $0.scope,
                    label: $0.label,
                    createdAt: $0.createdAt.description,
                    revokedAt: $0.revokedAt?.description
                )
            }
            try TextTable(
                all,
                [
                    "ID": { $0.id }, "APP": { $0.app }, "SCOPE": { $0.scope }, "LABEL": { $0.label ?? "" },
                    "CREATED": { $0.createdAt }, "REVOKED": { $0.revokedAt ?? "" },
                ]
            ).print(asJSON: asJSON)
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a key, at once and for good.",
            usage: "notilog keys revoke [<options>] <key>",
            discussion: """
                Example:
                  notilog keys revoke k3v0x2m9q1ab
                """
        )
        @OptionGroup var store: StoreOptions
        @Argument(help: "The key's id, or the key.")
        var key: String
        @OptionGroup var result: ResultOptions

        func run() async throws {
            let id = try await store.withPool(needs: .owner, writes: true) { pool in
                try await Administration(pool).revokeKey(key)
            }
            try result.print("revoked \(id)", ["revoked": id])
        }
    }
}

/// A scope as the command line takes it.
enum KeyScope: String, ExpressibleByArgument, CaseIterable {
    case write, provider, read, admin

    var scope: Scope {
        switch self {
        case .write: .write
        case .provider: .provider
        case .read: .read
        case .admin: .admin
        }
    }
}
