import Administration
import ArgumentParser
import Schema

extension ClusterCommand {
    /// `notilog cluster drain`: all cells of a server, to another one.
    struct Drain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move every cell of a server to a streaming standby of it.",
            usage: "notilog cluster drain [<options>] <server> <url>",
            discussion: """
                As `notilog cluster move`, for all cells that the server has: the standby is
                promoted once, when it has everything of each. The coordinator stays.
                If it breaks off, run it again, or take back each cell with
                `notilog cluster move CELL --reopen`.

                Example:
                  notilog cluster drain two:5432 postgresql://new
                """
        )
        @OptionGroup var options: SettingsOptions
        @OptionGroup var servers: Servers

        func run() async throws { try await servers.move(.all, options) }
    }

    /// `notilog cluster rebalance`: about half of what a server has, to another one.
    struct Rebalance: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move about half of a server's cells to a streaming standby of it.",
            usage: "notilog cluster rebalance [<options>] <server> <url>",
            discussion: """
                So a new server joins a cluster. The cells whose bytes come closest to half of
                the server's move, as with `notilog cluster drain`; the coordinator stays.
                --dry-run names them.

                Example:
                  notilog cluster rebalance two:5432 postgresql://new --dry-run
                """
        )
        @OptionGroup var options: SettingsOptions
        @OptionGroup var servers: Servers

        func run() async throws { try await servers.move(.half, options) }
    }

    /// The two servers, and how to tell what is done.
    struct Servers: ParsableArguments {
        @Argument(help: "The server, from `notilog cluster status`: its host and port.")
        var server: String
        @Argument(help: "The standby, as a URL of libpq without a database.")
        var url: String
        @Flag(name: .customLong("dry-run"), help: "Print which cells move, and move none.")
        var isDry = false
        @Flag(name: .customLong("json"), help: "Write the cells and where they are then as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            var cell: Int16
            var bytes: Int64?
            var server: String
            var moves: Bool
        }

        func move(_ share: ServerMove.Share, _ options: SettingsOptions) async throws {
            let settings = try await options.settings()
            let move = ServerMove(from: server, to: url, settings.database)
            let parts: [ServerMove.Part]
            do {
                parts = try await move.parts(share)
                if !isDry {
                    try await move.run(parts) { step in
                        if let text = step.note { Console.note(text) }
                    }
                }
            } catch let error as AdministrationError {
                throw CommandFailure(error.message)
            } catch {
                throw Database.explained(error, needs: [.owner])
            }
            let outputs = parts.map { part in
                Output(cell: part.cell, bytes: part.bytes, server: part.place ?? server, moves: part.url != nil)
            }
            guard !asJSON else { return try JSONOutput.print(outputs) }
            for output in outputs {
                let size = output.bytes.map { " (\($0) bytes)" } ?? ""
                let verb = output.moves ? (isDry ? "would move to" : "takes events at") : "stays on"
                Console.print("cell \(output.cell)\(size) \(verb) \(output.server)")
            }
        }
    }
}
