import Administration
import ArgumentParser
import Schema

extension ClusterCommand {
    /// `notilog cluster move`: a cell, to another server.
    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move a cell to another server, a streaming standby of its own.",
            usage: "notilog cluster move [<options>] <cell> [<url>]",
            discussion: """
                Make a standby of the server that has the cell first, with pg_basebackup -R.
                The cell takes no events for some seconds; reports are answered throughout,
                and services find the new server by themselves. The old server takes no events
                after that. If it breaks off, run it again, or take it back with --reopen.
                Takes a superuser of the coordinator, and the right to promote the standby.

                Example:
                  notilog cluster move 2 postgresql://new/notilog
                """
        )
        @OptionGroup var options: SettingsOptions
        @Argument(help: "The cell's number, from `notilog cluster status`.")
        var cell: Int16
        @Argument(help: "The cell's database on the standby, as a URL of libpq.")
        var url: String?
        @Flag(name: .customLong("lost"), help: "Go on though the other server is gone for good.")
        var isLost = false
        @Flag(help: "Take a move back that has not ended: the cell stays.")
        var reopen = false
        @Flag(name: .customLong("json"), help: "Write the cell and its server as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            var cell: Int16
            var server: String
        }

        func validate() throws {
            if reopen != (url == nil) { throw ValidationError("give the URL of the standby, or --reopen") }
        }

        func run() async throws {
            let settings = try await options.settings()
            let move = CellMove(of: cell, settings.database)
            do {
                if let url {
                    try await move.run(to: url, isLost: isLost) { step in
                        if let text = step.note { Console.note(text) }
                    }
                } else {
                    try await move.takeBack(isLost: isLost)
                }
            } catch let error as AdministrationError {
                throw CommandFailure(error.message)
            } catch {
                throw Database.explained(error, needs: [.owner])
            }
            let server = try await move.server()
            guard !asJSON else { return try JSONOutput.print(Output(cell: cell, server: server)) }
            Console.print("cell \(cell) takes events at \(server)")
        }
    }
}

extension CellMove.Step {
    /// What to tell whoever waits for the move.
    var note: String? {
        switch self {
        case .begun: nil
        case .closed: "what moves takes no events for now"
        case .sealed: nil
        case .replayed: "the standby has all of it"
        case .promoted: "the standby is promoted"
        case .placed: "services and reports go there"
        case .opened: nil
        }
    }
}
