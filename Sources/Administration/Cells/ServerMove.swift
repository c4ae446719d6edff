internal import EventLog
public import Postgres

/// Moves cells of a server to a standby of it, which is promoted once for all of them.
///
/// A standby is promoted as a whole: a cell that is left behind on the first server needs another standby to move later.
public struct ServerMove: Sendable {
    /// Which of the cells move. The coordinator never does.
    public enum Share: Sendable {
        /// All.
        case all
        /// Those whose bytes come closest to half of the server's.
        case half
    }

    /// A cell of the server.
    public struct Part: Sendable, Equatable {
        /// Its number.
        public let cell: Int16
        /// What it has on disk; nil where nobody asked.
        public let bytes: Int64?
        /// The URL of its database on the standby; nil if it stays.
        public let url: String?
        /// Whether a move of it there has begun, and not ended.
        let isBegun: Bool

        /// Where it is to be, as `host:port/database`; nil if it stays.
        public var place: String? { url.flatMap { ConnectionConfiguration(connectionString: $0).place } }
    }

    private let server: String
    private let url: String
    private let coordinator: ConnectionConfiguration
    private let limits: CellMove.Limits

    /// - Parameters:
    ///   - server: as `host:port`, the way `notilog cluster status` writes it.
    ///   - url: of the standby. Its database does not matter: each cell has the one of its own name.
    ///   - coordinator: the database that the service is told of, as a superuser.
    ///   - limits: how long to wait for what.
    public init(
        from server: String,
        to url: String,
        _ coordinator: ConnectionConfiguration,
        limits: CellMove.Limits = .init()
    ) {
        self.server = server
        self.url = url
        self.coordinator = coordinator
        self.limits = limits
    }

    /// Which cells move, and which stay. Where a move to this standby has not ended, that goes on.
    ///
    /// - Returns: the server's cells, by number.
    /// - Throws: ``AdministrationError`` if there is nothing to move; `PostgresError`.
    public func parts(_ share: Share) async throws -> [Part] {
        let standby = database(url)
        guard let newServer = standby.server, standby.connectionString(forDatabase: "") != nil else {
            throw AdministrationError("the standby's URL cannot be read: give it as postgresql://LOGIN@HOST:PORT")
        }
        guard newServer != server else {
            throw AdministrationError("\(server) is both servers: give the standby's URL")
        }
        let known = try await known()
        let begun = known.filter { $0.isMoving && ($0.target.map(database) ?? $0.cell.database).server == newServer }
        let own = known.filter { known in
            known.cell.database.server == server && !begun.contains { $0.cell.number == known.cell.number }
        }
        var parts = begun.map {
            Part(
                cell: $0.cell.number,
                bytes: nil,
                url: $0.target ?? $0.cell.database.connectionString,
                isBegun: true
            )
        }
        if share == .half, !begun.isEmpty { return parts }
        guard !begun.isEmpty || own.contains(where: { $0.cell.number != 0 }) else {
            throw AdministrationError(
                own.isEmpty
                    ? "no cell is on \(server): `notilog cluster status` names the servers"
                    : "\(server) has the coordinator alone: promote a standby of it, and start the services with its URL"
            )
        }
        var sizes: [Int16: Int64] = [:]
        if share == .half { for known in own { sizes[known.cell.number] = try await bytes(known.cell) } }
        let moving = share == .half ? Self.half(sizes) : Set(own.map(\.cell.number)).subtracting([0])
        guard !moving.isEmpty || !begun.isEmpty else {
            throw AdministrationError("\(server) has one cell, which cannot be divided: drain the server to move it")
        }
        parts += own.map { known in
            let name = known.cell.database.databaseName
            let url = moving.contains(known.cell.number) ? name.flatMap(standby.connectionString(forDatabase:)) : nil
            return Part(cell: known.cell.number, bytes: sizes[known.cell.number], url: url, isBegun: false)
        }
        return parts.sorted { $0.cell < $1.cell }
    }

