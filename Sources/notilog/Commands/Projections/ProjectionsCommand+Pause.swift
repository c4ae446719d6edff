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
        @OptionGroup var result: ResultOptions

        func run() async throws {
            let names = try await ProjectionsCommand.setPaused(true, name, options)
            try result.print("paused \(ProjectionsCommand.named(names))", ["paused": names])
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
        @OptionGroup var result: ResultOptions

        func run() async throws {
            let names = try await ProjectionsCommand.setPaused(false, name, options)
            try result.print("resumed \(ProjectionsCommand.named(names))", ["resumed": names])
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
        @OptionGroup var result: ResultOptions

        private struct Output: Encodable {
            struct Failure: Encodable {
                var position: Int64
                var error: String
            }

            var applied: Int64
            var failed: [Failure]
            var notifications: Int64
        }

        func run() async throws {
            try ProjectionsCommand.check(name)
            try await ProjectionsCommand.withCheckpoints(options, writes: true) { checkpoints, _ in
                try show(try await checkpoints.retry(projection: name))
            }
        }

        private func show(
            _ retried: (applied: Int, failed: [SetAsideEvent], notifications: Int64)
        ) throws {
            var sentence = "applied \(retried.applied) of \(retried.applied + retried.failed.count) events set aside"
            if retried.notifications > 0 {
                sentence += "\n\(retried.notifications) notifications left as they were are updated by the next batches"
            }
            try result.print(
                sentence,
                Output(
                    applied: Int64(retried.applied),
                    failed: retried.failed.map { .init(position: $0.position, error: $0.error) },
                    notifications: Int64(retried.notifications)
                )
            )
            guard let first = retried.failed.first else { return }
            throw CommandFailure(
                "\(retried.failed.count) failed again, the first at position \(first.position): \(first.error)"
            )
        }
    }

    fileprivate static func setPaused(
        _ isPaused: Bool,
        _ name: String,
        _ options: SettingsOptions
    ) async throws -> [String] {
        try check(name)
        var members = [name]
        try await withCheckpoints(options, writes: true) { checkpoints, _ in
            try await checkpoints.setPaused(isPaused, projection: name)
            members = checkpoints.catalogue.group(of: name)?.members ?? [name]
        }
        return members
    }
}
