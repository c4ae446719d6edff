internal import Administration
internal import EventLog
internal import Exports
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Ingest
internal import Intake
public import Logging
internal import NIOCore
public import Postgres
internal import Projections
internal import Reports
public import Schema
internal import ServiceLifecycle
internal import UnixSignals

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The whole service: takes events over HTTP, stores them, applies projections, answers reports.
///
/// Its parts start in the order of ``parts``, and stop in the opposite one: first no new request is taken and those
/// under way are answered, then the log's writers end.
public struct NotilogService: Sendable {
    private let configuration: ServiceConfiguration
    /// Where the events are kept, for sessions that take events in and answer requests.
    private var database: ConnectionConfiguration
    /// The same, for sessions that settle the log and apply projections.
    private var projecting: ConnectionConfiguration
    private let folder: SQLFolder
    private let metrics: PrometheusMetrics
    private let logger: Logger

    /// - Parameters:
    ///   - configuration: how it is set up.
    ///   - database: where the events are kept.
    ///   - folder: the SQL files of this release.
    ///   - metrics: what `/metrics` shows.
    ///   - logger: where its parts log to.
    public init(
        _ configuration: ServiceConfiguration,
        database: ConnectionConfiguration,
        folder: SQLFolder,
        metrics: PrometheusMetrics,
        logger: Logger
    ) {
        self.configuration = configuration
        self.database = database
        projecting = database
        self.folder = folder
        self.metrics = metrics
        self.logger = logger
    }

    /// Serves until the process is told to stop by SIGTERM or SIGINT, or the task is cancelled.
    ///
    /// - Parameter ready: called with the port once requests are answered.
    /// - Throws: ``ServiceError`` where the database's schema is not this release's, or the port is taken;
    ///   `PostgresError`.
    public func run(ready: @escaping @Sendable (Int) async -> Void) async throws {
        let (service, files) = try await prepared()
        try await service.serve(files, ready)
    }

    /// Looks at the database before anything is started on it: the schema must be one that this release works on, and
    /// each session takes no more rights than it needs.
    ///
    /// - Returns: the service as it is to run, and the release's SQL files, read once for all.
    private func prepared() async throws -> (service: NotilogService, files: SQLFiles) {
        let connection = try await firstConnection()
        let roles = try await SessionRoles.find(on: connection)
        try await connection.set(roles.settings(.writer))
        let migrator = Migrator(folder: folder, logger: logger)
        let files = try await migrator.files(on: connection)
        let state = try await migrator.state(files, on: connection)
        await connection.close()
        if let problem = state.problem { throw ServiceError(problem) }
        if case .newer(let version) = state {
            logger.notice("a later release migrated the database", metadata: ["migration": "\(version)"])
        }
        var service = self
        service.database = database.with(settings: roles.settings(.writer))
        service.projecting = database.with(settings: roles.settings(.projector))
        return (service, files)
    }

    /// A server that is starting, or recovers from a crash, is waited for, as both may begin with the machine; one that
    /// is not there is not.
    private func firstConnection() async throws -> Connection {
        let configuration = database.with(settings: [:], applicationName: "notilog serve")
        let end = ContinuousClock.now + .seconds(60)
        var backoff = Backoff(first: .milliseconds(100), longest: .seconds(2))
        while true {
            do {
                return try await Connection.connect(configuration)
            } catch let error as PostgresError where error.sqlState == "57P03" && ContinuousClock.now < end {
                logger.notice("the database takes no connections yet, waiting for it")
                await backoff.wait()
            }
        }
    }

    private func serve(_ files: SQLFiles, _ ready: @escaping @Sendable (Int) async -> Void) async throws {
        let pools = Pools(
            reading: pool(limit: configuration.readConnections, seconds: configuration.readTimeoutSeconds),
            keeping: pool(limit: 2, seconds: 10),
            // Shorter than the wait for a connection: a slow statement of one look does not turn the other away.
            watching: pool(limit: 1, seconds: 4)
        )
        do {
            let group = ServiceGroup(configuration: groupConfiguration(try await parts(pools, files, ready)))
            try await group.run()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            await pools.shutDown()
            throw ServiceError("port \(configuration.port) is in use: choose another with --port")
        } catch {
            await pools.shutDown()
            throw error
        }
        await pools.shutDown()
    }

    private func pool(limit: Int, seconds: Int) -> Pool {
        Pool(
            database.with(
                settings: [
                    "statement_timeout": "\(seconds)s", "idle_in_transaction_session_timeout": "30s", "jit": "off",
                ],
                applicationName: "notilog serve"
            ),
            limit: limit,
            acquireTimeout: .seconds(5)
        )
    }

    /// What answers reports and pages, what ingest stands on, and what health and metrics look through, each apart: a
    /// long report keeps neither of the others waiting, and ingest does not wait for those who watch, as anybody may.
    private struct Pools {
        var reading: Pool
        var keeping: Pool
        var watching: Pool

        func shutDown() async {
            await reading.shutDown()
            await keeping.shutDown()
            await watching.shutDown()
        }
    }

