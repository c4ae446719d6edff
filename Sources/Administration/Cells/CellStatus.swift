public import EventLog
internal import Postgres
public import Schema

/// What a cell says of itself.
public struct CellStatus: Sendable, Equatable {
    /// Its number; the coordinator is 0.
    public var cell: Int16
    /// The lanes whose events it has.
    public var lanes: [Int16]
    /// Its server and database, as `host:port/database`.
    public var server: String
    /// What it has on disk.
    public var bytes: Int64?
    /// About how many events it has.
    public var events: Int64?
    /// The cluster that it says it is of.
    private var cluster: String?
    /// Why it is of no use as it is; nil if nothing is wrong.
    public var problem: String?
    /// The settled position of its log.
    public var settled: Position?
    /// The lowest position of its projections.
    public var applied: Position?
    /// Events of it that other cells need are applied there up to this position.
    public var copied: Position?

    private init(_ cell: Cell) {
        self.cell = cell.number
        lanes = cell.lanes.sorted()
        server = cell.database.place ?? "unknown"
    }

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
            all.sort { $0.cell < $1.cell }
            let cluster = all[0].cluster
            return all.map { status in
                var status = status
                if status.problem == nil, let cluster, status.cluster != cluster {
                    status.problem = "it is of another cluster: the coordinator has a wrong URL of it"
                }
                return status
            }
        }
    }

    private static func read(_ cell: Cell, _ migrator: Migrator) async -> CellStatus {
        var status = CellStatus(cell)
        do {
            try await Connection.with(cell.database) { connection in
                status.problem = try await migrator.state(on: connection).problem
                guard status.problem == nil else { return }
                let row = try await connection.query(
                    """
                    SELECT cell, lanes, cluster, is_standby, closed, is_moving, settled, applied, copied, bytes, events
                    FROM log.cell_status()
                    """
                ).only()
                status.cluster = try row.get(2)
                status.settled = try row.get(6)
                status.applied = try row.get(7)
                status.copied = try row.get(8)
                status.bytes = try row.get(9)
                status.events = try row.get(10)
                if try row.get(3) {
                    status.problem = "its database is a standby, and takes no events"
                } else if try row.get(4) {
                    status.problem =
                        try row.get(5)
                        ? "it takes no events, as a move of it has not ended: run `notilog cluster move` again"
                        : "it takes no events, as another store has taken over"
                }
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
