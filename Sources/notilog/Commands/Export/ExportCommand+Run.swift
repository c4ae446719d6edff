import Administration
import ArgumentParser
import Exports
import Postgres
import UnixSignals

extension ExportCommand {
    /// `notilog export DATASET`.
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Export what is new (the word `run` may be left out).",
            usage: "notilog export [<options>] <dataset> --cursor <cursor> --output <output>",
            discussion: """
                Prints the file's path. A file is whole once its manifest stands beside it. A
                run that was killed is taken up by the next one, under the same name; of two
                runs at once the second says so and leaves with exit code 1, or tries again at
                its next look with --watch.

                Examples:
                  notilog export events --cursor warehouse --output /var/lib/notilog/events \\
                    --gzip
                  notilog export notifications --cursor lake --output ./notifications \\
                    --format csv --app shop
                  notilog export events --cursor tail --output ./tail --watch
                """
        )

        @OptionGroup var options: SettingsOptions

        @Argument(help: "events, notifications, device_settings, device_tokens or engagement.")
        var dataset: String
        @Option(help: "The cursor's name: it remembers how far it is. Made at its first run.")
        var cursor: String
        @Option(help: "The folder that the files go to, the cursor's own.")
        var output: String
        @Option(help: "The app; needed where there are several.")
        var app: String?
        @Option(help: "ndjson or csv.")
        var format = "ndjson"
        @Flag(help: "Compress the files.")
        var gzip = false
        @Flag(help: "Go on with what comes, until told to stop.")
        var watch = false
        @Option(help: "Seconds between two looks, with --watch.")
        var every = 10
        @Flag(
            name: .customLong("accept-incarnation"),
            help: "Go on although the log was restored or promoted since the last run."
        )
        var acceptsIncarnation = false
        @Option(name: .customLong("min-position"), help: "Wait until this position of the log is in the export.")
        var minPosition: Int64?
        @Flag(name: .customLong("json"), help: "Write each file's manifest as a line of JSON instead of its path.")
        var asJSON = false

        func validate() throws {
            guard every > 0 else { throw ValidationError("--every takes a number of seconds from 1 on") }
        }

        func run() async throws {
            do {
                let format = try ExportFormat(name: format)
                try await Database.withPool(try await options.settings().database) { pool in
                    let app = try await ChosenApp.find(app, pool)
                    let request = ExportRequest(
                        dataset: dataset,
                        cursor: cursor,
                        appID: app.id,
                        app: app.name,
                        folder: output,
                        format: format,
                        gzip: gzip,
                        acceptsIncarnation: acceptsIncarnation,
                        minPosition: minPosition
                    )
                    var run = ExportRun(request, pool: pool)
                    let progress = ExportProgress(dataset)
                    run.onProgress = { progress.show($0, $1) }
                    if watch { try await self.watch(run) } else { try await self.once(run) }
                }
            } catch let error as ExportError {
                throw CommandFailure(error.message)
            }
        }

        /// One run; and another, where the first one was an earlier one's, which did not know of this one's position.
        private func once(_ run: ExportRun) async throws {
            let outcome = try await run.run()
            try show(outcome, isQuiet: false)
            if minPosition != nil, case .wrote(_, isResumed: true) = outcome {
                try show(try await run.run(), isQuiet: false)
            }
        }

        /// One run after the other, until SIGINT or SIGTERM, which let the one under way come to its end.
        private func watch(_ run: ExportRun) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
                let pause = Pause()
                group.addTask {
                    for await _ in signals { break }
                    pause.end()
                }
                while !pause.isEnded {
                    do {
                        try show(try await run.run(), isQuiet: true)
                    } catch let error as PostgresError where error.isRetriable {
                        Console.note("the database failed a run, which is tried again: \(error)")
                    } catch let error as ExportError where error.code == .busy {
                        // It may be this one's own last session, which the server has not missed yet.
                        Console.note(error.message)
                    }
                    await pause.wait(.seconds(every))
                }
                group.cancelAll()
            }
        }

        private func show(_ outcome: ExportOutcome, isQuiet: Bool) throws {
            switch outcome {
            case .nothing(let since):
                if !isQuiet { Console.note("nothing new since \(since)") }
            case .wrote(let manifest, let isResumed):
                if asJSON { try JSONOutput.print(line: manifest) } else { Console.print(output + "/" + manifest.file) }
                let note = isResumed ? ", begun by an earlier run" : ""
                Console.note("\(manifest.rows) rows, \(manifest.after + 1) to \(manifest.upTo)\(note)")
            }
        }
    }
}
