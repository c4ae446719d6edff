public import EventLog
public import Logging
public import Pacing
public import Postgres

/// Tells the other cells of the coordinator's apps, under the same numbers.
public struct CellMirror: Sendable {
    private let cells: Cells
    private let pool: Pool

    /// - Parameters:
    ///   - cells: the databases.
    ///   - pool: lends a connection to the coordinator.
    public init(_ cells: Cells, _ pool: Pool) {
        self.cells = cells
        self.pool = pool
    }

    /// Makes the apps of every other cell those of the coordinator.
    ///
    /// - Returns: how many were made or changed, in all cells.
    /// - Throws: the first `PostgresError`, after every cell was tried.
    @discardableResult
    public func mirror() async throws -> Int {
        guard !cells.isAlone else { return 0 }
        let apps: String = try await pool.query("SELECT notilog.mirrored_apps()::text").only().get(0)
        var changed = 0
        var failure: (any Error)?
        for cell in cells.all.dropFirst() {
            do {
                changed += try await Connection.with(cell.database) { connection in
                    Int(
                        try await connection.query("SELECT notilog.mirror_apps($1)", [.jsonb(apps)]).only().get(
                            0,
                            as: Int32.self
                        )
                    )
                }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return changed
    }

    /// Mirrors every few seconds.
    ///
    /// - Parameter logger: receives how many apps were made or changed, and errors.
    public func mirroring(logger: Logger) -> Recurring {
        Recurring("tell cells of apps", every: .pause(.seconds(2)), logger: logger) { try await mirror() }
    }
}

extension Administration {
    /// Tells the other cells of the apps as they are now. Services do so too, every few seconds.
    ///
    /// - Throws: the first `PostgresError`, after every cell was tried.
    func mirror() async throws {
        try await CellMirror(Cells.read(pool), pool).mirror()
    }
}