    /// Moves the parts that have a URL, or goes on with a move that broke off.
    ///
    /// - Parameters:
    ///   - parts: from ``parts(_:)``.
    ///   - reached: told of each step that all of them have reached.
    /// - Throws: as `CellMove.run`.
    public func run(
        _ parts: [Part],
        reached: @escaping @Sendable (CellMove.Step) async -> Void = { _ in }
    ) async throws {
        try await run(parts, until: .opened, reached: reached)
    }

    /// Stops after a step, as a process does that is killed there.
    package func run(
        _ parts: [Part],
        until last: CellMove.Step,
        reached: @escaping @Sendable (CellMove.Step) async -> Void = { _ in }
    ) async throws {
        try await CellMove.withCourse(coordinator, until: last, reached: reached) { course in
            var plans: [CellMove.Plan] = []
            do {
                for part in parts {
                    guard let url = part.url else { continue }
                    plans.append(try await CellMove(of: part.cell, coordinator, limits: limits).plan(url))
                }
            } catch let error as AdministrationError {
                // Alone they may go on, such as those that were sealed when the standby was promoted.
                let begun = parts.filter(\.isBegun).map { "\($0.cell)" }
                guard !begun.isEmpty else { throw error }
                throw AdministrationError(
                    "\(error.message); a move of cell \(begun.joined(separator: ", ")) has not ended: "
                        + "go on with each by `notilog cluster move CELL`, with its URL or --reopen"
                )
            }
            try await CellMove.move(plans, course)
        }
    }

    /// The cells whose bytes come closest to half of all. At least one stays, and cell 0 always does.
    ///
    /// - Parameter bytes: of each cell of a server.
    /// - Returns: of several that come as close the fewest, and of those the lowest numbers; empty if there is nothing to divide.
    static func half(_ bytes: [Int16: Int64]) -> Set<Int16> {
        let movable = bytes.keys.filter { $0 != 0 }.sorted()
        let whole = bytes.values.reduce(0, +)
        // A cluster has eight cells at most.
        let choices = (1..<(1 << movable.count)).map { bits in
            movable.indices.filter { bits & (1 << $0) != 0 }.map { movable[$0] }
        }
        func distance(_ cells: [Int16]) -> Int64 { abs(2 * cells.reduce(0) { $0 + (bytes[$1] ?? 0) } - whole) }
        let best = choices.filter { $0.count < bytes.count }.min { one, other in
            let (first, second) = (distance(one), distance(other))
            guard first == second else { return first < second }
            guard one.count == other.count else { return one.count < other.count }
            return one.lexicographicallyPrecedes(other)
        }
        return Set(best ?? [])
    }

    // MARK: - The coordinator's list

    /// What the coordinator knows of a cell.
    private struct Known {
        var cell: Cell
        var isMoving: Bool
        /// Where it is to be; nil once it is there.
        var target: String?
    }

    private func known() async throws -> [Known] {
        try await Connection.with(coordinator) { connection in
            let cells = try await Cells.read(coordinator, on: connection)
            guard !cells.isAlone else {
                throw AdministrationError("this database is no cluster's coordinator: give the coordinator's URL")
            }
            let rows = try await connection.query(
                "SELECT move IS NOT NULL, target FROM notilog.cell ORDER BY cell"
            )
            return try zip(cells.all, rows).map { cell, row in
                Known(cell: cell, isMoving: try row.get(0), target: try row.get(1))
            }
        }
    }

    private func bytes(_ cell: Cell) async throws -> Int64 {
        do {
            return try await Connection.with(cell.database) {
                try await $0.query("SELECT bytes FROM log.cell_status()").only().get(0)
            }
        } catch let error as PostgresError {
            throw AdministrationError("cell \(cell.number): \(error)")
        }
    }

    private func database(_ url: String) -> ConnectionConfiguration {
        var other = coordinator
        (other.connectionString, other.database) = (url, nil)
        return other
    }
}
