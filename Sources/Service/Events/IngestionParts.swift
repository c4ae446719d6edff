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
    let signal = LogSignal()
    let log: EventLog
    let clock: ReceiptClock
    let ingestion: Ingestion
    private let erasure: Erasure
    private let pool: Pool
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
        pool = pools.ingesting
        if let problem = try await LedgerSecret.problem(pool) { throw ServiceError(problem) }
        if try await LedgerSecret.isIgnored(pool) {
            logger.warning("\(LedgerSecret.ignored): \(LedgerSecret.whatToDoIfIgnored)")
        }
        erasure = Erasure(store.database)
        quarantine = Quarantine(pool: pool, limits: configuration.quarantine)
        tally = Tally(pool: pool, logger: logger)
        log = EventLog(store.database, options: configuration.log, signal: signal, tally: tally, logger: logger)
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
        let partitions = Partitions.making(pool, logger: logger)
        // Otherwise the first event would make them, and draw its positions twice.
        await partitions.runOnce()
        return [partitions, tally, quarantine.pruning(logger: logger), erasure.finishing(logger: logger)]
    }
}
