internal import Postgres

/// One batch of one group: what is new is applied and the checkpoint moved, in one transaction.
struct ProjectionBatch: Sendable {
    let group: ProjectionGroup

    enum Outcome: Sendable, Equatable {
        /// Applied up to a position; `isBehind` where there is more at once.
        case applied(from: Int64, to: Int64, isBehind: Bool)
        /// Nothing new that may be applied; this far it is applied.
        case idle(at: Int64)
        /// Another service applies this group now.
        case busy
        /// It was told to stand still.
        case paused
    }

    static let sessionSettings = [
        "search_path": "projection, log, pg_catalog, pg_temp",
        // What a crash takes back is applied again: rows and checkpoint are one transaction.
        "synchronous_commit": "off",
        "jit": "off",
        "work_mem": "64MB",
        "temp_buffers": "64MB",
        "statement_timeout": "600s",
        "lock_timeout": "30s",
        // A projector that stands still in a batch, as its process does, makes room for another.
        "idle_in_transaction_session_timeout": "10s",
        "tcp_user_timeout": "10s",
    ]

    /// - Parameter limit: the most positions.
    /// - Throws: `PostgresError`; nothing was applied then.
    func apply(on connection: Connection, limit: Int64) async throws -> Outcome {
        try await connection.withTransaction { connection in
            // Under the lock first and then, with a newer snapshot, the checkpoint: two services never do one batch both.
            let lock = try await connection.query(
                "SELECT pg_try_advisory_xact_lock(hashtextextended('notilog projection ' || $1, 0)), log.erasure_gate()",
                [.text(group.leader)]
            )
            guard try lock.only().get(0, as: Bool.self) else { return .busy }
            let bounds = try await bounds(on: connection, limit: limit)
            if bounds.isPaused { return .paused }
            guard bounds.upTo > bounds.after else { return .idle(at: bounds.after) }
            for member in group.members {
                try await connection.query(
                    "SELECT projection.\(member)_apply($1, $2)",
                    [.int8(bounds.after), .int8(bounds.upTo)]
                )
            }
            try await move(from: bounds.after, to: bounds.upTo, on: connection)
            return .applied(from: bounds.after, to: bounds.upTo, isBehind: bounds.upTo < bounds.target)
        }
    }

    private struct Bounds {
        var after: Int64
        var upTo: Int64
        var target: Int64
        var isPaused: Bool
    }

    private func bounds(on connection: Connection, limit: Int64) async throws -> Bounds {
        let rows = try await connection.query(
            """
            SELECT c.position, c.paused, least(s.settled_position, (
              SELECT min(coalesce(a.position, 0)) FROM unnest($2::text[]) AS l (name)
              LEFT JOIN projection.checkpoint a USING (name)))
            FROM log.state s LEFT JOIN projection.checkpoint c ON c.name = $1
            """,
            [.text(group.leader), .texts(group.after)]
        )
        let row = try rows.only()
        let after = try row.get(0, as: Int64?.self) ?? 0
        let target: Int64 = try row.get(2)
        return Bounds(
            after: after,
            upTo: min(target, after + limit),
            target: target,
            isPaused: try row.get(1, as: Bool?.self) ?? false
        )
    }

    /// Compare and set: had somebody else moved it, this batch is rolled back.
    private func move(from: Int64, to: Int64, on connection: Connection) async throws {
        let rows = try await connection.query(
            """
            INSERT INTO projection.checkpoint AS c (name, position, updated_at) VALUES ($1, $3, clock_timestamp())
            ON CONFLICT (name) DO UPDATE SET position = excluded.position, updated_at = excluded.updated_at, failure = NULL
            WHERE c.position = $2
            """,
            [.text(group.leader), .int8(from), .int8(to)]
        )
        guard rows.affected == 1 else {
            throw PostgresError(unexpected: "the checkpoint of \(group.leader) was moved by somebody else")
        }
    }

    /// Keeps why the last batch failed, for those who look at the projections.
    func record(failure: String, on connection: Connection) async throws {
        try await connection.query(
            """
            INSERT INTO projection.checkpoint (name, failure) VALUES ($1, $2)
            ON CONFLICT (name) DO UPDATE SET failure = excluded.failure
            """,
            [.text(group.leader), .text(failure)]
        )
    }
}
