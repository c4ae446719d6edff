import ArgumentParser
import Hashing

/// The `notilog` command.
@main
struct Notilog: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notilog",
        abstract: "An append-only log of what happened to notifications, and reports of engagement computed from it.",
        discussion: """
            Start with a database of its own, an app and keys:
              notilog dev

            Every command takes its database from --database-url, else
            NOTILOG_DATABASE_URL, else libpq's PG* variables.
            """,
        version: "1.0.0",
        subcommands: [
            Dev.self, Serve.self, Migrate.self, Apps.self, Keys.self, ReportCommand.self, ExportCommand.self,
            ProjectionsCommand.self, QuarantineCommand.self, DevicesCommand.self, WhyCommand.self,
            RetentionCommand.self, AnnotateCommand.self, AnnotationsCommand.self, AlertsCommand.self,
            DigestCommand.self, DigestsCommand.self, EventsCommand.self, LogCommand.self, ImportCommand.self,
            Simulate.self, ClusterCommand.self, Doctor.self,
        ]
    )

    /// Runs the command, which fails if its result could not be written.
    static func main() async {
        OpenSSLLibrary.skipCleanUpAtExit()
        await run(parsed())
        guard let failure = Console.failure else { return }
        Console.note("Error: the output is incomplete: \(failure)")
        exit(withError: ExitCode.failure)
    }

    private static func parsed() -> any ParsableCommand {
        do {
            return try parseAsRoot()
        } catch {
            exit(withError: error)
        }
    }

    private static func run(_ command: any ParsableCommand) async {
        do {
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        } catch let error as ValidationError {
            // The parser would add the usage of `notilog` itself, as it does not know any more which command ran.
            Console.note("Error: \(error.message)")
            exit(withError: ExitCode.validationFailure)
        } catch {
            exit(withError: error)
        }
    }
}
