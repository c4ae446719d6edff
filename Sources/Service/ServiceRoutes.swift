internal import Administration
internal import Alerts
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
    let keys: KeyDirectory
    let intake: BodyIntake
    let readiness: ReadinessCheck
    let metrics: PrometheusMetrics

    /// Creates the endpoints.
    ///
    /// - Throws: an error if the release's files cannot be read.
    func all() throws -> [Route] {
        let catalogue = try ReportCatalogue(folder: store.folder)
        return try events() + reading(catalogue) + administration() + watching() + documents(catalogue)
    }

    private func events() -> [Route] {
        EventsEndpoint(intake: intake).routes + ProviderEndpoint(intake: intake).routes
            + SegmentEndpoint(intake: intake).routes
    }

    private func reading(_ catalogue: ReportCatalogue) -> [Route] {
        let runner = ReportRunner(catalogue: catalogue, pool: pools.reading, standby: pools.standby)
        let reports = ReportsEndpoint(
            runner: runner,
            perKey: configuration.reportsPerKey,
            connections: configuration.reading.connections
        )
        let exports = ExportEndpoint(reader: ExportReader(pool: pools.reading, standby: pools.standby), keys: keys)
        let views = ViewsEndpoint(
            administration: Administration(pools.ingesting),
            body: JSONBody(admission: intake.admission),
            reports: reports
        )
        let alerts = AlertsEndpoint(
            store: AlertStore(pools.ingesting),
            judge: AlertJudge(AlertStore(pools.ingesting), runner, pageURL: ""),
            body: JSONBody(admission: intake.admission),
            catalogue: catalogue,
            reports: reports
        )
        let digests = DigestsEndpoint(
            store: DigestStore(pools.ingesting),
            body: JSONBody(admission: intake.admission)
        )
        return reports.routes + views.routes + alerts.routes + digests.routes + exports.routes
            + TimelineEndpoint(pool: pools.reading).routes
            + VerdictEndpoint(pool: pools.reading).routes
    }

    private func administration() -> [Route] {
        let administration = Administration(pools.ingesting)
        let body = JSONBody(admission: intake.admission)
        let devices = DeviceEndpoint(pool: pools.reading, erasure: Erasure(store.database))
        return devices.routes + AppsEndpoint(administration: administration, body: body).routes
            + KeysEndpoint(administration: administration, body: body).routes
            + AnnotationsEndpoint(administration: administration, body: body).routes
            + DimensionsEndpoint(administration: administration, body: body).routes
    }

    private func watching() -> [Route] {
        let check = readiness
        let health = HealthEndpoint(readiness: Recent(for: .seconds(1)) { await check.find() })
        return health.routes + MetricsEndpoint(metrics: metrics).routes
    }

    private func documents(_ catalogue: ReportCatalogue) throws -> [Route] {
        let document = try OpenAPIDocument(folder: store.folder, reports: catalogue)
        return OpenAPIEndpoint(document).routes
            + DashboardEndpoint(folder: DashboardFolder(beside: store.folder)).routes
    }
}