    private func groupConfiguration(_ services: [any Service]) -> ServiceGroupConfiguration {
        var group = ServiceGroupConfiguration(
            services: services,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        group.maximumGracefulShutdownDuration = .seconds(configuration.stopSeconds)
        return group
    }

    private func parts(
        _ pools: Pools,
        _ files: SQLFiles,
        _ ready: @escaping @Sendable (Int) async -> Void
    ) async throws -> [any Service] {
        let (pool, reading) = (pools.keeping, pools.reading)
        try await checkErasureSecret(pool)
        let catalogue = try ProjectionCatalogue(folder: folder)
        let keys = try await KeyDirectory.load(
            KeyDirectory.Source(
                pool: pool,
                logger: logger,
                eventsPerSecond: configuration.eventsPerSecondPerKey,
                ids: configuration.ids
            )
        )
        let signal = LogSignal()
        let tally = Tally(pool: pool, logger: logger)
        let log = EventLog(database, options: configuration.logOptions, signal: signal, tally: tally, logger: logger)
        let checkpoints = ProjectionCheckpoints(catalogue: catalogue, pool: pools.watching)
        let admission = Admission(requests: configuration.concurrentRequests, bytes: configuration.bytesInFlight)
        let sampler = StateSampler(
            log: log,
            shown: pool,
            pool: pools.watching,
            checkpoints: checkpoints,
            admission: admission,
            factory: metrics
        )
        let stored = Recent(for: .seconds(1)) { await sampler.sampleDatabase() }
        // What the process knows comes last, so that it is not old by the wait for the database.
        metrics.sample { _ = try? await stored.value() }
        metrics.sample { sampler.sampleProcess() }
        let quarantine = Quarantine(pool: pool, limits: configuration.quarantine)
        let clock = ReceiptClock(pool, logger: logger)
        // Compared before the first event comes, which then does not wait for it.
        _ = try? await clock.time()
        let intake = BodyIntake(
            intake: Intake(
                log: log,
                quarantine: quarantine,
                tally: tally,
                clock: clock,
                limits: configuration.ingestLimits,
                metrics: metrics
            ),
            keys: keys,
            admission: admission
        )
        let check = ReadinessCheck(
            pool: pools.watching,
            migrator: Migrator(folder: folder, logger: logger),
            files: files,
            checkpoints: checkpoints,
            clock: clock,
            lagLimit: configuration.readyLagSeconds
        )
        let health = HealthEndpoint(readiness: Recent(for: .seconds(1)) { await check.find() })
        let reportCatalogue = try ReportCatalogue(folder: folder)
        let reports = ReportsEndpoint(
            runner: ReportRunner(catalogue: reportCatalogue, pool: reading),
            perKey: configuration.reportsPerKey,
            connections: configuration.readConnections
        )
        var routes = EventsEndpoint(intake: intake).routes + ProviderEndpoint(intake: intake).routes
        routes += SegmentEndpoint(intake: intake).routes + reports.routes + health.routes
        routes += OpenAPIEndpoint(try OpenAPIDocument(folder: folder, reports: reportCatalogue)).routes
        routes += ExportEndpoint(reader: ExportReader(pool: reading), keys: keys).routes
        routes += DeviceEndpoint(pool: reading, erasure: Erasure(database)).routes
        routes += TimelineEndpoint(pool: reading).routes
        let administration = Administration(pool)
        let body = JSONBody(admission: admission)
        routes += AppsEndpoint(administration: administration, body: body).routes
        routes += KeysEndpoint(administration: administration, body: body).routes
        routes += MetricsEndpoint(metrics: metrics).routes
        routes += DashboardEndpoint(folder: DashboardFolder(beside: folder)).routes
        let certificate = try configuration.tls.map { files throws(ServiceError) in try ServerCertificate(files)
        }
        let connections = Connections(configuration.connectionLimits)
        let table = RouteTable(routes: routes, keys: keys, connections: connections, factory: metrics)
        let server = try server(table, certificate, ready)
        let partitions = Partitions(pool: pool, logger: logger)
        await partitions.makeFirst()
        var services: [any Service] = [partitions, keys, tally]
        services.append(
            Recurring("old items left quarantine", every: .seconds(3600), logger: logger) {
                Int(try await quarantine.prune())
            }
        )
        services.append(
            Recurring("erasures finished", every: .seconds(60), logger: logger) { [database] in
                try await Erasure(database).finishPending()
            }
        )
        if configuration.projects {
            services.append(Settler(projecting, signal: signal, logger: logger))
            services.append(ProjectionRunner(projecting, catalogue: catalogue, signal: signal, logger: logger))
        }
        if configuration.runsRetention {
            let retention = try Retention(projecting, folder: folder, logger: logger)
            let keeps = Duration.seconds(configuration.retentionDays * 86_400)
            services.append(RetentionService(retention, keeps: keeps, logger: logger))
        }
        return services + [Reloading(certificate: certificate, logger: logger), log, server]
    }

    /// Events of erased devices can only be told by the secret that the ledger was begun with.
    private func checkErasureSecret(_ pool: Pool) async throws {
        do {
            try await pool.query("SELECT FROM log.erasure_keys()")
        } catch let error as PostgresError where error.sqlState == "55000" {
            throw ServiceError(error.message)
        }
    }

    private func server(
        _ table: RouteTable,
        _ certificate: ServerCertificate?,
        _ ready: @escaping @Sendable (Int) async -> Void
    ) throws -> some Service {
        let patience = ConnectionPatience(body: .seconds(Int64(configuration.bodySeconds)))
        let connections = table.connections
        let bodyBytes = configuration.ingestLimits.bodyBytes
        // Of headers an event's sender needs a handful.
        let headers = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: 16 << 10,
            maxHeaderListSize: 32 << 10,
            maxHeaderFieldCount: 100
        )
        let plain = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [
                    SeatHandler(connections), ContinueHandler(bodyBytes: bodyBytes), PatienceHandler(patience),
                ],
                idleTimeout: .seconds(Int64(configuration.idleSeconds)),
                httpDecoderConfiguration: headers
            )
        )
        return Application(
            responder: table.makeResponder(),
            server: try certificate.map { try .tls(plain, tlsConfiguration: $0.tlsConfiguration) } ?? plain,
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                backlog: 1024
            ),
            onServerRunning: { channel in await ready(channel.localAddress?.port ?? 0) },
            logger: logger
        )
    }
}
