/// Where a database is and how a session with it is set up.
public struct ConnectionConfiguration: Sendable {
    /// A URL or a libpq connection string (PostgreSQL documentation, 34.1.1); nil takes libpq's own environment: `PG*`
    /// variables, service and password files. TLS is libpq's too: `sslmode`, `sslrootcert`, `sslcert`, ….
    ///
    /// It may hold a password: never log it.
    public var connectionString: String?
    /// The name shown in `pg_stat_activity`.
    public var applicationName: String
    /// The database instead of the connection string's; nil keeps that.
    public var database: String?
    /// Seconds to wait for a connection, unless the connection string or the environment says otherwise.
    public var connectTimeoutSeconds: Int
    /// Milliseconds that sent data may stay unacknowledged before the socket is given up (`tcp_user_timeout`); nil
    /// leaves libpq's default.
    public var tcpUserTimeoutMilliseconds: Int?
    /// Settings of the session, such as `statement_timeout`, made right after connecting.
    public var settings: [String: String]

    /// - Parameters: as the properties of the same names.
    public init(
        connectionString: String? = nil,
        applicationName: String = "notilog",
        database: String? = nil,
        connectTimeoutSeconds: Int = 5,
        tcpUserTimeoutMilliseconds: Int? = 30_000,
        settings: [String: String] = [:]
    ) {
        self.connectionString = connectionString
        self.applicationName = applicationName
        self.database = database
        self.connectTimeoutSeconds = connectTimeoutSeconds
        self.tcpUserTimeoutMilliseconds = tcpUserTimeoutMilliseconds
        self.settings = settings
    }

    /// The same database, with settings added or replaced.
    public func with(settings more: [String: String], applicationName: String? = nil) -> ConnectionConfiguration {
        var copy = self
        copy.settings.merge(more) { _, new in new }
        if let applicationName { copy.applicationName = applicationName }
        return copy
    }

    /// How long a call waits for the server's answer before it breaks the connection off: the session's
    /// `statement_timeout`, which the server keeps, and ten seconds for it to say so. Nil where the session has none.
    ///
    /// A frozen server, or a network that drops everything, enforces no timeout.
    var answerLimit: Duration? {
        guard let timeout = settings["statement_timeout"].flatMap(Self.duration), timeout > .zero else { return nil }
        return timeout + .seconds(10)
    }

    /// A time as PostgreSQL's settings give it: a whole number with a unit, or of milliseconds (PostgreSQL documentation,
    /// "Parameter Names and Values"). Nil where it is none.
    static func duration(_ text: String) -> Duration? {
        let number = text.prefix { $0.isASCII && $0.isNumber }
        // No setting of a time holds more.
        guard let value = Int32(number).map(Int64.init) else { return nil }
        return switch text.dropFirst(number.count).trimmingPrefix(" ") {
        case "us": .microseconds(value)
        case "", "ms": .milliseconds(value)
        case "s": .seconds(value)
        case "min": .seconds(value * 60)
        case "h": .seconds(value * 3600)
        case "d": .seconds(value * 86_400)
        default: nil
        }
    }

    /// libpq's keywords and values. A connection string in `dbname` overrides those before it, and those after it override the
    /// string (PostgreSQL documentation, PQconnectdbParams).
    var parameters: [(keyword: String, value: String)] {
        var list: [(String, String)] = [
            ("connect_timeout", String(connectTimeoutSeconds)),
            ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
        ]
        if let tcpUserTimeoutMilliseconds { list.append(("tcp_user_timeout", String(tcpUserTimeoutMilliseconds))) }
        if let connectionString { list.append(("dbname", connectionString)) }
        if let database { list.append(("dbname", database)) }
        list.append(("application_name", applicationName))
        list.append(("client_encoding", "UTF8"))
        return list
    }

    /// The settings of every session: time zone and formats that this module's decoding stands on, and a server that
    /// notices a client that is gone, be it while it still computes or while it holds locks and waits. Without JIT: compiling a
    /// statement takes longer than any of ours runs faster by it.
    var sessionSettings: [String: String] {
        var all = [
            "TimeZone": "UTC", "DateStyle": "ISO, YMD", "IntervalStyle": "iso_8601", "bytea_output": "hex",
            "client_connection_check_interval": "1s", "jit": "off",
            "tcp_keepalives_idle": "30", "tcp_keepalives_interval": "10", "tcp_keepalives_count": "3",
        ]
        all.merge(settings) { _, new in new }
        return all
    }
}
