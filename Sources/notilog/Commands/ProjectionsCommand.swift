import ArgumentParser
import NotificationEvents
import Postgres
import Projections

/// `notilog projections`: how far what is computed from the log is.
struct ProjectionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projections",
        abstract: "Show how far the projections are.",
        subcommands: [List.self],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List position, lag and failures of every projection.",
            discussion: """
                Example:
                  notilog projections list --json
                """
        )
        @OptionGroup var options: SettingsOptions
        @Flag(name: .customLong("json"), help: "Write the list as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            var name: String
            var position: Int64
            var lagEvents: Int64
            var lagSeconds: Double
            var paused: Bool
            var failure: String?
            var updatedAt: String
        }

        func run() async throws {
            let catalogue = try ProjectionCatalogue(folder: try SQLFolder.locate())
            let all = try await Database.withPool(try await options.settings().database) { pool in
                try await ProjectionCheckpoints(catalogue: catalogue, pool: pool).status()
            }
            if asJSON {
                return try JSONOutput.print(
                    all.map {
                        Output(
                            name: $0.name,
                            position: $0.position,
                            lagEvents: $0.lagEvents,
                            lagSeconds: $0.lagSeconds,
                            paused: $0.isPaused,
                            failure: $0.failure,
                            updatedAt: Timestamp(microseconds: $0.updatedAt).description
                        )
                    }
                )
            }
            var table = TextTable(header: ["PROJECTION", "POSITION", "LAG", "SECONDS", "STATE", "UPDATED"])
            for status in all {
                let state = status.failure.map { "failed: \($0)" } ?? (status.isPaused ? "paused" : "live")
                table.rows.append([
                    status.name, String(status.position), String(status.lagEvents),
                    String((status.lagSeconds * 10).rounded() / 10), state,
                    Timestamp(microseconds: status.updatedAt).description,
                ])
            }
            for line in table.lines { Console.print(line) }
        }
    }
}
