import EventLog
import Service

extension Setting {
    /// Every setting of the service, with the meaning of each.
    static let all: [Setting] = {
        let standard = ServiceConfiguration()
        return [
            .text(
                "database.url",
                nil,
                isSecret: true,
                "database, as a URL or libpq connection string; else PG* variables"
            ),
            .integer(
                "database.read_connections",
                standard.readConnections,
                "connections for reports, pages and exports"
            ),
            .integer("database.read_timeout_seconds", standard.readTimeoutSeconds, "longest report or page"),
            .text(
                "erasure.secret",
                nil,
                isSecret: true,
                "what the ledger of erased devices is keyed with; else the database keeps one of its own"
            ),
            .integer("doctor.free_gb", 5, "room on the database's disk below which `notilog doctor` warns"),
            .integer(
                "doctor.idle_seconds",
                30,
                "how long a session may be idle in a transaction before `notilog doctor` warns"
            ),
            .integer("http.body_seconds", standard.bodySeconds, "how long a body may take to come, else 408"),
            .integer(
                "http.connections",
                standard.connections,
                "connections at a time; an idle one makes room, else 503"
            ),
            .integer(
                "http.connections_per_address",
                nil,
                "the same from one address; a quarter unless set, 0 for no bound of its own"
            ),
            .text("http.host", standard.host, "address to listen on"),
            .integer(
                "http.idle_seconds",
                standard.idleSeconds,
                "how long a connection may stay open without a request"
            ),
            .integer("http.port", standard.port, "port to listen on; 0 takes a free one"),
            .integer("http.stop_seconds", standard.stopSeconds, "time for requests under way when told to stop"),
            .text("id_hash_secret", nil, isSecret: true, "what hashed ids are made with, for apps that keep no ids"),
            .integer("ingest.writers", standard.writers, "connections that write events"),
            .integer("ingest.queued_events", standard.queuedEvents, "events that wait for a writer, else 503"),
            .integer("ingest.queued_bytes", standard.queuedBytes, "bytes that wait for a writer, else 503"),
            .integer(
                "ingest.concurrent_requests",
                standard.concurrentRequests,
                "requests with events at a time, else 503"
            ),
            .integer("ingest.bytes_in_flight", standard.bytesInFlight, "bytes of bodies at a time, else 503"),
            .number("ingest.events_per_second_per_key", nil, "how fast a key may send, else 429; no limit unless set"),
            .integer("limits.body_bytes", standard.bodyBytes, "bytes of a body after decompression"),
            .integer("limits.events_per_request", standard.eventsPerRequest, "events in one body"),
            .integer("limits.event_bytes", standard.eventBytes, "bytes of one event"),
            .integer("limits.json_depth", standard.jsonDepth, "how deep an event nests"),
            .integer(
                "limits.retention_days",
                standard.retentionDays,
                "how old an event may be; what was received before may be dropped"
            ),
            .text("log.format", nil, "json or text; text where standard error is a terminal"),
            .text("log.level", "info", "trace, debug, info, notice, warning, error or critical"),
            .flag("retention.daily", standard.runsRetention, "whether this process drops what is older, once a day"),
            .flag("projections.enabled", standard.projects, "whether this process applies projections"),
            .integer("quarantine.days", standard.quarantine.days, "how long rejected items are kept"),
            .integer("quarantine.items_per_app", standard.quarantine.itemsPerApp, "rejected items kept of each app"),
            .integer("quarantine.bytes_per_app", standard.quarantine.bytesPerApp, "bytes of them kept of each app"),
            .integer(
                "reports.per_key",
                standard.reportsPerKey,
                "reports of one key made at a time; more wait ten seconds, then 429"
            ),
            .text("tls.certificate", nil, "file with the certificate and those above it, PEM; else plain HTTP"),
            .text("tls.key", nil, "file with the certificate's private key, PEM; both are read again on SIGHUP"),
            .number("ready.lag_seconds", standard.readyLagSeconds, "lag from which /readyz says not ready"),
        ]
    }()
}
