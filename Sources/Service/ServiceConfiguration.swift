internal import Administration
internal import Decoding
public import Deliveries
public import EventLog
internal import Ingestion
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
    let limits: DecodingLimits
    let retention: LogRetention
    let ids: IDHashing
    /// Whether this process settles the log and applies projections.
    let appliesProjections: Bool
    /// By what alerts and digests are delivered.
    public let deliveries: DeliverySettings
    /// Whether this process judges rules of alerts.
    let judgesAlerts: Bool
    /// Whether this process makes digests.
    let makesDigests: Bool

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
        limits = DecodingLimits(settings)
        retention = LogRetention(settings)
        ids = IDHashing(settings)
        deliveries = DeliverySettings(settings)
        judgesAlerts = settings.flag("alerts.enabled", default: true, "whether this process judges rules of alerts")
        makesDigests = settings.flag("digests.enabled", default: true, "whether this process makes digests")
        appliesProjections = settings.flag(
            "projections.enabled",
            default: true,
            "whether this process applies projections"
        )
    }

    /// Sessions for rules of alerts, for digests, and to deliver what they made.
    var messageSessions: Int {
        (judgesAlerts ? 1 : 0) + (makesDigests ? 1 : 0) + (judgesAlerts || makesDigests ? 1 : 0)
    }

    /// The maximum number of sessions of one instance of the service.
    ///
    /// - Parameters:
    ///   - lanes: the number of lanes of all groups of projections.
    ///   - cells: the number of databases that the log is in.
    public func sessions(lanes: Int, cells: Int = 1) -> Int {
        sessions(lanes: lanes, cells: cells, here: cells, hasCoordinator: true)
    }

    /// The same on one server.
    ///
    /// - Parameters:
    ///   - lanes: the number of lanes of all groups of projections.
    ///   - cells: the number of databases that the log is in.
    ///   - here: how many of them are on the server.
    ///   - hasCoordinator: whether the coordinator is one of those.
    public func sessions(lanes: Int, cells: Int, here: Int, hasCoordinator: Bool) -> Int {
        // Where projections are applied, one settles the log of a cell; where there are several, three copy to each other.
        let ofCell =
            log.writers + (appliesProjections ? lanes + 1 + 3 * (cells - 1) : 0) + (cells > 1 ? reading.connections : 0)
        guard hasCoordinator else { return here * ofCell }
        // One listens.
        let lasting = here * ofCell + reading.connections + Pools.besideReading + 1 + messageSessions
        // Now and then there are those of erasures, as they are asked for and as they are finished, and of retention with its
        // lock.
        return lasting + DeviceEndpoint.erasuresAtATime + Erasure.finishedAtATime + 2
    }
}
