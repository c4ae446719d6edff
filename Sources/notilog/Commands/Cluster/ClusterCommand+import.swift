import Administration
import ArgumentParser
import Postgres
import Schema
import Synchronization

extension ClusterCommand {
    /// `notilog cluster import`: another store, into this one.
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Bring another store, of one database or a cluster, into this one.",
            usage: "notilog cluster import [<options>] <url>",
            discussion: """
                The way to a cluster, to one with other cells, and back to one database. The
                other store takes events and answers reports meanwhile. Run it again for what
                came since, and with --switch at the end: the other store then takes no more
                events, and keys, views, rules and the ledger of erased devices come too.
                Point the services at this store after that.

                Example:
                  notilog cluster import --switch postgresql://old/notilog
                """
        )
        @OptionGroup var options: SettingsOptions
        @Argument(help: "The other store, or its coordinator, as a URL of libpq.")
        var url: String
        @Flag(name: .customLong("switch"), help: "Let the other store take no more events.")
        var switches = false
        @Flag(name: .customLong("without-dropped"), help: "Go on though retention has dropped events there.")
        var leavesDropped = false
        @Flag(help: "Let the other store take events again, and import nothing.")
        var reopen = false
        @Flag(name: .customLong("json"), help: "Write the result as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            var stored: Int64
            var duplicates: Int64
            var conflicts: Int64
            var refused: Int64
        }

        func validate() throws {
            if reopen, switches { throw ValidationError("give --switch or --reopen, not both") }
        }

        func run() async throws {
            let settings = try await options.settings()
            var source = settings.database
            source.connectionString = url
            source.database = nil
            let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: settings.logger("notilog"))
            let storeImport = StoreImport(from: source, to: settings.database, migrator: migrator)
            let report: StoreImport.Report
            do {
                if reopen {
                    try await storeImport.reopen()
                    if asJSON { try JSONOutput.print(["reopened": source.place]) }
                    return Console.note("the other store takes events again: what this one took since stays here alone")
                }
                let shown = Mutex<Progress?>(nil)
                report = try await storeImport.run(closing: switches, leavesDropped: leavesDropped) { done, total in
                    shown.withLock { shown in
                        var progress = shown ?? Progress("positions", total: Int(total))
                        progress.show(Int(done))
                        shown = progress
                    }
                }
                if Console.isTerminal { Console.note("") }
            } catch let error as AdministrationError {
                throw CommandFailure(error.message)
            } catch {
                throw Database.explained(error, needs: [.owner])
            }
            if asJSON {
                try JSONOutput.print(
                    Output(
                        stored: report.stored,
                        duplicates: report.duplicates,
                        conflicts: report.conflicts,
                        refused: report.refused
                    )
                )
            } else {
                Console.print(
                    "\(report.stored) events stored, \(report.duplicates) were here, \(report.refused) refused: their devices were erased here"
                )
            }
            if report.conflicts > 0 {
                throw CommandFailure(
                    "\(report.conflicts) events are here under the same ids with other content: import into a store that took no events of its own"
                )
            }
            if report.isClosed {
                Console.note(
                    switches
                        ? "the other store takes no more events: point the services at this one, and stop the old ones"
                        : "the other store takes no events, as an import with --switch did not end: run that again, or with --reopen"
                )
            }
        }
    }
}
