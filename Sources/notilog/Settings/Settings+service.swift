import Administration
import Configuration
import EventLog
import Logging
import Postgres
import Service

extension Settings {
    /// The configuration of the service.
    var service: ServiceConfiguration {
        var service = ServiceConfiguration()
        service.host = text("http.host") ?? service.host
        service.port = integer("http.port")
        service.connections = max(1, integer("http.connections"))
        service.connectionsPerAddress = number("http.connections_per_address").map { max(0, Int($0)) }
        service.idleSeconds = max(1, integer("http.idle_seconds"))
        service.bodySeconds = max(1, integer("http.body_seconds"))
        service.stopSeconds = integer("http.stop_seconds")
        service.readConnections = max(1, integer("database.read_connections"))
        service.reportsPerKey = max(1, integer("reports.per_key"))
        service.readTimeoutSeconds = integer("database.read_timeout_seconds")
        service.ids = ids
        service.writers = integer("ingest.writers")
        service.queuedEvents = integer("ingest.queued_events")
        service.queuedBytes = integer("ingest.queued_bytes")
        service.concurrentRequests = integer("ingest.concurrent_requests")
        service.bytesInFlight = integer("ingest.bytes_in_flight")
        service.eventsPerSecondPerKey = number("ingest.events_per_second_per_key")
        service.tls = tls
        service.bodyBytes = integer("limits.body_bytes")
        service.eventsPerRequest = integer("limits.events_per_request")
        service.eventBytes = integer("limits.event_bytes")
        service.jsonDepth = integer("limits.json_depth")
        service.retentionDays = integer("limits.retention_days")
        service.quarantine.days = integer("quarantine.days")
        service.quarantine.itemsPerApp = integer("quarantine.items_per_app")
        service.quarantine.bytesPerApp = integer("quarantine.bytes_per_app")
        service.runsRetention = flag("retention.daily")
        service.projects = flag("projections.enabled")
        service.readyLagSeconds = number("ready.lag_seconds") ?? service.readyLagSeconds
        return service
    }

    /// How apps hash their ids.
    var ids: IDHashing { IDHashing(secret: text("id_hash_secret")) }

    /// The files for TLS; `nil` where neither is set.
    var tls: CertificateFiles? {
        guard let certificate = text("tls.certificate"), let key = text("tls.key") else { return nil }
        return CertificateFiles(certificate: certificate, key: key)
    }

    /// Where the database is.
    var database: ConnectionConfiguration { database(url: text("database.url")) }

    /// The same configuration with another database.
    func database(url: String?) -> ConnectionConfiguration {
        let database = ConnectionConfiguration(connectionString: url)
        guard let secret = text("erasure.secret"), !secret.isEmpty else { return database }
        // Set in every session, because every append reads the ledger.
        return database.with(settings: ["notilog.erasure_secret": secret])
    }

    /// A logger by the settings.
    ///
    /// - Throws: ``CommandFailure`` if level or format is invalid.
    func logger(_ label: String) throws(CommandFailure) -> Logger {
        let levelName = text("log.level") ?? "info"
        guard let level = Logger.Level(rawValue: levelName) else {
            throw CommandFailure("log.level is one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        let format: LineLogHandler.Format?
        if let name = text("log.format") {
            format = LineLogHandler.Format(rawValue: name)
        } else {
            format = Console.isTerminal ? .text : .json
        }
        guard let format else { throw CommandFailure("log.format is json or text") }
        return Logger(label: label) { LineLogHandler(label: $0, format: format, logLevel: level) }
    }

    /// A table of every setting with its source and meaning, secrets hidden.
    var lines: [String] {
        var table = TextTable(header: ["SETTING", "VALUE", "SOURCE", "VARIABLE", "MEANING"])
        for setting in Setting.all {
            guard let value = values[setting.key] else { continue }
            table.rows.append([setting.key, shown(value, setting), value.source, setting.variable, setting.help])
        }
        return table.lines
    }

    private func shown(_ value: Value, _ setting: Setting) -> String {
        guard let content = value.content else { return "-" }
        guard !setting.isSecret else { return "(hidden)" }
        switch content {
        case .string(let text): return text
        case .int(let number): return String(number)
        case .double(let number): return String(number)
        case .bool(let flag): return String(flag)
        default: return "?"
        }
    }
}
