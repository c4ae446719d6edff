internal import EventLog
internal import Metrics
internal import Postgres
internal import Projections

/// Sets the gauges of what is looked at rather than counted, just before they are read.
struct StateSampler: Sendable {
    let log: EventLog
    let pool: Pool
    let checkpoints: ProjectionCheckpoints
    let admission: Admission
    let factory: any MetricsFactory

    func sample() async {
        set("notilog.append.queue.events", log.queueDepth)
        let load = admission.load
        set("notilog.ingest.requests", load.requests)
        set("notilog.ingest.bytes", load.bytes)
        let occupancy = pool.occupancy
        set("notilog.pool.connections", occupancy.leased, ("state", "leased"))
        set("notilog.pool.connections", occupancy.idle, ("state", "idle"))
        set("notilog.pool.waiting", occupancy.waiting)
        do {
            for status in try await checkpoints.status() {
                set("notilog.projection.lag.events", status.lagEvents, ("projection", status.name))
                set("notilog.projection.lag.seconds", status.lagSeconds, ("projection", status.name))
                set("notilog.projection.failed", status.failure == nil ? 0 : 1, ("projection", status.name))
            }
            set("notilog.quarantine.items", try await quarantined())
            set("notilog.database.up", 1)
        } catch {
            // What was read last stays; that it is old is said here.
            set("notilog.database.up", 0)
        }
    }

    /// Items in quarantine; beyond a hundred thousand they are not counted on.
    private func quarantined() async throws -> Int64 {
        try await pool.query("SELECT count(*) FROM (SELECT FROM log.quarantine LIMIT 100000) q").only().get(0)
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
