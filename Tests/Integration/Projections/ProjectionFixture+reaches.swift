import Postgres
import Projections

extension ProjectionFixture {
    /// Waits until every projection has applied a position, as long as the first of them moves.
    ///
    /// - Throws: ``DeadlinePassed`` if it stands still, with what each lane and each session of the database was at.
    func reaches(_ end: Int64, _ what: String, movingWithin limit: Duration = .seconds(180)) async throws {
        do {
            try await eventually(what, reaching: end, movingWithin: limit) { try await checkpoints.position() }
        } catch let error as DeadlinePassed {
            throw DeadlinePassed(
                description: "\(error.description)\n\(try await lanesAndSessions().joined(separator: "\n"))"
            )
        }
    }

    private func lanesAndSessions() async throws -> [String] {
        let lanes = try await connection.query(
            """
            SELECT concat_ws(' ', 'lane', name, lane, position, 'unfinished after', unfinished_after, failure) FROM projection.checkpoint
            """,
            cached: false
        )
        let sessions = try await connection.query(
            """
            SELECT concat_ws(' ', 'session', application_name, state, wait_event, 'since', clock_timestamp() - state_change,
              'blocked by', pg_blocking_pids(pid), 'at', left(query, 120)) FROM pg_stat_activity WHERE datname = current_database()
            """,
            cached: false
        )
        return try (lanes.map { try $0.get(0) }) + (sessions.map { try $0.get(0) })
    }
}
