public import Postgres
public import Schema

/// The progress of the projections, for the service's answers and for commands.
public struct ProjectionCheckpoints: Sendable {
    /// The projections.
    public let catalogue: ProjectionCatalogue
    let pool: Pool

    /// - Parameters:
    ///   - catalogue: the projections.
    ///   - pool: lends connections.
    public init(catalogue: ProjectionCatalogue, pool: Pool) {
        self.catalogue = catalogue
        self.pool = pool
    }

    /// The progress of every projection, in the order of application.
    ///
    /// - Throws: `PostgresError`.
    public func status() async throws -> [ProjectionStatus] {
        let rows = try await pool.query(
            """
            SELECT name, position, paused, updated_at, failure, lag_events, lag_seconds, set_aside,
              rebuild_begun_after, rebuild_position, rebuild_target, lanes FROM projection.status($1)
            """,
            [.texts(catalogue.groups.map(\.leader))]
        )
        var leaders: [String: ProjectionStatus] = [:]
        for row in rows {
            let name: String = try row.get(0)
            leaders[name] = ProjectionStatus(
                name: name,
                leader: name,
                position: try row.get(1),
                lagEvents: try row.get(5),
                lagSeconds: max(0, try row.get(6)),
                failure: try row.get(4),
                isPaused: try row.get(2),
                updatedAt: try row.get(3),
                setAside: try row.get(7),
                rebuild: try Self.rebuild(row),
                lanes: try row.get(11, as: [Int64]?.self) ?? []
            )
        }
        return catalogue.groups.flatMap { group in
            group.members.compactMap { name in
                var status = leaders[group.leader]
                status?.name = name
                return status
            }
        }
    }

    /// The progress of verifications, by the leader of the group. One that was interrupted may have left its version.
    ///
    /// - Throws: `PostgresError`.
    public func verifications() async throws -> [String: ProjectionBuildProgress] {
        let rows = try await pool.query(
            """
            SELECT v.leader, p.begun_after, p.position, p.target FROM projection.version v,
              projection.build_progress(v.schema_name, v.leader) p WHERE starts_with(v.schema_name, 'projection_verify_')
            """
        )
        return try rows.reduce(into: [:]) { all, row in
            all[try row.get(0, as: String.self)] =
                ProjectionBuildProgress(begunAfter: try row.get(1), position: try row.get(2), target: try row.get(3))
        }
    }

    private static func rebuild(_ row: Row) throws -> ProjectionBuildProgress? {
        guard let position = try row.get(9, as: Int64?.self) else { return nil }
        return ProjectionBuildProgress(begunAfter: try row.get(8), position: position, target: try row.get(10))
    }

    /// The lowest position up to which all of these projections are complete: no slices are left of any event up to it.
    ///
    /// - Parameter projections: their names; empty means all.
    /// - Throws: `PostgresError`.
    public func position(of projections: [String] = []) async throws -> Int64 {
        let names = projections.isEmpty ? catalogue.groups.map(\.leader) : leaders(of: projections)
        return try await pool.query(
            """
            SELECT coalesce(min(coalesce(least(c.position, c.unfinished_after), 0)), 0) FROM unnest($1::text[]) AS l (name)
            LEFT JOIN projection.checkpoint c USING (name)
            """,
            [.texts(names)]
        ).only().get(0)
    }

    /// Waits until projections have passed a position.
    ///
    /// - Parameters:
    ///   - position: of the log.
    ///   - projections: their names; empty means all.
    ///   - timeout: the longest wait.
    /// - Returns: false after the timeout.
    /// - Throws: `PostgresError`; `CancellationError`.
    public func waitUntil(position: Int64, projections: [String] = [], timeout: Duration) async throws -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now + timeout
        while try await self.position(of: projections) < position {
            guard clock.now < deadline else { return false }
            // Another process may apply them, so nothing here can signal it.
            try await clock.sleep(for: .milliseconds(20))
        }
        return true
    }

    /// Pauses or resumes a projection, and those that share its checkpoint.
    ///
    /// - Throws: `SchemaError` for an unknown name; `PostgresError`.
    public func setPaused(_ isPaused: Bool, projection: String) async throws {
        let group = try group(of: projection)
        try await pool.query("SELECT projection.set_paused($1, $2)", [.text(group.leader), .bool(isPaused)])
    }

    private func leaders(of projections: [String]) -> [String] {
        Set(projections.compactMap { catalogue.group(of: $0)?.leader }).sorted()
    }
}
