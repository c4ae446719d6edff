import ArgumentParser
import EventLog
import NotificationEvents
import Reports
import Schema

extension QuarantineCommand {
    /// `notilog quarantine list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the items in quarantine, oldest first, without their content.",
            usage: "notilog quarantine list [<options>]",
            discussion: """
                Example:
                  notilog quarantine list --app shop --code invalid_value \\
                    --since 2026-03-01T00:00:00Z
                """
        )
        @OptionGroup var options: SettingsOptions
        @OptionGroup var selection: Selection
        @Flag(name: .customLong("all"), help: "Include replayed items.")
        var listsAll = false
        @Option(help: "The maximum number of items.")
        var limit = Self.usualLimit
        @Option(help: "Only those after this id, for the next page.")
        var after: Int64 = 0
        @Flag(name: .customLong("json"), help: "Write the list as JSON.")
        var asJSON = false

        private static let usualLimit = 1000

        func validate() throws {
            guard limit >= 1 else { throw ValidationError("--limit must be at least 1") }
        }

        func run() async throws {
            let filter = try selection.filter(onlyPending: !listsAll)
            let records = try await Database.withPool(try await options.settings().database, needs: .writer) { pool in
                try await selection.check(pool)
                return try await Quarantine(pool: pool).items(filter, after: after, limit: limit)
            }
            try TextTable(
                records.map(Output.init),
                [
                    "ID": { String($0.id) }, "APP": { $0.app ?? "-" }, "RECEIVED": { $0.receivedAt },
                    "REPLAYED": { $0.replayedAt ?? "-" }, "KIND": { $0.kind ?? "-" }, "CODE": { $0.code },
                    "POINTER": { $0.pointer }, "MESSAGE": { $0.message },
                ]
            ).print(asJSON: asJSON)
            if !asJSON, records.count == limit, let last = records.last {
                var options = selection.given
                if listsAll { options.append("--all") }
                if limit != Self.usualLimit { options.append("--limit \(limit)") }
                options.append("--after \(last.id)")
                Console.note("there may be more: notilog quarantine list \(options.joined(separator: " "))")
            }
        }
    }

    /// `notilog quarantine show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show one item completely, as redacted.",
            usage: "notilog quarantine show [<options>] <id>",
            discussion: """
                Example:
                  notilog quarantine show 17
                """
        )
        @OptionGroup var options: SettingsOptions
        @Argument(help: "The item's id, as `notilog quarantine list` shows it.")
        var id: Int64
        @Flag(name: .customLong("json"), help: "Write the item alone, as JSON.")
        var asJSON = false

        func run() async throws {
            let records = try await Database.withPool(try await options.settings().database, needs: .writer) { pool in
                try await Quarantine(pool: pool).items(QuarantineFilter(ids: [id]))
            }
            guard let record = records.first else {
                throw CommandFailure("there is no item \(id) in quarantine: see `notilog quarantine list --all`")
            }
            if asJSON { return Console.print(record.item ?? "null") }
            let lines = [
                ("id", String(record.id)), ("app", record.appName ?? "-"), ("key", record.keyID),
                ("scope", record.keyScope ?? "-"), ("received_at", record.receivedAt.description),
                ("sent_at", record.sentAt?.description ?? "-"), ("code", record.code), ("pointer", record.pointer),
                ("message", record.message), ("length", "\(record.length) bytes as sent"),
                ("replayed_at", record.replayedAt?.description ?? "-"),
                (
                    "item",
                    record.item ?? "only its length and digest are kept: docs/quarantine.md says of which items"
                ),
            ]
            for (name, value) in lines {
                let value = TerminalText.clean(value, keepsLines: true)
                Console.print(name + String(repeating: " ", count: 13 - name.count) + value)
            }
        }
    }
}
