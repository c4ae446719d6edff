import ArgumentParser
import Pacing
import Postgres
import Projections
import Schema

extension ProjectionsCommand {
    struct Rebuild: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Rebuild projections beside the versions in use, and swap them.",
            usage: "notilog projections rebuild [<options>] [<names> ...]",
            discussion: """
                Reports read the old version until the new one has caught up; then one
                transaction swaps both. Projections that share a checkpoint are a group, and
                are rebuilt together. If the command is stopped, run it again: it continues.
                With --lanes, so many sessions apply the new version side by side; without, as
                many as now. With --at-once, so many groups are rebuilt side by side.

                Examples:
                  notilog projections rebuild notification
                  notilog projections rebuild notification --lanes 2
                  notilog projections rebuild --all --at-once 2
                """
        )
        @OptionGroup var options: SettingsOptions
        @Argument(help: "The projections.")
        var names: [String] = []
        @Flag(help: "Rebuild every projection.")
        var all = false
        @Option(help: "The most groups that are rebuilt at once.")
        var atOnce = 1
        @Option(help: "The most events in one transaction.")
        var batch: Int64 = 100_000
        @Option(help: "The number of lanes: 1, 2, 4 or 8.")
        var lanes: Int16?
        @Flag(name: .customLong("json"), help: "Write the result as JSON: an object, of several groups an array.")
        var asJSON = false

        func validate() throws {
            guard names.isEmpty == all else {
                throw ValidationError(all ? "--all takes no name beside it" : "name a projection, or say --all")
            }
            guard atOnce > 0 else { throw ValidationError("--at-once takes a number above 0") }
            guard batch > 0 else { throw ValidationError("--batch takes a number above 0") }
            if let lanes, !ProjectionGroup.laneNumbers.contains(lanes) {
                throw ValidationError("--lanes takes 1, 2, 4 or 8")
            }
        }

        func run() async throws {
            let groups = try all ? ProjectionsCommand.files() : ProjectionsCommand.files(of: names)
            try await options.onEachCell(needs: .projector, writes: true) { try await run(groups, $0) }
        }

        private func run(_ groups: [ProjectionFiles], _ settings: Settings) async throws {
            let logger = settings.logger("notilog")
            let turns = Turns<String>(limit: atOnce)
            let results = await withTaskGroup(of: Result<ProjectionRebuild.Report, any Error>.self) { tasks in
                for files in groups {
                    let rebuild = ProjectionRebuild(
                        settings.database,
                        files: files,
                        batchLimit: batch,
                        lanes: lanes,
                        logger: logger
                    )
                    tasks.addTask {
                        do {
                            return .success(
                                try await turns.take(files.group.leader) {
                                    try await run(rebuild, of: files.group, isAlone: groups.count == 1)
                                }
                            )
                        } catch {
                            return .failure(Database.explained(error, needs: [.projector]))
                        }
                    }
                }
                // One that fails stops no other.
                return await tasks.reduce(into: []) { $0.append($1) }
            }
            if asJSON {
                let done = results.compactMap { try? $0.get() }.map(Output.init)
                if groups.count == 1 {
                    try done.forEach { try JSONOutput.print($0) }
                } else {
                    try JSONOutput.print(done)
                }
            }
            var failures = results.compactMap { result -> (any Error)? in
                if case .failure(let error) = result { error } else { nil }
            }
            guard let last = failures.popLast() else { return }
            for failure in failures { Console.note("Error: \(failure)") }
            throw last
        }

        private func run(
            _ rebuild: ProjectionRebuild,
            of group: ProjectionGroup,
            isAlone: Bool
        ) async throws -> ProjectionRebuild.Report {
            let members = ProjectionsCommand.named(group.members)
            Console.note("rebuilding \(members)\(group.members.count > 1 ? ", which are applied together" : "")")
            var bar = BuildProgress(isAlone ? "rebuilding" : "rebuilding \(group.leader)", showsBar: isAlone)
            defer { bar.finish() }
            let report = try await rebuild.run { phase in
                switch phase {
                case .resumed(let progress):
                    Console.note("resuming an earlier run of \(group.leader) at \(progress.percent) %")
                case .applied(let progress): bar.show(progress)
                case .waitingForReaders: bar.say("caught up, waiting for earlier reports to end")
                case .putOff(let attempts):
                    bar.say("caught up, waiting for long reports to end (attempt \(attempts))")
                }
            }
            bar.finish()
            if asJSON { return report }
            Console.print("rebuilt \(ProjectionsCommand.named(report.projections)) up to position \(report.position)")
            for event in report.setAside { Console.print("set aside \(event.position): \(event.error)") }
            if !report.setAside.isEmpty {
                Console.note(
                    "after a fix, `notilog projections retry \(group.leader)` applies the events set aside"
                )
            }
            return report
        }

        private struct Output: Encodable {
            let projections: [String]
            let position: Int64
            let setAside: [Int64]
            let swapAttempts: Int

            init(_ report: ProjectionRebuild.Report) {
                projections = report.projections
                position = report.position
                setAside = report.setAside.map(\.position)
                swapAttempts = report.attemptsPutOff + 1
            }
        }
    }
}

/// The progress of a version under construction: a bar on a terminal, else a line now and then.
struct BuildProgress {
    private var progress: Progress?
    private let title: String
    private let showsBar: Bool
    private var begun: Int64 = 0
    private var last = 0
    private var lastText = ""

    /// - Parameter showsBar: whether a terminal shows a bar; false where several are under way at once.
    init(_ title: String, showsBar: Bool = true) {
        self.title = title
        self.showsBar = showsBar && Console.isTerminal
    }

    mutating func show(_ now: ProjectionBuildProgress) {
        if progress == nil {
            begun = now.begunAfter
            progress = Progress(title, total: Int(now.target - begun), showsBar: showsBar)
        }
        last = Int(now.position - begun)
        progress?.show(last)
    }

    /// Prints a message once.
    mutating func say(_ text: String) {
        guard text != lastText else { return }
        lastText = text
        if showsBar { Console.overwrite(text) } else { Console.note("\(title): \(text)") }
    }

    mutating func finish() {
        guard showsBar, progress != nil || !lastText.isEmpty else { return }
        Console.note("")
        (progress, lastText) = (nil, "")
    }
}
