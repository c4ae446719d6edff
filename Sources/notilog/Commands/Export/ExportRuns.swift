import EventLog
import Exports
import Postgres

/// A run for each database that the log is in, with the pools of those that are not the command's own.
struct ExportRuns {
    /// In the order of the cells; of a database that is alone there is one.
    let all: [ExportRun]
    private let request: ExportRequest
    private let cells: Cells
    private let pool: Pool
    private let progress: ExportProgress
    private let pools: [Pool]

    /// - Parameters:
    ///   - request: of a cluster, each cell's files are in a folder of its own below the request's.
    ///   - cells: where the log is.
    ///   - pool: that of the database that is alone, or of the coordinator.
    ///   - progress: shows how far a run is.
    init(_ request: ExportRequest, in cells: Cells, _ pool: Pool, _ progress: ExportProgress) {
        self.request = request
        self.cells = cells
        self.pool = pool
        self.progress = progress
        let runs: [ExportRun]
        if cells.isAlone {
            pools = []
            runs = [ExportRun(request, pool: pool)]
        } else {
            let pools = cells.all.map { Pool($0.database.with(settings: ["notilog.here": "on"]), limit: 2) }
            self.pools = pools
            runs = zip(cells.all, pools).map { cell, pool in
                var request = request
                request.folder += "/cell-\(cell.number)"
                return ExportRun(request, pool: pool, cell: cell.number)
            }
        }
        all = runs.map { run in
            var run = run
            run.onProgress = { progress.show($0, $1) }
            run.onNote = { Console.note($0) }
            return run
        }
    }

    /// These, or those of where the cells are now: a cell may have moved, and its old server gives nothing new for ever.
    ///
    /// - Throws: `PostgresError`, also if the database is no coordinator any more.
    func current() async throws -> ExportRuns {
        let now: Cells
        do {
            now = try await Cells.read(pool)
        } catch let error as PostgresError where error.isRetriable {
            // The run of this database says so, and the other cells do not wait for it.
            return self
        }
        guard !now.isSame(as: cells) else { return self }
        Console.note("a cell is at another place: its export goes on there")
        await shutDown()
        return ExportRuns(request, in: now, pool, progress)
    }

    /// Ends the sessions in the cells.
    func shutDown() async {
        for pool in pools { await pool.shutDown() }
    }
}
