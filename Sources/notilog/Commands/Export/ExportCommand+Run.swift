import Administration
import ArgumentParser
import EventLog
import Exports
import Pacing
import Postgres
import Reports
import Schema
import UnixSignals

extension ExportCommand {
    /// `notilog export DATASET`.
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Export new rows (the word `run` is optional).",
            usage: "notilog export [<options>] <dataset> --cursor <cursor> --output <output>",
            discussion: """
                Prints the file's path. A file is complete once its manifest exists. If a run
                was killed, the next one resumes it under the same name. If two runs overlap,
                the second says so and exits with 1; with --watch it tries again after the
                interval.

                Examples:
                  notilog export events --cursor warehouse --output /var/lib/notilog/events \\
                    --gzip
                  notilog export notifications --cursor lake --output ./notifications \\
                    --format csv --app shop
                  notilog export events --cursor tail --output ./tail --watch
                """
        )

        @OptionGroup var chosen: AppOptions

        @Argument(help: "events, notifications, device_settings, device_tokens or engagement.")
        var dataset: String
        @Option(help: "The cursor's name. The first run creates it.")
        var cursor: String
        @Option(help: "The folder for the files of this cursor alone, the same for each run.")
        var output: String
        @Option(help: "ndjson or csv.")
        var format = "ndjson"
        @Flag(help: "Compress the files.")
        var gzip = false
        @Flag(help: "Keep running and export new rows until stopped.")
        var watch = false
        @Option(help: "Seconds between two runs, with --watch.")
        var every = 10
        @Flag(
            name: .customLong("accept-incarnation"),
            help: "Continue although the log was restored or promoted since the last run."
        )
        var acceptsIncarnation = false
        @Option(
            name: .customLong("min-position"),
            help: "Wait until this position of the log is in the export; of a cluster several, with commas."
        )
        var minPosition: String?
        @Flag(name: .customLong("json"), help: "Write each file's manifest as a line of JSON instead of its path.")
        var asJSON = false

        func validate() throws {
            guard (1...86_400).contains(every) else {
                throw ValidationError("--every takes a number of seconds from 1 to 86400")
            }
            guard !output.isEmpty else { throw ValidationError("--output takes a folder") }
        }

        func run() async throws {
            do {
                let format = try ExportFormat(name: format)
                let minPositions = try minPosition.map { try ReportParameters.minPositions($0) } ?? []
                try await chosen.withPool(needs: .writer, writes: true) { pool, app in
                    let request = ExportRequest(
                        dataset: dataset,
                        cursor: cursor,
                        appID: app.id,
                        app: app.name,
                        folder: output,
                        format: format,
                        gzip: gzip,
                        acceptsIncarnation: acceptsIncarnation,
                        minPositions: minPositions
                    )
                    let cells = try await Cells.read(pool)
                    if !cells.isAlone,
                        let unknown = minPositions.first(where: { position in
                            !cells.all.contains { $0.number == position.cell }
                        })
                    {
                        throw ValidationError(LogProgress.unassigned(unknown))
                    }
                    let runs = ExportRuns(request, in: cells, pool, ExportProgress(dataset))
                    if watch { return try await watch(runs) }
                    try await deferring({ await runs.shutDown() }) { try await once(runs) }
                }
            } catch let error as ExportError {
                throw error.ofCommand
            } catch let error as ReportError {
                throw error.ofCommand
            }
        }

        /// One run in each database.
        private func once(_ runs: ExportRuns) async throws {
            guard runs.all.count > 1 else { return try await once(runs.all[0]) }
            // The rows of other cells do not wait for one that is down, or that cannot be exported.
            var failures: [String] = []
            for run in runs.all {
                do {
                    try await once(run)
                } catch let error where Self.isOfOneCell(error) {
                    failures.append("\(run.request.folder): \(error)")
                }
            }
            guard failures.isEmpty else {
                throw CommandFailure(
                    "not all cells were exported: run the command again, which goes on where each ended: "
                        + failures.joined(separator: "; ")
                )
            }
        }

        /// One run; a second one, if the first resumed an earlier run with another range.
        private func once(_ run: ExportRun) async throws {
            let outcome = try await run.run()
            try show(outcome, in: run, isQuiet: false)
            if minPosition != nil, case .wrote(_, isResumed: true) = outcome {
                try show(try await run.run(), in: run, isQuiet: false)
            }
        }

        /// Runs one after the other until SIGINT or SIGTERM; the run under way finishes.
        private func watch(_ first: ExportRuns) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
                let pause = Pause()
                group.addTask {
                    for await _ in signals { break }
                    pause.end()
                }
                var runs = first
                do {
                    while !pause.isEnded {
                        runs = try await runs.current()
                        for run in runs.all where !pause.isEnded {
                            try await watch(run, isAlone: runs.all.count == 1)
                        }
                        await pause.wait(.seconds(every))
                    }
                } catch {
                    await runs.shutDown()
                    throw error
                }
                await runs.shutDown()
                group.cancelAll()
            }
        }

        /// One run of many, and a note if it failed and is to be tried again.
        private func watch(_ run: ExportRun, isAlone: Bool) async throws {
            do {
                try show(try await run.run(), in: run, isQuiet: true)
            } catch let error as PostgresError where error.isRetriable || error.sqlState == SQLState.otherCell {
                // A cell that is closed for a move is open again within seconds, perhaps at another place.
                Console.note("the database failed; the run will be retried: \(error)")
            } catch let error as ExportError where error.code == .busy {
                // It may be this process's previous session, whose end the server has not noticed.
                Console.note(error.message)
            } catch let error where !isAlone && Self.isOfOneCell(error) {
                Console.note("\(run.request.folder): \(error)")
            }
        }

        /// Whether other cells can be exported all the same. A command that was asked wrongly is not gone on with.
        private static func isOfOneCell(_ error: any Error) -> Bool {
            error is PostgresError || (error as? ExportError)?.isOfUsage == false
        }

        private func show(_ outcome: ExportOutcome, in run: ExportRun, isQuiet: Bool) throws {
            switch outcome {
            case .nothing(let since):
                if !isQuiet { Console.note("nothing new since \(since)") }
            case .wrote(let manifest, let isResumed):
                if asJSON {
                    try JSONOutput.print(line: manifest)
                } else {
                    Console.print(run.request.folder + "/" + manifest.file)
                }
                let note = isResumed ? ", begun by an earlier run" : ""
                Console.note("\(manifest.rows) rows, \(manifest.after + 1) to \(manifest.upTo)\(note)")
            }
        }
    }
}
