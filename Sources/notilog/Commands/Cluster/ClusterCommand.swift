import Administration
import ArgumentParser
import EventLog
import Logging
import Schema

/// `notilog cluster`: several databases behind one service.
struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Divide the devices among several databases.",
        discussion: """
            The database of --database-url is the coordinator: the service is told of it
            alone. See docs/scale.md.

            Example:
              notilog cluster init postgresql://two/notilog
            """,
        subcommands: [Init.self, Status.self, Move.self, Drain.self, Rebalance.self, Import.self]
    )

    struct Init: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make empty databases the cells of a cluster.",
            usage: "notilog cluster init [<options>] <urls> ...",
            discussion: """
                Migrates each database, divides the lanes of devices among them, and lets
                the coordinator ask the others. The coordinator's server connects to the other
                cells with these URLs, as the service does: keep passwords out of them, in a
                password file (PostgreSQL documentation, 34.16). Without a user in the URL
                each connects as who it is. Takes a superuser of the coordinator, for the
                extension dblink. All become cells, or none: if it fails, run it again.

                Example:
                  notilog cluster init postgresql://two/notilog
                """
        )
        @OptionGroup var options: SettingsOptions
        @Argument(help: "The other cells, as URLs of libpq: at most seven, or eight with --coordinator-alone.")
        var urls: [String]
        @Flag(name: .customLong("coordinator-alone"), help: "Keep no events in the coordinator itself.")
        var keepsNoEvents = false
        @Flag(name: .customLong("json"), help: "Write the cells and their lanes as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            var cell: Int16
            var lanes: [Int16]
        }

        func run() async throws {
            let settings = try await options.settings()
            var logger = settings.logger("notilog")
            // A line for each file of each cell would hide what the command itself says.
            logger.logLevel = max(logger.logLevel, .notice)
            let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: logger)
            do {
                let cluster = Cluster(settings.database, migrator: migrator)
                try await cluster.form(urls, coordinatorTakesEvents: !keepsNoEvents)
            } catch let error as AdministrationError {
                throw CommandFailure(error.message)
            } catch {
                throw Database.explained(error, needs: [.owner])
            }
            let cells = try await Database.withPool(settings.database, needs: .owner) { pool in
                let cells = try await Cells.read(pool)
                try await CellMirror(cells, pool).mirror()
                return cells
            }
            let outputs = cells.all.map { Output(cell: $0.number, lanes: $0.lanes.sorted()) }
            guard !asJSON else { return try JSONOutput.print(outputs) }
            for output in outputs {
                let lanes = output.lanes.map(String.init).joined(separator: ", ")
                Console.print("cell \(output.cell): " + (lanes.isEmpty ? "no events" : "lanes \(lanes)"))
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the cells: their servers, their size, and how far each has come.",
            usage: "notilog cluster status [<options>]",
            discussion: """
                Bytes are what a cell has on disk. How many events that are is as of the last
                ANALYZE; its lanes have about as many each.
                Fails if a cell is of no use as it is, such as one that does not answer.

                Example:
                  notilog cluster status --json
                """
        )
        @OptionGroup var options: SettingsOptions
        @Flag(name: .customLong("json"), help: "Write the cells as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            var cell: Int16
            var lanes: [Int16]
            var server: String
            var bytes: Int64?
            var events: Int64?
            var problem: String?
            var settled: Position?
            var applied: Position?
            var copied: Position?
        }

        func run() async throws {
            let settings = try await options.settings()
            let cells = try await Database.withPool(settings.database, needs: .writer) { try await Cells.read($0) }
            guard !cells.isAlone else {
                throw CommandFailure("this database is no cluster's coordinator: give the coordinator's URL")
            }
            let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: settings.logger("notilog"))
            let all = await CellStatus.all(cells, migrator)
            func text(_ position: Position?) -> String { position.map(\.description) ?? "" }
            try TextTable(
                all.map {
                    Output(
                        cell: $0.cell,
                        lanes: $0.lanes,
                        server: $0.server,
                        bytes: $0.bytes,
                        events: $0.events,
                        problem: $0.problem,
                        settled: $0.settled,
                        applied: $0.applied,
                        copied: $0.copied
                    )
                },
                [
                    "CELL": { String($0.cell) }, "LANES": { $0.lanes.map(String.init).joined(separator: ",") },
                    "SERVER": { $0.server }, "BYTES": { $0.bytes.map(String.init) ?? "" },
                    "EVENTS": { $0.events.map(String.init) ?? "" },
                    "SETTLED": { text($0.settled) }, "APPLIED": { text($0.applied) }, "COPIED": { text($0.copied) },
                    "STATE": { $0.problem ?? "ok" },
                ]
            ).print(asJSON: asJSON)
            let problems = all.compactMap { status in status.problem.map { "cell \(status.cell): \($0)" } }
            guard problems.isEmpty else { throw CommandFailure(problems.joined(separator: "; ")) }
        }
    }
}
