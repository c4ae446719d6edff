internal import EventLog
internal import Logging
internal import Metrics
internal import NotificationEvents
internal import Pacing
internal import Postgres
internal import Projections
internal import Schema
internal import ServiceLifecycle

/// What the service keeps for one of the databases that the log is in: the writers of its log, and whatever looks after it.
struct CellParts: Sendable {
    let cell: Cell
    let signal = LogSignal()
    let log: EventLog
    /// The same database, for sessions that settle the log and apply projections.
    private let projecting: ConnectionConfiguration
    private let pool: Pool
    private let logger: Logger

    /// - Parameters:
    ///   - cell: the database.
    ///   - projecting: the settings of sessions that settle the log and apply projections.
    ///   - pool: lends connections for its upkeep.
    ///   - tally: counts duplicates.
    init(
        _ cell: Cell,
        projecting: ConnectionConfiguration,
        _ pool: Pool,
        _ options: EventLog.Options,
        _ tally: Tally,
        _ logger: Logger
    ) {
        var logger = logger
        if cell.number > 0 { logger[metadataKey: "cell"] = "\(cell.number)" }
        self.cell = cell
        self.projecting = projecting
        self.pool = pool
        self.logger = logger
        log = EventLog(cell.database, options: options, signal: signal, tally: tally, logger: logger)
    }

    /// The maintenance of its log. When this returns, its partitions exist unless they could not be created.
    func upkeep() async -> [any Service] {
        let partitions = Partitions.making(pool, logger: logger)
        // Otherwise the first event would make them, and draw its positions twice.
        await partitions.runOnce()
        return [partitions, Erasure(cell.database).finishing(logger: logger)]
    }

    /// Settles its log, applies projections, and copies to the other cells what they need.
    func projecting(_ catalogue: ProjectionCatalogue, others: [CellParts]) -> [any Service] {
        var parts: [any Service] = [
            Settler(projecting, signal: signal, logger: logger),
            ProjectionRunner(projecting, catalogue: catalogue, signal: signal, logger: logger),
        ]
        for other in others {
            parts.append(CellCopier(cellAsProjector, to: other.cellAsProjector, signal: signal, logger: logger))
        }
        return parts
    }

    private var cellAsProjector: Cell { Cell(number: cell.number, database: projecting, lanes: cell.lanes) }

    /// Drops its old events once a day.
    func retention(_ folder: ReleaseFolder, keeping duration: Duration) throws -> any Service {
        try Retention(projecting, folder: folder, logger: logger).daily(keeping: duration)
    }
}
