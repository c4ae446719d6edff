import ArgumentParser
import EventLog
import Postgres
import Schema

/// `notilog log`: the log's identity.
struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the log's incarnations, or begin a new one.",
        discussion: """
            A log restored from a dump, or on a promoted replica, may lack events that a
            reader has seen. The service notices this and begins a new incarnation; a
            reader whose cursor is beyond the common position gets 410 log_went_back. The
            service cannot notice a restored disk snapshot: after one, run
            `new-incarnation`.

            Example:
              notilog log show
            """,
        subcommands: [Show.self, NewIncarnation.self],
        defaultSubcommand: Show.self
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the settled position and the incarnations of the log.",
            usage: "notilog log show [<options>]",
            discussion: """
                Example:
                  notilog log show --json
                """
        )
        @OptionGroup var options: SettingsOptions
        @Flag(name: .customLong("json"), help: "Write it as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            struct Item: Encodable {
                var incarnation: String
                var beganAt: String
                var position: Position
                var reason: String
            }
            var settled: Position
            var drawn: Position
            var incarnations: [Item]
        }

        func run() async throws {
            try await options.onEachCell(needs: .writer) { try await show($0) }
        }

        private func show(_ settings: Settings) async throws {
            let output = try await Database.withPool(settings.database, needs: .writer) { pool in
                let positions = try await LogPositions.read(pool)
                let all = try await Incarnation.all(pool)
                return Output(
                    settled: positions.settled,
                    drawn: positions.drawn,
                    incarnations: all.map {
                        .init(incarnation: $0.id, beganAt: "\($0.beganAt)", position: $0.position, reason: $0.reason)
                    }
                )
            }
            if asJSON { return try JSONOutput.print(output) }
            Console.print("settled up to position \(output.settled); last position assigned: \(output.drawn)")
            TextTable(
                output.incarnations,
                [
                    "INCARNATION": { $0.incarnation }, "SINCE": { $0.beganAt },
                    "SAME UP TO": { $0.position.description }, "REASON": { $0.reason },
                ]
            ).print()
        }
    }

    struct NewIncarnation: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new-incarnation",
            abstract: "Invalidate later cursors, after a restore that the database cannot detect.",
            usage: "notilog log new-incarnation [<options>]",
            discussion: """
                Example:
                  notilog log new-incarnation --same-up-to 184467
                """
        )
        @OptionGroup var options: SettingsOptions
        @Option(name: .customLong("same-up-to"), help: "The position up to which the log is unchanged.")
        var sameUpTo: Int64 = 0
        @OptionGroup var result: ResultOptions

        func validate() throws {
            guard sameUpTo >= 0 else { throw ValidationError("--same-up-to takes a position of the log, or 0") }
        }

        func run() async throws {
            try await Database.withPool(try await options.settings().database, needs: .owner, writes: true) { pool in
                guard try await Incarnation.begin(sameUpTo: Position(rawValue: sameUpTo), pool) else {
                    throw CommandFailure(
                        "the log has no position \(sameUpTo): name the one up to which it is unchanged; `notilog log show` says its last"
                    )
                }
            }
            try result.print(
                "the log has a new incarnation: earlier cursors are valid up to position \(sameUpTo)",
                ["same_up_to": sameUpTo]
            )
        }
    }
}
