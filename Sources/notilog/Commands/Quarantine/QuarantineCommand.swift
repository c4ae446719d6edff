import Administration
import ArgumentParser
import EventLog
import NotificationEvents
import Postgres

/// `notilog quarantine`: rejected items, and why they were rejected.
struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "Show rejected items, and replay them after a fix.",
        discussion: """
            Example:
              notilog quarantine list --app shop
            """,
        subcommands: [List.self, Show.self, Replay.self]
    )

    /// The options that select items.
    struct Selection: ParsableArguments {
        @Option(help: "Only items of this app.")
        var app: String?
        @Option(help: "Only items rejected with this code, such as invalid_value.")
        var code: String?
        @Option(help: "Only items with this kind of event.")
        var kind: String?
        @Option(help: "Only items received at or after this RFC 3339 time.")
        var since: String?

        func filter(ids: [Int64]? = nil, onlyPending: Bool) throws -> QuarantineFilter {
            var filter = QuarantineFilter(app: app, code: code, kind: kind, ids: ids, onlyPending: onlyPending)
            if let since {
                guard let time = Timestamp.parse(since) else {
                    throw ValidationError("--since takes an RFC 3339 time, such as 2026-03-01T00:00:00Z")
                }
                filter.since = time.timestamp
            }
            return filter
        }

        /// Says if no item has the code: it may be mistyped.
        ///
        /// - Throws: `AdministrationError` if there is no such app: nothing would be selected, as if nothing were rejected.
        func check(_ pool: Pool) async throws {
            if let app { _ = try await Administration(pool).app(app) }
            guard let code else { return }
            let codes = try await Quarantine(pool: pool).codes()
            guard !codes.contains(code) else { return }
            let others = codes.isEmpty ? "it is empty" : "its codes are \(codes.joined(separator: ", "))"
            Console.note("no item in quarantine has the code \(code): \(others)")
        }

        /// The options as they were given, for the shell.
        var given: [String] {
            [("--app", app), ("--code", code), ("--kind", kind), ("--since", since)]
                .compactMap { option, value in value.map { "\(option) \($0.shellWord)" } }
        }

        var isEmpty: Bool { app == nil && code == nil && kind == nil && since == nil }
    }

    /// An item as `--json` writes it.
    struct Output: Encodable {
        var id: Int64
        var app: String?
        var key: String
        var receivedAt: String
        var sentAt: String?
        var code: String
        var pointer: String
        var message: String
        var length: Int32
        var kind: String?
        var replayedAt: String?

        init(_ record: QuarantineRecord) {
            id = record.id
            app = record.appName
            key = record.keyID
            receivedAt = record.receivedAt.description
            sentAt = record.sentAt?.description
            code = record.code
            pointer = record.pointer
            message = record.message
            length = record.length
            kind = record.kind.isEmpty ? nil : record.kind
            replayedAt = record.replayedAt?.description
        }
    }
}
