import Administration
import ArgumentParser
import NotificationEvents
import Schema

extension Apps {
    /// `notilog apps grant`
    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let a database role read an app in SQL.",
            usage: "notilog apps grant [<options>] <app> --to <to>",
            discussion: """
                Makes an existing role a member of \(Role.reader). It may then call the report
                functions and read projections and events from psql or a BI tool; row security
                restricts it to its apps.

                Example:
                  psql -c "CREATE ROLE analyst LOGIN PASSWORD '…'"
                  notilog apps grant shop --to analyst
                  psql -U analyst -c "SELECT * FROM report.engagement(app => 'shop')"
                """
        )
        @OptionGroup var store: StoreOptions
        @Argument(help: "The app's name.")
        var app: String
        @Option(name: .customLong("to"), help: "The database role.")
        var role: String
        @OptionGroup var result: ResultOptions

        private struct Output: Encodable {
            var app: String
            var role: String
            var isNew: Bool
        }

        func run() async throws {
            let isNew = try await store.withPool(needs: .owner, writes: true) { pool in
                try await Administration(pool).grantReader(role, app: app)
            }
            try result.print(
                isNew ? "\(role) may read \(app)" : "\(role) could read \(app) before",
                Output(app: app, role: role, isNew: isNew)
            )
        }
    }

    /// `notilog apps revoke`
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a database role's access to an app.",
            usage: "notilog apps revoke [<options>] <app> --from <from>",
            discussion: """
                Takes effect at once, also in open sessions.

                Example:
                  notilog apps revoke shop --from analyst
                """
        )
        @OptionGroup var store: StoreOptions
        @Argument(help: "The app's name.")
        var app: String
        @Option(name: .customLong("from"), help: "The database role.")
        var role: String
        @OptionGroup var result: ResultOptions

        func run() async throws {
            try await store.withPool(needs: .owner, writes: true) { pool in
                try await Administration(pool).revokeReader(role, app: app)
            }
            try result.print("\(role) may no longer read \(app)", ["app": app, "role": role])
        }
    }

    /// `notilog apps readers`
    struct Readers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the database roles that may read an app in SQL.",
            usage: "notilog apps readers [<options>]",
            discussion: """
                Example:
                  notilog apps readers --json
                """
        )
        @OptionGroup var store: StoreOptions
        @Flag(name: .customLong("json"), help: "Write them as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            var role: String
            var app: String
            var grantedAt: String
            var exists: Bool
        }

        func run() async throws {
            let readers = try await store.withPool(needs: .writer) { pool in
                try await Administration(pool).readers()
            }
            let all = readers.map {
                Output(role: $0.role, app: $0.app, grantedAt: $0.grantedAt.description, exists: $0.exists)
            }
            try TextTable(
                all,
                [
                    "APP": { $0.app }, "ROLE": { $0.role }, "GRANTED": { $0.grantedAt },
                    "EXISTS": { $0.exists ? "yes" : "no" },
                ]
            ).print(asJSON: asJSON)
        }
    }
}
