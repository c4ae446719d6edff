import ArgumentParser
import Postgres
import Projections
import Schema

extension ProjectionsCommand {
    struct Rebuild: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Rebuild a projection beside the version in use, and swap them.",
            usage: "notilog projections rebuild [<options>] <name>",
            discussion: """
                Reports read the old version until the new one has caught up; then one
                transaction swaps both. Projections that share a checkpoint are rebuilt
                together. If the command is stopped, run it again: it continues. With --lanes,
                so many sessions apply the new version side by side; without, as many as now.

                Examples:
                  notilog projections rebuild notification
                  notilog projections rebuild notification --lanes 2
                """
        )
        @OptionGroup var options: SettingsOptions
        @Argument(help: "The projection.")
        var name: String
        @Option(help: "The most events in one transaction.")
        var batch: Int64 = 100_000
        @Option(help: "The number of lanes: 1, 2, 4 or 8.")
        var lanes: Int16?
        @Flag(name: .customLong("json"), help: "Write the result as JSON.")
        var asJSON = false

        func validate() throws {
            guard batch > 0 else { throw ValidationError("--batch takes a number above 0") }
            if let lanes, !ProjectionGroup.laneNumbers.contains(lanes) {
                throw ValidationError("--lanes takes 1, 2, 4 or 8")
            }
        }

        private struct Output: Encodable {
            var projections: [String]
            var position: Int64
            var setAside: [Int64]
            var swapAttempts: Int
        }

        func run() async throws {
            let files = try ProjectionsCommand.files(of: name)
            let settings = try await options.settings()
            let rebuild = ProjectionRebuild(
                settings.database,
                files: files,
                batchLimit: batch,
                lanes: lanes,
                logger: try settings.logger("notilog")
            )
            Console.note("rebuilding \(ProjectionsCommand.named(files.group.members)), which are applied together")
            var bar = BuildProgress("rebuilding")
            let report: ProjectionRebuild.Report
            do {
                report = try await rebuild.run { phase in
                    switch phase {
                    case .resumed(let progress):
                        Console.note("resuming an earlier run at \(progress.percent) %")
                    case .applied(let progress): bar.show(progress)
                    case .waitingForReaders: bar.say("caught up, waiting for earlier reports to end")
                    case .putOff(let attempts):
                        bar.say("caught up, waiting for long reports to end (attempt \(attempts))")
                    }
                }
            } catch {
                bar.finish()
                throw Database.explained(error)
            }
            bar.finish()
            if asJSON {
                return try JSONOutput.print(
                    Output(
                        projections: report.projections,
                        position: report.position,
                        setAside: report.setAside.map(\.position),
                        swapAttempts: report.attemptsPutOff + 1
                    )
                )
            }
            Console.print("rebuilt \(ProjectionsCommand.named(report.projections)) up to position \(report.position)")
            for event in report.setAside { Console.print("set aside \(event.position): \(event.error)") }
            if !report.setAside.isEmpty {
                Console.note("after a fix, `notilog projections retry \(name)` applies the events set aside")
            }
        }
    }
}

/// The progress of a version under construction: a bar on a terminal, else a line now and then.
struct BuildProgress {
    private var progress: Progress?
    private let title: String
    private var begun: Int64 = 0
    private var last = 0
    private var said = ""

    init(_ title: String) {
        self.title = title
    }

    mutating func show(_ now: ProjectionBuildProgress) {
        if progress == nil {
            begun = now.begunAfter
            progress = Progress(title, total: Int(now.target - begun))
        }
        last = Int(now.position - begun)
        progress?.show(last)
    }

    /// Prints a message once.
    mutating func say(_ text: String) {
        guard text != said else { return }
        said = text
        if Console.isTerminal { Console.overwrite(text) } else { Console.note(text) }
    }

    mutating func finish() {
        if progress != nil || !said.isEmpty, Console.isTerminal { Console.note("") }
    }
}
