internal import Deliveries
internal import EventLog
internal import Metrics
internal import Pacing
internal import Postgres
internal import Projections
internal import Synchronization

/// Samples the parts of the service that are in use, whenever the metrics are read.
final class Sampling: Sendable {
    private let current = Mutex<StateSampler?>(nil)
    /// Codes of quarantined items that have a gauge: it must be set to 0 once no item has the code.
    fileprivate let codes = Mutex<Set<String>>(["invalid_value"])

    /// Sets the gauges, from the database once a second at most.
    init(_ metrics: PrometheusMetrics) {
        let stored = Recent(for: .seconds(1)) { await self.sampler?.sampleDatabase() }
        // The process's own figures come last, so that the wait for the database does not make them old.
        metrics.sample {
            if (try? await stored.value(within: HealthEndpoint.timeout)) == nil { self.sampler?.isOld() }
        }
        metrics.sample { self.sampler?.sampleProcess() }
    }

    private var sampler: StateSampler? { current.withLock { $0 } }

    func change(to sampler: StateSampler) { current.withLock { $0 = sampler } }
}

/// Sets the gauges that are sampled rather than counted, before they are read.
final class StateSampler: Sendable {
    let log: CellLog
    /// The pools whose connections are shown.
    let pools: [(name: String, pool: Pool)]
    /// Lends the connection that the database is asked on.
    let pool: Pool
    /// Those of each database that the log is in, with its number; that of the coordinator first.
    let checkpoints: [(cell: Int16, checkpoints: ProjectionCheckpoints)]
    let admission: Admission
    let standby: Standby?
    let factory: any MetricsFactory
    private let sampling: Sampling

    init(
        _ log: CellLog,
        _ pools: Pools,
        _ checkpoints: [(cell: Int16, checkpoints: ProjectionCheckpoints)],
        _ admission: Admission,
        _ factory: any MetricsFactory,
        of sampling: Sampling
    ) {
        self.sampling = sampling
        self.log = log
        self.pools = pools.named
        pool = pools.monitoring
        standby = pools.standby
        self.checkpoints = checkpoints
        self.admission = admission
        self.factory = factory
    }

    /// What this process knows by itself.
    fileprivate func sampleProcess() {
        set("notilog_append_queue_events", log.queueDepth)
        let load = admission.load
        set("notilog_ingest_requests", load.requests)
        set("notilog_ingest_bytes", load.bytes)
        for (name, pool) in pools {
            let occupancy = pool.occupancy
            set("notilog_pool_connections", occupancy.leased, ("pool", name), ("state", "leased"))
            set("notilog_pool_connections", occupancy.idle, ("pool", name), ("state", "idle"))
            set("notilog_pool_waiting", occupancy.waiting, ("pool", name))
        }
        sampleStandby()
    }

    /// The standby as it was last seen, if there is one.
    private func sampleStandby() {
        guard let status = standby?.status else { return }
        set("notilog_standby_following", status.state == .following ? 1 : 0)
        set("notilog_standby_promoted", status.state == .promoted ? 1 : 0)
        // While the lag is unknown, the last value stays.
        guard let lag = status.lag else { return }
        set("notilog_standby_lag_bytes", lag.bytes)
        set("notilog_standby_lag_positions", lag.positions)
        set("notilog_standby_lag_seconds", lag.seconds)
    }

    /// What the database says.
    fileprivate func sampleDatabase() async {
        do {
            for (cell, checkpoints) in checkpoints {
                do {
                    sample(try await checkpoints.status(), cell)
                    if isClustered { set("notilog_cell_up", 1, ("cell", "\(cell)")) }
                } catch  where cell > 0 {
                    // Its last figures stay; this gauge says that they are old.
                    set("notilog_cell_up", 0, ("cell", "\(cell)"))
                }
            }
            let backlog = try await LogBacklog.read(pool)
            for (code, items) in withKnownCodes(backlog.quarantined) {
                set("notilog_quarantine_items", items, ("code", code))
            }
            set("notilog_erasures_pending", backlog.pendingErasures)
            set("notilog_log_partitions_ahead_months", backlog.monthsAhead)
            let deliveries = try await Outbox(pool).backlog()
            set("notilog_deliveries", deliveries.waiting, ("state", "waiting"))
            set("notilog_deliveries", deliveries.failing, ("state", "failing"))
            set("notilog_database_up", 1)
        } catch {
            // The last figures stay; this gauge says that they are old.
            isOld()
        }
    }

    /// The last figures stay; this gauge says that they are old.
    fileprivate func isOld() { set("notilog_database_up", 0) }

    private var isClustered: Bool { checkpoints.count > 1 }

    /// The projections of one database.
    private func sample(_ projections: [ProjectionStatus], _ cell: Int16) {
        let ofCell = isClustered ? [("cell", "\(cell)")] : []
        for status in projections {
            func set(_ label: String, _ value: Double) {
                self.set(label, value, dimensions: [("projection", status.name)] + ofCell)
            }
            set("notilog_projection_lag_events", Double(status.lagEvents))
            set("notilog_projection_lag_seconds", status.lagSeconds)
            set("notilog_projection_failed", status.failure == nil ? 0 : 1)
            set("notilog_projection_paused", status.isPaused ? 1 : 0)
            set("notilog_projection_set_aside", Double(status.setAside))
            // Of this process or another; 1 without a rebuild.
            set("notilog_projection_rebuilding", status.rebuild == nil ? 0 : 1)
            set("notilog_projection_rebuilt", status.rebuild?.fraction ?? 1)
        }
    }

    /// Items by code, with 0 for codes that have had some since the service began.
    private func withKnownCodes(_ counted: [String: Int64]) -> [String: Int64] {
        sampling.codes.withLock { codes in
            codes.formUnion(counted.keys)
            return Dictionary(uniqueKeysWithValues: codes.map { ($0, counted[$0] ?? 0) })
        }
    }

    private func set(_ label: String, _ value: some BinaryInteger, _ dimension: (String, String)...) {
        set(label, Double(value), dimensions: dimension)
    }

    private func set(_ label: String, _ value: Double, _ dimension: (String, String)...) {
        set(label, value, dimensions: dimension)
    }

    private func set(_ label: String, _ value: Double, dimensions: [(String, String)]) {
        Gauge(label: label, dimensions: dimensions, factory: factory).record(value)
    }
}
