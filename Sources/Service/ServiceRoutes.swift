internal import Administration
internal import Alerts
internal import Deliveries
internal import Digests
internal import EventLog
internal import Exports
internal import Pacing
internal import Reports

/// Every route of the service.
struct ServiceRoutes {
    let configuration: ServiceConfiguration
    let store: ServiceStore
    let pools: Pools
    let catalogue: ReportCatalogue
    let keys: KeyDirectory
    let ingestion: BodyIngestion
    let readiness: ReadinessCheck
    let metrics: PrometheusMetrics
    /// The shares of apps in the connections for reading.
    private let sharesOfReading: WaitingSlots
    /// The shares of apps in the connections for administration. An app with hanging statements or slow bodies takes one of the
    /// two.
    private let sharesOfAdministering = WaitingSlots("requests", of: "app", perKey: 1, perApp: 1, total: .max)

    init(
        configuration: ServiceConfiguration,
        store: ServiceStore,
        pools: Pools,
        catalogue: ReportCatalogue,
        keys: KeyDirectory,
        ingestion: BodyIngestion,
        readiness: ReadinessCheck,
        metrics: PrometheusMetrics
    ) {
        self.configuration = configuration
        self.store = store
        self.pools = pools
        self.catalogue = catalogue
        self.keys = keys
        self.ingestion = ingestion
        self.readiness = readiness
        self.metrics = metrics
        sharesOfReading = .ofApps(connections: configuration.reading.connections)
    }

    /// Creates the endpoints.
    ///
    /// - Throws: an error if the release's files cannot be read.
    func all() throws -> [Route] {
        let runner = ReportRunner(catalogue: catalogue, pool: pools.reading, standby: pools.standby)
        let reports = ReportsEndpoint(
            runner: runner,
            perKey: configuration.reportsPerKey,
            connections: configuration.reading.connections,
            reading: sharesOfReading
        )
        let groups: [[Route]] = [
            events(), reading(reports), views(reports), alerts(runner, reports), digests(), devices(),
            administration(), monitoring(), try documents(),
        ]
        return Array(groups.joined())
    }

    private func events() -> [Route] {
        EventsEndpoint(ingestion: ingestion).routes + ProviderEndpoint(ingestion: ingestion).routes
            + SegmentEndpoint(ingestion: ingestion).routes
    }

    private func reading(_ reports: ReportsEndpoint) -> [Route] {
        let exports = ExportEndpoint(
            readers: exportReaders,
            keys: keys,
            reading: sharesOfReading
        )
        let pages = TimelineEndpoint(pools: pools).routes + VerdictEndpoint(pools: pools).routes
        return reports.routes + exports.routes + pages.map { $0.within(sharesOfReading) }
    }

    /// One for each database that the log is in.
    private var exportReaders: [(cell: Int16, reader: ExportReader)] {
        guard !pools.cells.isAlone else {
            let reader = ExportReader(pool: pools.reading, numbering: pools.numbering, standby: pools.standby)
            return [(0, reader)]
        }
        return pools.cells.all.map { ($0.number, ExportReader(pool: pools.ofCell($0), cell: $0.number)) }
    }

    private func views(_ reports: ReportsEndpoint) -> [Route] {
        ViewsEndpoint(
            administration: Administration(pools.administering),
            body: JSONBody(admission: ingestion.admission),
            reports: reports,
            shares: sharesOfAdministering
        ).routes
    }

    private func alerts(_ runner: ReportRunner, _ reports: ReportsEndpoint) -> [Route] {
        AlertsEndpoint(
            store: AlertStore(pools.administering),
            judge: AlertJudge(AlertStore(pools.administering), runner, pageURL: ""),
            body: JSONBody(admission: ingestion.admission),
            catalogue: catalogue,
            reports: reports,
            deliveries: configuration.deliveries,
            shares: sharesOfAdministering
        ).routes
    }

    private func digests() -> [Route] {
        let digests = DigestsEndpoint(
            store: DigestStore(pools.administering),
            body: JSONBody(admission: ingestion.admission),
            catalogue: catalogue,
            deliveries: configuration.deliveries
        )
        return digests.routes.map { $0.within(sharesOfAdministering) }
    }

    private func devices() -> [Route] {
        let devices = DeviceEndpoint(pools: pools, erasure: CellErasure(store.cells), ids: configuration.ids)
        return devices.reading.map { $0.within(sharesOfReading) } + devices.erasing
    }

    private func administration() -> [Route] {
        let administration = Administration(pools.administering)
        let body = JSONBody(admission: ingestion.admission)
        let routes =
            AppsEndpoint(administration: administration, body: body).routes
            + KeysEndpoint(administration: administration, body: body).routes
            + AnnotationsEndpoint(administration: administration, body: body).routes
            + DimensionsEndpoint(administration: administration, body: body).routes
        return routes.map { $0.within(sharesOfAdministering) }
    }

    private func monitoring() -> [Route] {
        let check = readiness
        let health = HealthEndpoint(check)
        return health.routes + MetricsEndpoint(metrics: metrics).routes
    }

    private func documents() throws -> [Route] {
        let document = try OpenAPIDocument(folder: store.folder, reports: catalogue)
        return OpenAPIEndpoint(document).routes
            + DashboardEndpoint(folder: DashboardFolder(beside: store.folder)).routes
    }
}
