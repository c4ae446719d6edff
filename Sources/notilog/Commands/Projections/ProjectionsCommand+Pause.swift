import ArgumentParser
import Projections
import Schema

extension ProjectionsCommand {
    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Pause a projection and those that share its checkpoint.",
            usage: "notilog projections pause [<options>] <name>",
            discussion: """
                Reports continue with the rows as of the pause. Ingest is not affected.

                Example:
                  notilog projections pause notification
                """
        )
        @OptionGroup var options: SettingsOptions
        @Argument(help: "The projection.")
        var name: String

        func run() async throws {
            let names = try await ProjectionsCommand.setPaused(true, name, options)
            Console.print("paused \(ProjectionsCommand.named(names))")
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Resume a paused projection.",
            usage: "notilog projections resume [<options>] <name>",
            discussion: """
                Example:
                  notilog projections resume notification
                """
        )
        @OptionGroup var options: SettingsOptions
        @Argument(help: "The projection.")
        var name: String

        func run() async throws {
            let names = try await ProjectionsCommand.setPaused(false, name, options)
            Console.print("resumed \(ProjectionsCommand.named(names))")
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Apply the events that a projection has set aside, after a fix.",
            usage: "notilog projections retry [<options>] <name>",
            discussion: """
                They are applied late, which changes nothing: a projection is a function of the
                set of events. Exits with 1 if one fails again.

                Example:
                  notilog projections retry notification
                """
        )
        @OptionGroup var options: SettingsOptions
        @Argument(help: "The projection.")
        var name: String

        func run() async throws {
            let result = try await ProjectionsCommand.withCheckpoints(options) { checkpoints, _ in
                try await checkpoints.retry(projection: name)
            }
            Console.print("applied \(result.applied) of \(result.applied + result.failed.count) events set aside")
            if result.notifications > 0 {
                Console.print("\(result.notifications) notifications left as they were are updated by the next batches")
            }
            guard let first = result.failed.first else { return }
            throw CommandFailure(
                "\(result.failed.count) failed again, the first at position \(first.position): \(first.error)"
            )
        }
    }

    fileprivate static func setPaused(
        _ isPaused: Bool,
        _ name: String,
        _ options: SettingsOptions
    ) async throws -> [String] {
        try await withCheckpoints(options) { checkpoints, _ in
            try await checkpoints.setPaused(isPaused, projection: name)
            return checkpoints.catalogue.group(of: name)?.members ?? [name]
        }
    }
}
