import Administration
import EventLog
import Logging
import Postgres
import Schema

extension Examination {
    /// The cells of a cluster, if the database is its coordinator; and whether another database takes over.
    func cells(_ coordinator: Pool) async throws -> [Finding] {
        let state = try await coordinator.query("SELECT closed, move IS NOT NULL FROM log.state").only()
        let (isClosed, isMoving): (Bool, Bool) = (try state.get(0), try state.get(1))
        guard !isMoving else {
            return [
                .fail(
                    "cells",
                    "this database was closed for a move of its cell to another server: it refuses events",
                    "run `notilog cluster move` again, unless `notilog cluster status` names the new server: then nothing needs this one"
                )
            ]
        }
        guard !isClosed else {
            return [
                .fail(
                    "cells",
                    "another store has taken over: this one refuses events",
                    "point the services at that store, or run `notilog cluster import --reopen`"
                )
            ]
        }
        let cells = try await coordinator.withConnection { try await Cells.known(to: settings.database, on: $0) }
        guard !cells.isAlone else { return [] }
        let migrator = Migrator(
            folder: try ReleaseFolder.locate(),
            logger: Logger(label: "notilog") { _ in SwiftLogNoOpLogHandler() }
        )
        var findings = await CellStatus.all(cells, migrator).map { status -> Finding in
            let name = "cell \(status.cell)"
            guard let problem = status.problem else { return .ok("cells", "\(name) has lanes \(status.lanes)") }
            return .fail(
                "cells",
                "\(name): \(problem)",
                "until it is mended, events of its devices are refused and every report fails; run `notilog doctor --database-url` on it"
            )
        }
        do {
            try await coordinator.query("SELECT cell.leave(cell.begin(cell)) FROM notilog.cell WHERE cell > 0")
        } catch let error as PostgresError where error.sqlState == SQLState.silentCell {
            findings.append(
                .fail(
                    "cells",
                    "the coordinator's server cannot connect: \(error.message) (\(error.detail ?? ""))",
                    "reports ask cells from there, with the URLs of `notilog cluster status`: check its network and password file"
                )
            )
        }
        return findings
    }
}
