import Administration
import EventLog
import Postgres
import Schema

extension Examination {
    /// What is checked of the other cells as it is of the coordinator, under their numbers. One that does not answer, or has another
    /// schema, is said to by ``cells(_:_:)``.
    func others(of cells: Cells) async -> [Finding] {
        var findings: [Finding] = []
        for cell in cells.all.dropFirst() {
            let pool = Self.pool(cell.database)
            let state = try? await pool.withConnection { try await Self.migrator().state(on: $0) }
            if state?.isUsable == true {
                var own: [Finding] = []
                await machine(pool, to: &own)
                await server(pool, of: cells, to: &own)
                await add("log", pool, to: &own) {
                    let facts = try await pool.facts("diagnosis()", as: Diagnosis.self)
                    return try await rights(pool, facts) + log(facts) + setAside(facts.setAside)
                }
                await add("erasure", pool, to: &own) { [try await ledger(pool)] }
                await add("projections", pool, to: &own) { try await projections(pool) }
                findings += own.map { $0.of(cell: cell.number) }
            }
            await pool.shutDown()
        }
        return findings
    }

    /// The cells of a cluster, if the database is its coordinator; and whether another database takes over.
    func cells(_ coordinator: Pool, _ cells: Cells) async throws -> [Finding] {
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
        guard !cells.isAlone else { return [] }
        var findings = try await CellStatus.all(cells, Self.migrator()).map { status -> Finding in
            let name = "cell \(status.cell)"
            guard let problem = status.problem else { return .ok("cells", "\(name) has lanes \(status.lanes)") }
            return .fail(
                "cells",
                "\(name): \(problem)",
                "until it is mended, events of its devices are refused and every report fails; run `notilog doctor --database-url` on it"
            )
        }
        do {
            try await coordinator.query("SELECT notilog.reach_cells()")
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
