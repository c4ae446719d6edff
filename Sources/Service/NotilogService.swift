internal import Administration
internal import Alerts
internal import Decoding
internal import Deliveries
internal import Digests
internal import EventLog
internal import Ingestion
public import Logging
public import Postgres
internal import Projections
internal import Reports
public import Schema
internal import ServiceLifecycle
internal import UnixSignals

/// The whole service: takes events over HTTP, stores them, applies projections, answers reports.
public struct NotilogService: Sendable {
    private let configuration: ServiceConfiguration
    private let database: ConnectionConfiguration
    private let folder: ReleaseFolder
    private let metrics: PrometheusMetrics
    private let logger: Logger

    /// - Parameters:
    ///   - configuration: its settings.
    ///   - database: where the events are kept.
    ///   - folder: the SQL files of this release.
    ///   - metrics: what `/metrics` shows.
    ///   - logger: where its parts log to.
    public init(
        _ configuration: ServiceConfiguration,
        database: ConnectionConfiguration,
        folder: ReleaseFolder,
        metrics: PrometheusMetrics,
        logger: Logger
    ) {
        self.configuration = configuration
        self.database = database
        self.folder = folder
        self.metrics = metrics
        self.logger = logger
    }

    /// Serves until the process is told to stop by SIGTERM or SIGINT, or the task is cancelled.
    ///
    /// - Parameter ready: called with the port once requests are answered.
    /// - Throws: ``ServiceError`` if the schema does not fit this release, or the port is in use;
    ///   `PostgresError`.
    public func run(ready: @escaping @Sendable (Int) async -> Void) async throws {
        try configuration.server.check()
        let store = try await ServiceStore.open(database, folder, logger: logger)
        let sessions = configuration.sessions(lanes: 64, cells: store.cells.all.count)
        let shared = Shared(
            admission: Admission(configuration.admission),
            connections: Connections(
                try configuration.connections.fitting(openFiles: OpenFiles.raiseLimit(), sessions: sessions, logger)
            ),
            sampling: Sampling(metrics)
        )
        let certificate = try configuration.server.certificate()
        let first = try await parts(store, shared)
        let responder = CurrentResponder(first.routes)
        let moving = MovingParts(first: first, responder: responder, stopping: stopping, logger: logger) {
            try await parts(ServiceStore.open(database, folder, logger: logger), shared)
        }
        let server: any Service
        do {
            server = try responder.server(
                configuration.server,
                certificate,
                shared.connections,
                bodyBytes: configuration.limits.bodyBytes,
                logger: logger,
                ready
            )
        } catch {
            await first.pools.shutDown()
            throw error
        }
        // They stop in reverse order: first the server, which refuses new requests and answers those under way; then the others.
        var group = ServiceGroupConfiguration(
            services: [moving, Reloading(certificate: certificate, logger: logger), server],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        group.maximumGracefulShutdownDuration = stopping
        do {
            try await ServiceGroup(configuration: group).run()
        } catch {
            if let problem = configuration.server.problem(ofListening: error) { throw problem }
            throw error
        }
    }

    private var stopping: Duration { .seconds(configuration.server.stopSeconds) }

    /// What outlives a move of a cell.
    private struct Shared: Sendable {
        let admission: Admission
        let connections: Connections
        let sampling: Sampling
    }

    /// Opens the pools, and makes the parts on them.
    private func parts(_ store: ServiceStore, _ shared: Shared) async throws -> ServiceParts {
        let pools = Pools(store, configuration, logger)
        do {
            return try await parts(store, pools, shared)
        } catch {
            await pools.shutDown()
            throw error
        }
    }

    /// The parts of the service but its server, in the order in which they start. They stop in reverse order: first the log, which writes
    /// what is queued; then the maintenance of the store.
    private func parts(_ store: ServiceStore, _ pools: Pools, _ shared: Shared) async throws -> ServiceParts {
        let keys = try await KeyDirectory.load(configuration, pools.ingesting, logger)
        let ingesting = try await IngestionParts(configuration, store, pools, metrics, logger)
        let projections = try ProjectionCatalogue(folder: folder)
        let checkpoints = store.cells.all.map { cell in
            let pool = cell.number == 0 ? pools.monitoring : pools.ofCell(cell)
            return (cell.number, ProjectionCheckpoints(catalogue: projections, pool: pool))
        }
        let reports = try ReportCatalogue(folder: folder)
        let routes = ServiceRoutes(
            configuration: configuration,
            store: store,
            pools: pools,
            catalogue: reports,
            keys: keys,
            ingestion: BodyIngestion(ingestion: ingesting.ingestion, keys: keys, admission: shared.admission),
            readiness: ReadinessCheck(
                configuration,
                store,
                pools,
                checkpoints,
                ingesting.log,
                ingesting.clock,
                logger
            ),
            metrics: metrics
        )
        let table = RouteTable(routes: try routes.all(), keys: keys, connections: shared.connections, factory: metrics)
        var parts = await ingesting.upkeep(logger)
        parts.append(keys)
        if let standby = pools.standby { parts.append(standby) }
        if !store.cells.isAlone {
            parts.append(CellMirror(store.cells, pools.ingesting).mirroring(logger: logger))
            parts.append(CellErasure(store.cells).telling(logger: logger))
        }
        parts += projecting(projections, ingesting.cells)
        parts += try retention(ingesting.cells)
        parts += try messaging(pools, reports)
        let sampler = StateSampler(
            ingesting.log,
            pools,
            checkpoints,
            shared.admission,
            metrics,
            of: shared.sampling
        )
        shared.sampling.change(to: sampler)
        return ServiceParts(
            store,
            pools,
            CurrentResponder.Routes(table.makeResponder()),
            parts + [ingesting.log],
            stopping: stopping,
            logger
        )
    }

    /// Settles the log and applies projections, if this process does.
    private func projecting(_ catalogue: ProjectionCatalogue, _ cells: [CellParts]) -> [any Service] {
        guard configuration.appliesProjections else { return [] }
        return cells.flatMap { cell in
            cell.projecting(catalogue, others: cells.filter { $0.cell.number != cell.cell.number })
        }
    }

    /// Drops old events once a day, if this process does.
    private func retention(_ cells: [CellParts]) throws -> [any Service] {
        guard configuration.retention.isDaily else { return [] }
        return try cells.map { try $0.retention(folder, keeping: configuration.retention.duration) }
    }

    /// Judges rules of alerts, makes digests, and delivers both, if this process does.
    private func messaging(_ pools: Pools, _ catalogue: ReportCatalogue) throws -> [any Service] {
        let outbox = Outbox(pools.messages)
        let deliverer: Deliverer
        do {
            deliverer = try Deliverer(outbox, of: [AlertMessage.self, DigestMessage.self], configuration.deliveries)
        } catch {
            throw ServiceError(error.description)
        }
        guard configuration.judgesAlerts || configuration.makesDigests else { return [] }
        let runner = ReportRunner(catalogue: catalogue, pool: pools.messages)
        let pageURL = configuration.deliveries.pageURL
        var parts: [any Service] = [outbox.pruning(logger: logger), deliverer.delivering(logger: logger)]
        if configuration.judgesAlerts {
            let judge = AlertJudge(AlertStore(pools.messages), runner, pageURL: pageURL)
            parts += [judge.judging(logger: logger), judge.pruning(logger: logger)]
        }
        if configuration.makesDigests {
            parts.append(
                DigestMaker(DigestStore(pools.messages), runner, pageURL: pageURL).making(logger: logger)
            )
        }
        return parts
    }
}
