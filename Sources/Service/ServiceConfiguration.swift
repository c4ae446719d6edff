internal import Administration
internal import Alerts
public import EventLog
internal import Ingest
internal import Intake
public import Settings

/// The configuration of the service: what its components read from the settings.
public struct ServiceConfiguration: Sendable {
    /// The server's settings.
    public let server: ServerSettings
    let connections: Connections.Limits
    let admission: Admission.Limits
    let eventsPerSecondPerKey: Double?
    let reading: Pools.Limits
    /// The standby that reports and exports are read from; nil for none.
    public let standby: Standby.Options?
    let reportsPerKey: Int
    /// The lag of a projection, in seconds, at which `/readyz` answers not ready.
    public let lagLimit: Double
    let log: EventLog.Options
    let quarantine: Quarantine.Limits
    let limits: IngestLimits
    let retention: LogRetention
    let ids: IDHashing
    /// Whether this process settles the log and applies projections.
    let projects: Bool
    let alerts: AlertSettings

    /// Reads the settings.
    public init(_ settings: SettingsReader) {
        server = ServerSettings(settings)
        connections = Connections.Limits(settings)
        admission = Admission.Limits(settings)
        eventsPerSecondPerKey = KeyDirectory.eventsPerSecond(settings)
        reading = Pools.Limits(settings)
        standby = Standby.Options(settings)
        reportsPerKey = ReportsEndpoint.perKey(settings)
        lagLimit = ReadinessCheck.lagLimit(settings)
        log = EventLog.Options(settings)
        quarantine = Quarantine.Limits(settings)
        limits = IngestLimits(settings)
        retention = LogRetention(settings)
        ids = IDHashing(settings)
        alerts = AlertSettings(settings)
        projects = settings.flag("projections.enabled", default: true, "whether this process applies projections")
    }

    /// The maximum number of sessions of one instance of the service.
    ///
    /// - Parameter groups: the number of groups of projections.
    public func sessions(groups: Int) -> Int {
        // Keeping takes two, alerts two, watching one, and one listens. Four erasures at a time and one that finishes what broke off, and
        // retention with its lock, take theirs now and then.
        log.writers + reading.connections + 4 + (alerts.isEnabled ? 2 : 0) + (projects ? groups + 1 : 0) + 5 + 2
    }
}
