import Administration
import ArgumentParser
import Decoding
import EventLog
import Ingestion
import Logging
import NotificationEvents
import Pacing
import Postgres
import Schema

extension QuarantineCommand {
    /// `notilog quarantine replay`.
    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Process items again, with the times of their first request.",
            usage: "notilog quarantine replay [<options>] [<ids> ...]",
            discussion: """
                Items that are valid now are stored and marked. Others stay, with the new
                error. Running it twice does no harm: a stored item is a duplicate.

                Examples:
                  notilog quarantine replay 17 18
                  notilog quarantine replay --app shop --code invalid_value
                  notilog quarantine replay --app shop --code scope --scope provider
                """
        )
        @OptionGroup var options: SettingsOptions
        @Argument(help: "Ids of items; default: all items that the options select and that are not replayed.")
        var ids: [Int64] = []
        @OptionGroup var selection: Selection
        @Option(help: "Process them as if sent with a key of this scope: write, provider or admin.")
        var scope: SendingScope?
        @Flag(name: .customLong("all"), help: "Every item that is not replayed yet.")
        var replaysAll = false
        @Flag(name: .customLong("json"), help: "Write the result as JSON.")
        var asJSON = false

        func validate() throws {
            guard !ids.isEmpty || !selection.isEmpty || replaysAll else {
                throw ValidationError("select items: ids, or --app, --code, --kind, --since, or --all")
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
            let logger = settings.logger("notilog")
            let filter = try selection.filter(ids: ids.isEmpty ? nil : ids, onlyPending: ids.isEmpty)
            let summary = try await Database.withPool(settings.database, needs: .writer, writes: true) { pool in
                try await selection.check(pool)
                try await checkIDs(pool)
                let cells = try await Cells.read(pool)
                let log = CellLog(
                    cells,
                    logs: cells.all.map {
                        EventLog($0.database, options: .init(writers: 1), signal: LogSignal(), logger: logger)
                    }
                )
                let writing = Task { await log.run() }
                return try await deferring({
                    writing.cancel()
                    await writing.value
                }) {
                    let replay = QuarantineReplay(
                        pool,
                        quarantine: Quarantine(pool: pool),
                        limits: DecodingLimits(settings.reader),
                        ids: IDHashing(settings.reader)
                    )
                    return try await replay.run(filter, as: scope?.scope, into: log) { seen in
                        if seen >= 5_000 { Console.note("\(seen) items processed") }
                    }
                }
            }
            try show(summary)
        }

        /// - Throws: ``CommandFailure`` if there is no item of an id.
        private func checkIDs(_ pool: Pool) async throws {
            guard !ids.isEmpty else { return }
            let found = try await Quarantine(pool: pool).items(QuarantineFilter(ids: ids), limit: ids.count)
            let missing = Set(ids).subtracting(found.map(\.id)).sorted()
            guard !missing.isEmpty else { return }
            let named = missing.prefix(5).map(String.init).joined(separator: ", ") + (missing.count > 5 ? ", …" : "")
            throw CommandFailure(
                "there is no item \(named) in quarantine, and nothing was replayed: see `notilog quarantine list --all`"
            )
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
            Console.print("stored \(summary.stored), duplicates \(summary.duplicate)")
            for (code, count) in summary.rejected.sorted(by: { $0.key < $1.key }) {
                Console.print("still rejected, \(code): \(count)")
            }
            if summary.unreadable > 0 {
                Console.print("not kept, so cannot be replayed: \(summary.unreadable)")
            }
        }
    }
}

/// A scope of keys that send events, as the command line takes it.
enum SendingScope: String, ExpressibleByArgument, CaseIterable {
    case write, provider, admin

    var scope: Scope {
        switch self {
        case .write: .write
        case .provider: .provider
        case .admin: .admin
        }
    }
}
