internal import EventLog
internal import Logging
internal import Pacing
internal import Postgres
internal import Schema
internal import Settings

/// The service's pools of connections, one for each purpose: a long report delays neither ingest nor health, and requests for
/// health and metrics, which need no key, do not delay ingest.
struct Pools: Sendable {
    /// The limits of reading.
    struct Limits: Sendable {
        /// Connections for reports, pages and exports.
        let connections: Int
        /// The time limit of a report or page, in seconds.
        let seconds: Int

        /// Reads the settings.
        init(_ settings: SettingsReader) {
            connections = settings.integer(
                "database.read_connections",
                default: 4,
                atLeast: 1,
                atMost: 1000,
                "connections for reports, pages and exports"
            )
            seconds = settings.integer(
                "database.read_timeout_seconds",
                default: 30,
                atLeast: 1,
                atMost: 86_400,
                "timeout of a report or page"
            )
        }
    }

    /// For reports, pages and exports.
    let reading: Pool
    /// For numbering changes for exports, which may take long.
    let numbering: Pool
    /// For apps, keys, annotations, views, rules of alerts and digests, as requests ask for them.
    let administering: Pool
    /// For what ingest needs beside its writers: keys, the clock, and quarantine, which two apps at most add to at a time.
    let ingesting: Pool
    /// For health and metrics.
    let monitoring: Pool
    /// Read for reports and exports while it follows the database; nil without one.
    let standby: Standby?
    /// For rules of alerts, digests and their deliveries.
    let messages: Pool
    /// The databases that the log is in.
    let cells: Cells
    /// For what is read of one cell alone, such as a device, in the order of the cells; ``reading`` for a database that is alone.
    private let ofCells: [Pool]

    private static let numberingConnections = 2
    private static let administeringConnections = 2
    private static let ingestingConnections = 3
    private static let monitoringConnections = 1
    /// How many connections there are beside those for reading and for messages.
    static let besideReading =
        numberingConnections + administeringConnections + ingestingConnections + monitoringConnections

    private init(
        _ database: ConnectionConfiguration,
        _ cells: Cells,
        _ limits: Limits,
        _ standby: Standby.Options?,
        messageSessions: Int,
        _ logger: Logger
    ) {
        reading = Self.pool(database, limit: limits.connections, seconds: limits.seconds)
        numbering = Self.pool(database, limit: Self.numberingConnections, seconds: limits.seconds)
        administering = Self.pool(database, limit: Self.administeringConnections, seconds: 10)
        ingesting = Self.pool(database, limit: Self.ingestingConnections, seconds: 10)
        // Shorter than the wait for a connection, so that a slow query for one does not fail the other.
        monitoring = Self.pool(database, limit: Self.monitoringConnections, seconds: 4)
        messages = Self.pool(database, limit: max(messageSessions, 1), seconds: limits.seconds)
        self.cells = cells
        ofCells =
            cells.isAlone
            ? [reading]
            // The coordinator's functions that count ask no other cell then.
            : cells.all.map {
                let here = $0.database.with(settings: ["notilog.here": "on"])
                return Self.pool(here, limit: limits.connections, seconds: limits.seconds)
            }
        guard let standby else {
            self.standby = nil
            return
        }
        var copy = database.with(settings: ["default_transaction_read_only": "on"])
        copy.connectionString = standby.database
        self.standby = Standby(
            reading: Self.pool(copy, limit: limits.connections, seconds: limits.seconds),
            monitoring: Self.pool(copy, limit: 1, seconds: 4),
            primary: monitoring,
            lagLimit: standby.lagLimit,
            logger: logger
        )
    }

    /// Opens the pools of a store.
    init(_ store: ServiceStore, _ configuration: ServiceConfiguration, _ logger: Logger) {
        self.init(
            store.database,
            store.cells,
            configuration.reading,
            configuration.standby,
            messageSessions: configuration.messageSessions,
            logger
        )
    }

    /// The pools of the database itself, with the names that metrics have for them.
    var named: [(name: String, pool: Pool)] {
        [
            ("reading", reading), ("numbering", numbering), ("administering", administering), ("ingesting", ingesting),
            ("monitoring", monitoring), ("messages", messages),
        ] + (cells.isAlone ? [] : zip(cells.all, ofCells).map { ("cell \($0.number)", $1) })
    }

    /// For what is read of one cell alone.
    func ofCell(_ cell: Cell) -> Pool { ofCells[cells.all.firstIndex { $0.number == cell.number } ?? 0] }

    /// For what is read of one device, by its id as the log has it.
    func ofDevice(_ id: String) -> Pool { ofCell(cells.cell(ofDevice: id)) }

    /// Closes them.
    func shutDown() async {
        for (_, pool) in named { await pool.shutDown() }
        await standby?.shutDown()
    }

    private static func pool(_ database: ConnectionConfiguration, limit: Int, seconds: Int) -> Pool {
        Pool(
            database.with(
                settings: [
                    "statement_timeout": "\(seconds)s", "idle_in_transaction_session_timeout": "30s",
                ],
                applicationName: SessionName.serve.rawValue
            ),
            limit: limit,
            acquireTimeout: .seconds(5)
        )
    }
}
