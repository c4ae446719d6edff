internal import EventLog
public import Postgres
public import Schema

/// The databases that share the devices of one service.
public struct Cluster: Sendable {
    private let coordinator: ConnectionConfiguration
    private let migrator: Migrator

    /// - Parameters:
    ///   - coordinator: the database that the service is told of.
    ///   - migrator: brings each cell's schema to this release.
    public init(_ coordinator: ConnectionConfiguration, migrator: Migrator) {
        self.coordinator = coordinator
        self.migrator = migrator
    }

    /// Makes databases the cells of a cluster: all of them, or none. All must be empty, as positions of a cell's log end with its number.
    /// What broke off goes on when it is done again.
    ///
    /// - Parameters:
    ///   - urls: the other cells, from number 1 on.
    ///   - coordinatorTakesEvents: whether the coordinator has lanes of its own.
    /// - Throws: ``AdministrationError`` if there are too many or too few, or one cannot be a cell, as it has events already;
    ///   `PostgresError`.
    public func form(_ urls: [String], coordinatorTakesEvents: Bool) async throws {
        let takers = urls.count + (coordinatorTakesEvents ? 1 : 0)
        guard !urls.isEmpty, takers <= EventLane.count else {
            throw AdministrationError("a cluster has 1 to \(EventLane.count) cells that take events: give their URLs")
        }
        let lanes = (coordinatorTakesEvents ? [] : [[]]) + Self.lanes(among: takers)
        do {
            try await Connection.with(coordinator) { _ = try await migrator.migrate(on: $0) }
            for (index, url) in urls.enumerated() {
                try await ofCell(index + 1) {
                    try await Connection.with(other(url)) { _ = try await migrator.migrate(on: $0) }
                }
            }
            try await Connection.with(coordinator) { connection in
                try await found(urls, lanes, on: connection)
                try await connection.query("SELECT notilog.gather_counts()")
                // What was made now gets its owner and its rights.
                try await migrator.migrate(on: connection)
            }
        } catch let error as PostgresError where error.sqlState == SQLState.objectNotInPrerequisiteState {
            throw AdministrationError(error.message)
        } catch let error as PostgresError where error.sqlState == SQLState.silentCell {
            throw AdministrationError(
                "the coordinator's server cannot connect: \(error.message) (\(error.detail ?? ""))"
            )
        }
    }

    /// Opens a transaction in one other cell after the other, then makes all of them cells.
    ///
    /// - Parameter others: those that are open.
    private func found(
        _ urls: [String],
        _ lanes: [[Int16]],
        on coordinator: Connection,
        _ others: [Connection] = []
    ) async throws {
        guard others.count == urls.count else {
            return try await Connection.with(other(urls[others.count])) { connection in
                try await connection.withTransaction { connection in
                    try await found(urls, lanes, on: coordinator, others + [connection])
                }
            }
        }
        // Committed before those of the others: what breaks off then goes on from what the coordinator knows.
        try await coordinator.withTransaction { try await join(urls, lanes, $0, others) }
    }

    /// Makes the cells known to the coordinator, and each of them a cell.
    private func join(
        _ urls: [String],
        _ lanes: [[Int16]],
        _ coordinator: Connection,
        _ others: [Connection]
    ) async throws {
        try await coordinator.query("SELECT cell.prepare($1)", [.texts(urls)])
        for (number, url) in ([nil] + urls).enumerated() {
            try await coordinator.query(
                "INSERT INTO notilog.cell (cell, url, lanes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                [.int2(Int16(number)), .text(url), .int2s(lanes[number])]
            )
        }
        // The coordinator's server has to reach the cells by itself.
        try await coordinator.query("SELECT notilog.reach_cells()")
        let row = try await coordinator.query(
            "SELECT coalesce(s.cluster, gen_random_uuid())::text, k.secret FROM log.state s, log.erasure_secret k"
        ).only()
        let (cluster, secret): (String, [UInt8]?) = (try row.get(0), try row.get(1))
        for (number, connection) in ([coordinator] + others).enumerated() {
            let neighbours = lanes.indices.filter { $0 != number }.map { Int16($0) }
            try await ofCell(number) {
                _ = try await connection.query(
                    "SELECT notilog.join_cluster($1::text::uuid, $2, $3, $4, $5)",
                    [
                        .text(cluster), .int2(Int16(number)), .int2s(lanes[number]), .int2s(neighbours),
                        .bytea(secret),
                    ]
                )
            }
        }
    }

    /// Says of which cell an error is, as advice on the command's own database would be wrong.
    private func ofCell(_ number: Int, _ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let error as SchemaError {
            throw AdministrationError("cell \(number): \(error.message)")
        } catch let error as PostgresError where error.sqlState != SQLState.objectNotInPrerequisiteState {
            let advice =
                switch error.sqlState {
                case SQLState.insufficientPrivilege:
                    "; connect as a superuser, or as a member of notilog_owner if the database was migrated before"
                case SQLState.lockNotAvailable: "; give each cell a database of its own, which nothing uses yet"
                default: ""
                }
            throw AdministrationError("cell \(number): \(error.message)\(advice)")
        }
    }

    private func other(_ url: String) -> ConnectionConfiguration {
        // Two URLs may be of one database: its second transaction would wait for the first for ever.
        var configuration = coordinator.with(settings: ["lock_timeout": "3s"])
        configuration.connectionString = url
        configuration.database = nil
        return configuration
    }

    /// The lanes divided among cells, in runs: a cell's own lanes (`projection.current_lane`) share its devices evenly then.
    static func lanes(among cells: Int) -> [[Int16]] {
        (0..<cells).map { cell in
            let bounds = [cell, cell + 1].map { $0 * EventLane.count / cells }
            return (bounds[0]..<bounds[1]).map(Int16.init)
        }
    }
}
