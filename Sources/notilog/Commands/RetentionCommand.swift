import ArgumentParser
import EventLog
import NotificationEvents
import Pacing
import Postgres
import Projections
import Schema
import Synchronization

/// `notilog retention`: drops events older than the horizon.
struct RetentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention",
        abstract: "Drop events that are older than the retention horizon.",
        discussion: """
            Example:
              notilog retention run --days 400
            """,
        subcommands: [Run.self]
    )

    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Drop the partitions older than the horizon that every reader has passed.",
            usage: "notilog retention run [<options>]",
            discussion: """
                Whole months by receipt time, once every projection and every cursor of the
                dataset `events` has passed them. Rows and rollups of the projections stay, and
                a rebuild begins from the baseline of the dropped events. The next run resumes
                an interrupted one. Needs a login that is a member of \(Role.projector).

                Example:
                  notilog retention run --dry-run
                """
        )

        @OptionGroup var options: SettingsOptions

        @Option(help: "How many days events are kept; default: limits.retention_days.")
        var days: Int?

        @Flag(name: .customLong("dry-run"), help: "Print what would be dropped and what is held, and change nothing.")
        var isDryRun = false

        @Flag(name: .customLong("json"), help: "Write the partitions as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            var partition: String
            var from: String
            var to: String
            var bytes: Int64
            var state: String
            var heldBy: [String]
            var events: Int64?

            /// The state with the readers that hold it, and its events.
            var fullState: String {
                state + (heldBy.isEmpty ? "" : " by " + heldBy.joined(separator: ", "))
                    + (events.map { ", \($0) events" } ?? "")
            }
        }

        func validate() throws {
            guard days.map({ (1...LogRetention.mostDays).contains($0) }) ?? true else {
                throw ValidationError("--days takes a number from 1 to \(LogRetention.mostDays)")
            }
        }

        func run() async throws {
            let days = days.map(String.init)
            try await options.onEachCell(["limits.retention_days": days], needs: .projector, writes: !isDryRun) {
                try await run($0)
            }
        }

        private func run(_ settings: Settings) async throws {
            var retention = try Retention(
                settings.database,
                folder: try ReleaseFolder.locate(),
                logger: settings.logger("notilog")
            )
            let progress = RetentionProgress()
            retention.onProgress = { progress.show($0, $1, $2) }
            let keeps = LogRetention(settings.reader).duration
            do {
                let horizon = try await retention.horizon(keeping: keeps)
                if isDryRun {
                    try show(try await retention.plan(horizon: horizon), isPlan: true)
                } else {
                    var dropped: [RetentionStep] = []
                    do {
                        try await retention.run(horizon: horizon) { dropped.append($0) }
                    } catch {
                        // What was dropped before is said as well.
                        if !dropped.isEmpty { try show(dropped, isPlan: false) }
                        throw error
                    }
                    try show(dropped, isPlan: false)
                }
            } catch let error as RetentionError {
                throw CommandFailure(error.description)
            } catch {
                throw Database.explained(error, needs: [.projector])
            }
        }

        private func show(_ steps: [RetentionStep], isPlan: Bool) throws {
            guard !steps.isEmpty || asJSON else { return Console.print("nothing is older than the horizon") }
            let all = steps.map { step in
                Output(
                    partition: step.partition,
                    from: step.from.description,
                    to: step.to.description,
                    bytes: step.bytes,
                    state: !isPlan ? "dropped" : step.heldBy.isEmpty ? "would be dropped" : "held",
                    heldBy: step.heldBy,
                    events: step.events
                )
            }
            try TextTable(
                all,
                [
                    "PARTITION": { $0.partition }, "RECEIVED BEFORE": { $0.to }, "MIB": { String($0.bytes >> 20) },
                    "STATE": { $0.fullState },
                ]
            ).print(asJSON: asJSON)
        }
    }
}

/// The progress of each partition.
private final class RetentionProgress: Sendable {
    private let current = Mutex<(partition: String, progress: Progress)?>(nil)

    func show(_ step: RetentionStep, _ done: Int, _ total: Int) {
        current.withLock { current in
            if current?.partition != step.partition {
                current = (step.partition, Progress("drop \(step.partition)", total: total))
            }
            done < total ? current?.progress.show(done) : current?.progress.finish(done)
        }
    }
}
