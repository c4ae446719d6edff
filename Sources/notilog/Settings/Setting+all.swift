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
                "database, as a URL or libpq connection string; default: PG* variables"
            ),
            .integer(
                "database.read_connections",
                standard.readConnections,
                "connections for reports, pages and exports"
            ),
            .integer("database.read_timeout_seconds", standard.readTimeoutSeconds, "time limit of a report or page"),
            .text(
                "erasure.secret",
                nil,
                isSecret: true,
                "key of the ledger of erased devices; default: a random key in the database"
            ),
            .integer("doctor.free_gb", 5, "free space on the database's disk below which `notilog doctor` warns"),
            .integer(
                "doctor.idle_seconds",
                30,
                "how long a session may be idle in a transaction before `notilog doctor` warns"
            ),
            .integer("http.body_seconds", standard.bodySeconds, "time limit for receiving a body, else 408"),
            .integer(
                "http.connections",
                standard.connections,
                "connections at a time; a new one replaces an idle one, else 503"
            ),
            .integer(
                "http.connections_per_address",
                nil,
                "connections from one address; default: a quarter, 0 for no limit"
            ),
            .text("http.host", standard.host, "address to listen on"),
            .integer(
                "http.idle_seconds",
                standard.idleSeconds,
                "how long a connection may stay open without a request"
            ),
            .integer("http.port", standard.port, "port to listen on; 0 chooses a free one"),
            .integer("http.stop_seconds", standard.stopSeconds, "time for requests under way when the service stops"),
            .text("id_hash_secret", nil, isSecret: true, "key of the hashes of ids, for apps with hash_ids"),
            .integer("ingest.writers", standard.writers, "connections that write events"),
            .integer("ingest.queued_events", standard.queuedEvents, "events queued for a writer, else 503"),
            .integer("ingest.queued_bytes", standard.queuedBytes, "bytes queued for a writer, else 503"),
            .integer(
                "ingest.concurrent_requests",
                standard.concurrentRequests,
                "requests with events at a time, else 503"
            ),
            .integer("ingest.bytes_in_flight", standard.bytesInFlight, "bytes of bodies in memory, else 503"),
            .number("ingest.events_per_second_per_key", nil, "rate limit of a key, else 429; default: no limit"),
            .integer("limits.body_bytes", standard.bodyBytes, "bytes of a body after decompression"),
            .integer("limits.events_per_request", standard.eventsPerRequest, "events in one body"),
            .integer("limits.event_bytes", standard.eventBytes, "bytes of one event"),
            .integer("limits.json_depth", standard.jsonDepth, "how deep an event nests"),
            .integer(
                "limits.retention_days",
                standard.retentionDays,
                "maximum age of an event; older ones may be dropped"
            ),
            .text("log.format", nil, "json or text; default: text if standard error is a terminal"),
            .text("log.level", "info", "trace, debug, info, notice, warning, error or critical"),
            .flag("retention.daily", standard.runsRetention, "whether this process drops older events, once a day"),
            .flag("projections.enabled", standard.projects, "whether this process applies projections"),
            .integer("quarantine.days", standard.quarantine.days, "how long rejected items are kept"),
            .integer(
                "quarantine.items_per_app",
                standard.quarantine.itemsPerApp,
                "maximum number of rejected items of each app"
            ),
            .integer(
                "quarantine.bytes_per_app",
                standard.quarantine.bytesPerApp,
                "maximum bytes of rejected items of each app"
            ),
            .integer(
                "reports.per_key",
                standard.reportsPerKey,
                "concurrent reports of one key; more wait ten seconds, then 429"
            ),
            .text("tls.certificate", nil, "file with the certificate chain, PEM; default: plain HTTP"),
            .text("tls.key", nil, "file with the certificate's private key, PEM; both are read again on SIGHUP"),
            .number("ready.lag_seconds", standard.readyLagSeconds, "lag at which /readyz answers not ready"),
        ]
    }()
}
