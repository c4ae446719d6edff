public import EventLog
internal import Postgres
public import Schema

/// What a cell says of itself.
public struct CellStatus: Sendable, Equatable {
    /// Its number; the coordinator is 0.
    public var cell: Int16
    /// The lanes whose events it has.
    public var lanes: [Int16]
    /// Why it is of no use as it is; nil if nothing is wrong.
    public var problem: String?
    /// The settled position of its log.
    public var settled: Position?
    /// The lowest position of its projections.
    public var applied: Position?
    /// Events of it that other cells need are applied there up to this position.
    public var copied: Position?

    /// Asks every cell.
    ///
    /// - Parameters:
    ///   - cells: the databases.
    ///   - migrator: says whether a cell's schema fits this release.
    /// - Returns: the status of each; one that does not answer has a problem.
    public static func all(_ cells: Cells, _ migrator: Migrator) async -> [CellStatus] {
        await withTaskGroup(of: CellStatus.self) { group in
            for cell in cells.all { group.addTask { await read(cell, migrator) } }
            var all: [CellStatus] = []
            for await status in group { all.append(status) }
            return all.sorted { $0.cell < $1.cell }
        }
    }

    private static func read(_ cell: Cell, _ migrator: Migrator) async -> CellStatus {
        var status = CellStatus(cell: cell.number, lanes: cell.lanes.sorted())
        do {
            try await Connection.with(cell.database) { connection in
                status.problem = try await migrator.state(on: connection).problem
                guard status.problem == nil else { return }
                let row = try await connection.query(
                    """
                    SELECT s.cell, s.lanes, s.settled_position, (SELECT min(position) FROM projection.checkpoint),
                      (SELECT min(applied) FROM log.copied) FROM log.state s
                    """
                ).only()
                status.settled = try row.get(2)
                status.applied = try row.get(3)
                status.copied = try row.get(4)
                let (number, lanes): (Int16, [Int16]) = (try row.get(0), try row.get(1))
                if number != cell.number || Set(lanes) != cell.lanes {
                    status.problem = "it says of itself that it is cell \(number), with other lanes"
                }
            }
        } catch {
            status.problem = "\(error)"
        }
        return status
    }
}
