import ArgumentParser
import EventLog
import NotificationEvents

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
        var limit = 1000
        @Option(help: "Only those after this id, for the next page.")
        var after: Int64 = 0
        @Flag(name: .customLong("json"), help: "Write the list as JSON.")
        var asJSON = false

        func run() async throws {
            let filter = try selection.filter(onlyPending: !listsAll)
            let records = try await Database.withPool(try await options.settings().database) { pool in
                try await Quarantine(pool: pool).items(filter, after: after, limit: max(1, limit))
            }
            if asJSON { return try JSONOutput.print(records.map(Output.init)) }
            var table = TextTable(header: ["ID", "APP", "RECEIVED", "KIND", "CODE", "POINTER", "MESSAGE"])
            for record in records {
                table.rows.append([
                    String(record.id), record.appName ?? "-", record.receivedAt.description,
                    record.kind.isEmpty ? "-" : record.kind, record.code, record.pointer, record.message,
                ])
            }
            for line in table.lines { Console.print(line) }
            if records.count == limit, let last = records.last {
                Console.note("there may be more: notilog quarantine list --after \(last.id)")
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
            let records = try await Database.withPool(try await options.settings().database) { pool in
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
                ("item", record.item ?? "it is not valid JSON: only its length and digest are kept"),
            ]
            for (name, value) in lines {
                Console.print(name + String(repeating: " ", count: 13 - name.count) + value)
            }
        }
    }
}
