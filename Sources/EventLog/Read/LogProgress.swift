public import Postgres

/// How far checkpoints have come in the log: in one database, or in each cell of a cluster.
public struct LogProgress: Sendable {
    /// The progress of one database.
    struct Part: Sendable {
        /// The number of the cell.
        let cell: Int16
        /// The position of its log that all of the checkpoints have passed.
        let position: Position
        /// The highest position drawn.
        var drawn: Position
    }

    private(set) var parts: [Part]
    /// Whether the databases are cells, whose positions end with the cell's number.
    public let isClustered: Bool
    /// The age of the oldest event beyond it, in seconds; 0 where there is none.
    public var lagSeconds: Double
    /// When it was read, microseconds since 1970.
    public var at: Int64

    /// The position that all of the checkpoints have passed; of several cells the lowest.
    public var position: Position { parts.map { given($0.position, $0) }.min() ?? .start }

    /// The positions of all cells; empty for a database that is alone.
    public var positions: [Position] { isClustered ? parts.map { given($0.position, $0) } : [] }

    private func given(_ position: Position, _ part: Part) -> Position {
        isClustered ? position.given(by: part.cell) : position
    }

    /// The first of some positions, as clients have them, that was not passed; nil if all were.
    public func firstMissing(of wanted: [Position]) -> Position? {
        wanted.first { wanted in
            part(of: wanted).map { $0.position < (isClustered ? wanted.inCell : wanted) } ?? true
        }
    }

    /// The first of some positions, as clients have them, that was never drawn; nil if all were.
    public func firstUnassigned(of wanted: [Position]) -> Position? {
        wanted.first { wanted in
            part(of: wanted).map { $0.drawn < (isClustered ? wanted.inCell : wanted) } ?? true
        }
    }

    private func part(of wanted: Position) -> Part? {
        isClustered ? parts.first { $0.cell == wanted.cell } : parts.first
    }

    /// The app that asks. Only its own slices hold its position back.
    public enum App: Sendable {
        case id(AppID)
        case name(String)
    }

    /// Reads it.
    ///
    /// - Parameters:
    ///   - checkpoints: their names; `log` is where every position is settled.
    ///   - app: whose events the checkpoints must have passed with all that follows from them.
    /// - Throws: `PostgresError`.
    public static func read(
        _ checkpoints: [String],
        of app: App,
        on connection: Connection
    ) async throws -> LogProgress {
        try LogProgress(try await connection.query(sql, parameters(checkpoints, app)))
    }

    /// Locks the checkpoints: the first statement of a transaction that reads them and tables of projections on one snapshot. The
    /// lock comes before the snapshot, so no version can be swapped between the two.
    ///
    /// - Throws: `PostgresError`.
    public static func lockCheckpoints(on connection: Connection) async throws {
        try await connection.query("LOCK TABLE projection.checkpoint IN ACCESS SHARE MODE")
    }

    /// The default timeout of the wait for a client's `min_position`.
    public static let defaultTimeout = Duration.seconds(5)

    /// The message for a `min_position` that was never assigned.
    public static func unassigned(_ position: Position) -> String {
        "min_position is \(position), a position that the log has not assigned yet"
    }

    /// The message for a `min_position` that was not reached in time.
    ///
    /// - Parameter what: what is read, such as `report`.
    public static func behind(_ what: String, at reached: Position, _ position: Position) -> String {
        "the \(what) is at position \(reached) and did not reach \(position) in time"
    }

    /// Waits until the checkpoints have passed positions, so that a client reads its own writes.
    ///
    /// - Parameters:
    ///   - positions: as clients have them.
    ///   - app: as in ``read(_:of:on:)``.
    ///   - timeout: the longest wait.
    ///   - pool: lends connections to the database that is read.
    ///   - primary: lends a connection to the primary, if `pool` is of a standby, which does not know the newest positions.
    /// - Returns: their final progress. It does not wait for a position that was never assigned.
    /// - Throws: `PostgresError`; `CancellationError`.
    public static func wait(
        for positions: [Position],
        _ checkpoints: [String],
        of app: App,
        timeout: Duration,
        _ pool: Pool,
        primary: Pool? = nil
    ) async throws -> LogProgress {
        let deadline = ContinuousClock.now + timeout
        var assigned = Position.start
        while true {
            var now = try LogProgress(try await pool.query(sql, parameters(checkpoints, app)))
            if let primary, let unassigned = now.firstUnassigned(of: positions), assigned < unassigned {
                // If the primary does not answer, wait for the standby.
                assigned = try await Self.drawn(primary) ?? unassigned
            }
            now.assigned(upTo: assigned)
            guard now.firstMissing(of: positions) != nil, now.firstUnassigned(of: positions) == nil,
                ContinuousClock.now < deadline
            else { return now }
            // Another process may move them, so no signal of this process would end the wait.
            try await ContinuousClock().sleep(for: .milliseconds(20))
        }
    }

    /// A standby's database is alone.
    private mutating func assigned(upTo position: Position) {
        guard !isClustered, !parts.isEmpty else { return }
        parts[0].drawn = max(parts[0].drawn, position)
    }

    /// The highest position drawn; nil if the database does not answer.
    private static func drawn(_ pool: Pool) async throws -> Position? {
        do {
            return try await LogPositions.read(pool).drawn
        } catch is PostgresError {
            return nil
        }
    }

    private static let sql = """
        SELECT cell, is_clustered, position, lag_seconds, drawn, at
        FROM reporting.progress_counts(coalesce($2, (SELECT a.app_id FROM notilog.app a WHERE a.name = $3)), $1)
        """

    private static func parameters(_ checkpoints: [String], _ app: App) -> [Parameter] {
        switch app {
        case .id(let id): [.texts(checkpoints), .app(id), .text(nil)]
        case .name(let name): [.texts(checkpoints), .int4(nil), .text(name)]
        }
    }

    private init(_ rows: Rows) throws {
        parts = []
        isClustered = try rows.first?.get(1) ?? false
        lagSeconds = 0
        at = .max
        for row in rows {
            parts.append(Part(cell: try row.get(0), position: try row.get(2), drawn: try row.get(4)))
            lagSeconds = max(lagSeconds, try row.get(3))
            at = min(at, try row.get(5))
        }
    }
}
