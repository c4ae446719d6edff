internal import Decoding
internal import EventLog
internal import Ingestion
internal import Logging
internal import Metrics
internal import Pacing
internal import Postgres
internal import ServiceLifecycle

/// The parts that accept events, from the clock of receipt to the log.
struct IngestionParts: Sendable {
    /// The parts of each database that the log is in, that of the coordinator first.
    let cells: [CellParts]
    let log: CellLog
    let clock: ReceiptClock
    let ingestion: Ingestion
    private let quarantine: Quarantine
    private let tally: Tally

    /// - Throws: ``ServiceError`` if events of erased devices cannot be recognised; `PostgresError`.
    init(
        _ configuration: ServiceConfiguration,
        _ store: ServiceStore,
        _ pools: Pools,
        _ metrics: any MetricsFactory,
        _ logger: Logger
    ) async throws {
        let pool = pools.ingesting
        if let problem = try await LedgerSecret.problem(pool) { throw ServiceError(problem) }
        if try await LedgerSecret.isIgnored(pool) {
            logger.warning("\(LedgerSecret.ignored): \(LedgerSecret.whatToDoIfIgnored)")
        }
        quarantine = Quarantine(pool: pool, limits: configuration.quarantine)
        let tally = Tally(pool: pool, logger: logger)
        self.tally = tally
        let cells = store.cells.all.map { cell in
            CellParts(
                cell,
                projecting: cell.database.with(settings: store.projectorSettings),
                cell.number == 0 ? pool : pools.ofCell(cell),
                configuration.log,
                tally,
                logger
            )
        }
        self.cells = cells
        log = CellLog(store.cells, logs: cells.map(\.log))
        clock = ReceiptClock(pool, logger: logger)
        // Checked now, so that the first event does not wait for it.
        _ = try? await clock.time()
        ingestion = Ingestion(
            log: log,
            quarantine: quarantine,
            tally: tally,
            clock: clock,
            limits: configuration.limits,
            metrics: metrics
        )
    }

    /// The maintenance of the log. When this returns, its partitions exist unless they could not be created.
    func upkeep(_ logger: Logger) async -> [any Service] {
        var parts: [any Service] = [tally, quarantine.pruning(logger: logger)]
        for cell in cells { parts += await cell.upkeep() }
        return parts
    }
}
