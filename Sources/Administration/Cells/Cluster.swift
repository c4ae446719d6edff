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

    /// Makes databases the cells of a cluster. All must be empty, as positions of a cell's log end with its number. What broke off goes on
    /// when it is done again.
    ///
    /// - Parameters:
    ///   - urls: the other cells, from number 1 on.
    ///   - coordinatorTakesEvents: whether the coordinator has lanes of its own.
    /// - Throws: ``AdministrationError`` if there are too many or too few, or a database has events already; `PostgresError`.
    public func form(_ urls: [String], coordinatorTakesEvents: Bool) async throws {
        let takers = urls.count + (coordinatorTakesEvents ? 1 : 0)
        guard !urls.isEmpty, takers <= EventLane.count else {
            throw AdministrationError("a cluster has 1 to \(EventLane.count) cells that take events: give their URLs")
        }
        let lanes = (coordinatorTakesEvents ? [] : [[]]) + Self.lanes(among: takers)
        do {
            let cluster = try await Connection.with(coordinator) { connection in
                try await migrator.migrate(on: connection)
                return try await connection.withTransaction { try await found(urls, lanes, on: $0) }
            }
            for (index, url) in urls.enumerated() {
                try await Connection.with(other(url)) { connection in
                    try await migrator.migrate(on: connection)
                    try await join(cluster, Int16(index + 1), lanes[index + 1], of: Int16(lanes.count), on: connection)
                }
            }
            try await Connection.with(coordinator) { connection in
                try await connection.query("SELECT notilog.gather_counts()")
                // What was made now gets its owner and its rights.
                try await migrator.migrate(on: connection)
                // The coordinator's server has to reach the cells by itself.
                try await connection.query("SELECT cell.leave(cell.begin(cell)) FROM notilog.cell WHERE cell > 0")
            }
        } catch let error as PostgresError where error.sqlState == SQLState.objectNotInPrerequisiteState {
            throw AdministrationError(error.message)
        } catch let error as PostgresError where error.sqlState == SQLState.silentCell {
            throw AdministrationError(
                "the coordinator's server cannot connect: \(error.message) (\(error.detail ?? ""))"
            )
        }
    }

    /// - Returns: the cluster's id.
    private func found(_ urls: [String], _ lanes: [[Int16]], on connection: Connection) async throws -> String {
        try await connection.query("SELECT cell.prepare($1)", [.texts(urls)])
        let cluster: String = try await connection.query(
            "SELECT coalesce(cluster, gen_random_uuid())::text FROM log.state"
        ).only().get(0)
        try await join(cluster, 0, lanes[0], of: Int16(lanes.count), on: connection)
        for (number, url) in ([nil] + urls).enumerated() {
            try await connection.query(
                "INSERT INTO notilog.cell (cell, url, lanes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                [.int2(Int16(number)), .text(url), .int2s(lanes[number])]
            )
        }
        return cluster
    }

    private func join(
        _ cluster: String,
        _ number: Int16,
        _ lanes: [Int16],
        of cells: Int16,
        on connection: Connection
    ) async throws {
        try await connection.query(
            "SELECT notilog.join_cluster($1::text::uuid, $2, $3, $4)",
            [.text(cluster), .int2(number), .int2s(lanes), .int2s((0..<cells).filter { $0 != number })]
        )
    }

    private func other(_ url: String) -> ConnectionConfiguration {
        var configuration = coordinator
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
