import ArgumentParser
import EventLog
import Logging
import NotificationEvents
import Service

extension QuarantineCommand {
    /// `notilog quarantine replay`.
    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send items again, with the times at which they were sent and received.",
            usage: "notilog quarantine replay [<options>]",
            discussion: """
                What is in order now is stored and marked; what is not stays, with the error
                that it has now. Twice does no harm: what is stored already is a duplicate.

                Examples:
                  notilog quarantine replay 17 18
                  notilog quarantine replay --app shop --code invalid_value
                  notilog quarantine replay --app shop --code scope --scope provider
                """
        )
        @OptionGroup var options: SettingsOptions
        @Argument(help: "Ids of items; without any, all that the options choose and that are not replayed yet.")
        var ids: [Int64] = []
        @OptionGroup var selection: Selection
        @Option(help: "Take them as if sent with a key of this scope: write, provider or admin.")
        var scope: KeyScope?
        @Flag(name: .customLong("all"), help: "Every item that is not replayed yet.")
        var replaysAll = false
        @Flag(name: .customLong("json"), help: "Write what became of them as JSON.")
        var asJSON = false

        func validate() throws {
            guard !ids.isEmpty || !selection.isEmpty || replaysAll else {
                throw ValidationError("say which: ids, or --app, --code, --kind, --since, or --all")
            }
        }

        private struct Output: Encodable {
            var stored: Int
            var duplicate: Int
            var rejected: [String: Int]
            var unreadable: Int
        }

        func run() async throws {
            let settings = try await options.settings()
            let logger = try settings.logger("notilog")
            let filter = try selection.filter(ids: ids.isEmpty ? nil : ids, onlyPending: ids.isEmpty)
            let summary = try await Database.withPool(settings.database) { pool in
                let log = EventLog(settings.database, options: .init(writers: 1), signal: LogSignal(), logger: logger)
                let writing = Task { try await log.run() }
                let result: Result<QuarantineReplay.Summary, any Error>
                do {
                    let replay = QuarantineReplay(settings.service, pool: pool)
                    result = .success(
                        try await replay.run(filter, as: scope?.scope, into: log) { seen in
                            if seen >= 5_000 { Console.note("\(seen) items so far") }
                        }
                    )
                } catch {
                    result = .failure(error)
                }
                writing.cancel()
                try await writing.value
                return try result.get()
            }
            try show(summary)
        }

        private func show(_ summary: QuarantineReplay.Summary) throws {
            if asJSON {
                return try JSONOutput.print(
                    Output(
                        stored: summary.stored,
                        duplicate: summary.duplicate,
                        rejected: summary.rejected,
                        unreadable: summary.unreadable
                    )
                )
            }
            Console.print("stored \(summary.stored), stored before \(summary.duplicate)")
            for (code, count) in summary.rejected.sorted(by: { $0.key < $1.key }) {
                Console.print("still rejected, \(code): \(count)")
            }
            if summary.unreadable > 0 {
                Console.print("never parsed, so there is nothing to send: \(summary.unreadable)")
            }
        }
    }
}
