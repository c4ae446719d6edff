public import Postgres

/// A database that has the events of some lanes.
public struct Cell: Sendable {
    /// Its number; the coordinator is 0.
    public let number: Int16
    /// How to connect to it.
    public let database: ConnectionConfiguration
    /// The lanes whose events it has.
    public let lanes: Set<Int16>

    /// - Parameters: as the properties of the same names.
    public init(number: Int16, database: ConnectionConfiguration, lanes: Set<Int16>) {
        self.number = number
        self.database = database
        self.lanes = lanes
    }
}

/// The databases that the log is in: one, or the cells of a cluster. The first is the coordinator, the database that the service is told
/// of: it has apps, keys and whatever else is no event.
public struct Cells: Sendable {
    /// In the order of their numbers.
    public let all: [Cell]
    /// The index of each lane's cell.
    private let indices: [Int]

    /// One database, which has every lane.
    public init(alone database: ConnectionConfiguration) {
        all = [Cell(number: 0, database: database, lanes: Set((0..<Int16(EventLane.count))))]
        indices = Array(repeating: 0, count: EventLane.count)
    }

    /// The cells that a coordinator knows.
    ///
    /// - Throws: `PostgresError`, also if a lane is in no cell or in several.
    public init(_ cells: [Cell]) throws {
        let sorted = cells.sorted { $0.number < $1.number }
        var indices: [Int] = []
        for lane in 0..<Int16(EventLane.count) {
            let found = sorted.indices.filter { sorted[$0].lanes.contains(lane) }
            guard found.count == 1, sorted.first?.number == 0 else {
                throw PostgresError(unexpected: "lane \(lane) is in \(found.count) cells: see `notilog cluster status`")
            }
            indices.append(found[0])
        }
        all = sorted
        self.indices = indices
    }

    /// Reads the cells that a database knows as their coordinator.
    ///
    /// - Parameter database: that database: the sessions in other cells have the same settings.
    /// - Throws: `PostgresError`, also if the database is one of the other cells.
    public static func read(_ database: ConnectionConfiguration, on connection: Connection) async throws -> Cells {
        let own: Int16 = try await connection.query("SELECT cell FROM log.state").only().get(0)
        guard own == 0 else {
            throw PostgresError(
                unexpected:
                    "this database is cell \(own) of a cluster: give the coordinator's URL in --database-url or NOTILOG_DATABASE_URL"
            )
        }
        return try await known(to: database, on: connection)
    }

    /// Reads the cells that a database knows: itself alone, unless it is a coordinator.
    ///
    /// - Throws: `PostgresError`.
    public static func known(to database: ConnectionConfiguration, on connection: Connection) async throws -> Cells {
        let rows = try await connection.query("SELECT cell, url, lanes FROM notilog.cell ORDER BY cell")
        guard !rows.isEmpty else { return Cells(alone: database) }
        return try Cells(
            rows.map { row in
                var other = database
                if let url = try row.get(1, as: String?.self) {
                    other.connectionString = url
                    other.database = nil
                }
                return Cell(number: try row.get(0), database: other, lanes: Set(try row.get(2, as: [Int16].self)))
            }
        )
    }

    /// Whether others are the same databases, reached in the same way.
    public func isSame(as other: Cells) -> Bool {
        all.count == other.all.count
            && zip(all, other.all).dropFirst().allSatisfy {
                $0.number == $1.number && $0.lanes == $1.lanes
                    && $0.database.connectionString == $1.database.connectionString
            }
    }

    /// The same for a pool of the coordinator.
    ///
    /// - Throws: as ``read(_:on:)``.
    public static func read(_ pool: Pool) async throws -> Cells {
        try await pool.withConnection { try await read(pool.configuration, on: $0) }
    }

    /// Lends a pool to the database that has a device: the coordinator's, or one that is opened for it.
    ///
    /// - Parameters:
    ///   - id: the device's id as the log has it.
    ///   - pool: that of the coordinator.
    /// - Throws: `PostgresError`; errors of `body`.
    public func withPool<Value: Sendable>(
        ofDevice id: String,
        _ pool: Pool,
        _ body: (Pool) async throws -> Value
    ) async throws -> Value {
        let cell = cell(ofDevice: id)
        guard cell.number > 0 else { return try await body(pool) }
        return try await Pool.with(cell.database, limit: 1, body)
    }

    /// The database that the service is told of.
    public var coordinator: Cell { all[0] }

    /// Whether there is one database alone.
    public var isAlone: Bool { all.count == 1 }

    /// The index of a lane's cell in ``all``.
    func index(ofLane lane: Int) -> Int { indices[lane] }

    /// The cell that has a device.
    ///
    /// - Parameter id: its id as the log has it.
    public func cell(ofDevice id: String) -> Cell { all[indices[EventLane.of(device: id)]] }
}
