internal import EventLog
internal import NotificationEvents
internal import Pacing
internal import Postgres
internal import Schema

extension Retention {
    /// Drops one partition, or resumes a drop.
    ///
    /// - Returns: the number of events it held.
    func drop(_ step: RetentionStep, _ horizon: Timestamp, on connection: Connection) async throws -> Int64 {
        // First the floor, then the appends that may not have seen it: after that no event is stored in it.
        for statement in [
            "SELECT log.retention_begin($1)", "CALL log.drain_appends()", "SELECT log.retention_close($1)",
        ] {
            let parameters: [Parameter] = statement.contains("$1") ? [.text(step.partition)] : []
            try await retrying(for: options.lockTimeout) { try await connection.query(statement, parameters) }
        }
        try await expectFree(step, horizon, on: connection)

        let groups = catalogue.groups
        for (done, group) in groups.enumerated() {
            onProgress(step, done, groups.count)
            try await retrying(for: options.lockTimeout) { try await prepareBaseline(group, on: connection) }
            try await repeating { try await applyToBaseline(group, step, on: connection) }
        }
        onProgress(step, groups.count, groups.count)
        // The runs tell of all of the partition's snapshots: only once nothing has any of them left to apply. A version that began
        // meanwhile, from a baseline that held some of the partition, has; one that begins from now on holds all of it.
        try await expectFree(step, horizon, on: connection)
        try await retrying(for: options.lockTimeout) {
            try await connection.query("SELECT log.retention_keep_runs($1)", [.text(step.partition)])
        }
        try await repeating { try await cut(step, on: connection) }
        try await dropTable(step, on: connection)
        return try await connection.query(
            "SELECT events FROM log.dropped_partition WHERE name = $1",
            [.text(step.partition)]
        ).only().get(0)
    }

    /// - Throws: ``RetentionError`` if a reader of the log has not passed a partition.
    private func expectFree(_ step: RetentionStep, _ horizon: Timestamp, on connection: Connection) async throws {
        guard let now = try await plan(horizon, on: connection).first, now.partition == step.partition else {
            throw RetentionError.busy
        }
        guard now.heldBy.isEmpty else { throw RetentionError.held(now) }
    }

    /// Repeats a step of the work, each in a transaction, until nothing is left.
    private func repeating(_ part: () async throws -> Bool) async throws {
        while try await retrying(for: options.lockTimeout, part) { try Task.checkCancellation() }
    }

    private func cut(_ step: RetentionStep, on connection: Connection) async throws -> Bool {
        try await connection.query(
            "SELECT log.retention_cut($1, $2)",
            [.text(step.partition), .int4(options.cutLimit)]
        ).only().get(0)
    }

    /// While this waits for the log's exclusive lock, appends wait behind it: so each attempt is short.
    private func dropTable(_ step: RetentionStep, on connection: Connection) async throws {
        let clock = ContinuousClock()
        let deadline = clock.now + options.lockTimeout
        var pause = Backoff(first: .milliseconds(250), longest: .seconds(5))
        while true {
            do {
                try await connection.query(
                    "SELECT log.retention_drop($1, $2)",
                    [.text(step.partition), .texts(catalogue.groups.map(\.leader))]
                )
                return
            } catch let error as PostgresError where error.isContention {
                guard clock.now < deadline else {
                    throw RetentionError.locked(step.partition, by: try await users(of: step, on: connection))
                }
                try await clock.sleep(for: pause.next())
            }
        }
    }

    private func users(of step: RetentionStep, on connection: Connection) async throws -> String {
        try await connection.query("SELECT log.retention_users($1)", [.text(step.partition)]).only().get(0)
    }
}
