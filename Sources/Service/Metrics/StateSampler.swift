internal import EventLog
internal import Metrics
internal import Pacing
internal import Postgres
internal import Projections
internal import Synchronization

/// Sets the gauges of what is looked at rather than counted, before they are read.
final class StateSampler: Sendable {
    let log: EventLog
    /// Whose connections are shown: what ingest stands on.
    let shown: Pool
    /// Lends the connection that the database is asked on.
    let pool: Pool
    let checkpoints: ProjectionCheckpoints
    let admission: Admission
    let factory: any MetricsFactory
    /// Codes of quarantined items that a gauge was set for: one that is empty again must be said to be.
    private let codes = Mutex<Set<String>>(["invalid_value"])

    init(
        _ log: EventLog,
        _ pools: Pools,
        _ checkpoints: ProjectionCheckpoints,
        _ admission: Admission,
        _ factory: any MetricsFactory
    ) {
        self.log = log
        shown = pools.keeping
        pool = pools.watching
        self.checkpoints = checkpoints
        self.admission = admission
        self.factory = factory
    }

    /// Sets the gauges whenever the metrics are read, from the database once a second at most.
    func start(_ metrics: PrometheusMetrics) {
        let stored = Recent(for: .seconds(1)) { await self.sampleDatabase() }
        // What the process knows comes last, so that it is not old by the wait for the database.
        metrics.sample { _ = try? await stored.value() }
        metrics.sample { self.sampleProcess() }
    }

    /// What this process knows by itself.
    private func sampleProcess() {
        set("notilog.append.queue.events", log.queueDepth)
        let load = admission.load
        set("notilog.ingest.requests", load.requests)
        set("notilog.ingest.bytes", load.bytes)
        let occupancy = shown.occupancy
        set("notilog.pool.connections", occupancy.leased, ("state", "leased"))
        set("notilog.pool.connections", occupancy.idle, ("state", "idle"))
        set("notilog.pool.waiting", occupancy.waiting)
    }

    /// What the database says.
    private func sampleDatabase() async {
        do {
            for status in try await checkpoints.status() {
                set("notilog.projection.lag.events", status.lagEvents, ("projection", status.name))
                set("notilog.projection.lag.seconds", status.lagSeconds, ("projection", status.name))
                set("notilog.projection.failed", status.failure == nil ? 0 : 1, ("projection", status.name))
                set("notilog.projection.paused", status.isPaused ? 1 : 0, ("projection", status.name))
                set("notilog.projection.set.aside", status.setAside, ("projection", status.name))
                // Of this process or another; 1 without a rebuild.
                set("notilog.projection.rebuilding", status.rebuild == nil ? 0 : 1, ("projection", status.name))
                set("notilog.projection.rebuilt", status.rebuild?.fraction ?? 1, ("projection", status.name))
            }
            for (code, items) in try await quarantined() {
                set("notilog.quarantine.items", items, ("code", code))
            }
            let pending = try await pool.query("SELECT count(*) FROM log.erasure_pending")
            set("notilog.erasures.pending", try pending.only().get(0, as: Int64.self))
            set("notilog.log.partitions.ahead.months", try await partitionsAhead())
            set("notilog.database.up", 1)
        } catch {
            // What was read last stays; that it is old is said here.
            set("notilog.database.up", 0)
        }
    }

    /// Months after this one that the log has partitions for; below 0 where it has none for this month.
    private func partitionsAhead() async throws -> Int {
        try await pool.query("SELECT log.months_ahead()").only().get(0)
    }

    /// Items in quarantine by code, those codes included that have had some since the service began.
    private func quarantined() async throws -> [String: Int64] {
        let rows = try await pool.query(
            "SELECT code, sum(items)::bigint FROM log.quarantine_usage GROUP BY code"
        )
        let counted = Dictionary(try rows.map { (try $0.get(0, as: String.self), try $0.get(1, as: Int64.self)) }) {
            $1
        }
        return codes.withLock { codes in
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
