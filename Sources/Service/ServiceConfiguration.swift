public import Administration
public import EventLog
public import Ingest

/// How the service is set up; what each setting means is said once, in the command's list of settings.
public struct ServiceConfiguration: Sendable {
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 takes a free one.
    public var port = 8080
    /// Connections at a time; one more has the place of one that is idle, or is answered 503.
    public var connections = 4096
    /// The same from one address; nil for a quarter of ``connections``, 0 for no bound but that.
    public var connectionsPerAddress: Int?
    /// Seconds that a connection may stay open without a request.
    public var idleSeconds = 75
    /// Seconds that a body may take to come, else 408.
    public var bodySeconds = 30
    /// The files that the service proves itself with; nil for plain HTTP, as behind a proxy.
    public var tls: CertificateFiles?
    /// Bytes of a body after decompression.
    public var bodyBytes = 5 << 20
    /// Events in one request.
    public var eventsPerRequest = 10_000
    /// Bytes of one event.
    public var eventBytes = 32 << 10
    /// How deep an event's JSON may nest.
    public var jsonDepth = 16
    /// How old an event may be, in days.
    public var retentionDays = 400
    /// How long rejected items are kept, and how many of each app.
    public var quarantine = Quarantine.Limits()
    /// Whether this process drops what is older than ``retentionDays``, once a day.
    public var runsRetention = false
    /// Requests with events that are worked on at a time; more are answered 503.
    public var concurrentRequests = 512
    /// Bytes of bodies and their events held at a time, all requests together; more are answered 503.
    public var bytesInFlight = 64 << 20
    /// Events a second that each key may send; `nil` for no limit.
    public var eventsPerSecondPerKey: Double?
    /// Connections that write events.
    public var writers = 2
    /// Events that wait for a writer; more are answered 503.
    public var queuedEvents = 50_000
    /// Bytes of events that wait for a writer; more are answered 503.
    public var queuedBytes = 48 << 20
    /// Whether this process settles the log and applies projections.
    public var projects = true
    /// Connections for reading: reports, pages and exports.
    public var readConnections = 4
    /// Seconds that one report or page may take.
    public var readTimeoutSeconds = 30
    /// Reports that one key may have made at a time; more wait, and at last are answered 429.
    public var reportsPerKey = 2
    /// Seconds that a projection may be behind before the service calls itself not ready.
    public var readyLagSeconds = 60.0
    /// How apps that keep no ids in the clear hash them.
    public var ids = IDHashing(secret: nil)
    /// Seconds that work under way is given when the service is told to stop.
    public var stopSeconds = 20

    /// Takes the defaults.
    public init() {}

    var connectionLimits: Connections.Limits {
        let ofAddress = connectionsPerAddress ?? max(1, connections / 4)
        return Connections.Limits(all: connections, ofAddress: ofAddress > 0 ? ofAddress : connections)
    }

    var logOptions: EventLog.Options {
        EventLog.Options(writers: writers, queuedEvents: queuedEvents, queuedBytes: queuedBytes)
    }

    /// How large bodies and events may be, and how old events.
    public var ingestLimits: IngestLimits {
        IngestLimits(
            bodyBytes: bodyBytes,
            events: eventsPerRequest,
            eventBytes: eventBytes,
            depth: jsonDepth,
            retentionSeconds: Int64(retentionDays) * 86_400
        )
    }
}
