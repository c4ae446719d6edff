internal import EventLog
internal import Pacing
internal import Postgres

/// An app that is being deleted.
public struct AppDeletion: Sendable {
    /// How many events it had when this was begun.
    public let events: Int64
    let app: AppID
    /// When its last key was revoked, in microseconds since 1970; `nil` where it never had one.
    let revokedAt: Int64?
}

extension Administration {
    /// How often a service reads the keys, whether it hears of a change or not.
    public static let keyInterval = Duration.seconds(5)

    /// How long events of a revoked key may still come into the log: a service may take the key as long as it hears of nothing, and then
    /// has the events to append.
    private static let revocationDelay = keyInterval * 2 + EventLog.longestAppend

    /// How long others may be in the way of one batch.
    private static let attempts = Duration.seconds(600)

    /// Rows of one transaction, so that none holds anybody up.
    private static let batch: Int32 = 10_000

    /// Begins to delete an app and all that is its: revokes its keys. May be repeated.
    ///
    /// - Throws: ``AdministrationError`` where there is no such app; `PostgresError`.
    public func beginDeletion(of name: String) async throws -> AppDeletion {
        let rows = try await change { connection in
            try await connection.query("SELECT * FROM notilog.deletion_begin($1)", [.text(name)])
        }
        guard let row = rows.first else { throw Self.noApp(name) }
        let app: AppID = try row.get(0)
        var events: Int64 = try row.get(1)
        try await withOtherCells { pools in
            for pool in pools {
                let count = try await pool.query("SELECT count(*) FROM log.event WHERE app_id = $1", [.app(app)])
                events += try count.only().get(0, as: Int64.self)
            }
        }
        return AppDeletion(events: events, app: app, revokedAt: try row.get(2, as: Int64?.self))
    }

    /// Lends pools to the other cells of a cluster.
    private func withOtherCells(_ body: ([Pool]) async throws -> Void) async throws {
        let pools = try await Cells.read(pool).all.dropFirst().map { Pool($0.database, limit: 1) }
        try await deferring({ for pool in pools { await pool.shutDown() } }) { try await body(pools) }
    }

    /// Deletes all rows of an app, in batches, then the app. If interrupted, the same call continues.
    ///
    /// - Parameter progress: called with how many events were deleted.
    /// - Throws: `PostgresError`.
    public func finishDeletion(_ deletion: AppDeletion, progress: (Int64) -> Void) async throws {
        var events: Int64 = 0
        try await withOtherCells { others in
            // The coordinator last: a service tells the cells of an app as long as it has it.
            for pool in others + [pool] {
                repeat {
                    while let step = try await deletionStep(deletion.app, pool) {
                        guard step.table == "log.event" else { continue }
                        events += step.rows
                        progress(events)
                    }
                    // Identities of events that retention has dropped: no index leads to them.
                    try await retrying(for: Self.attempts) {
                        try await pool.query("DELETE FROM log.identity WHERE app_id = $1", [.app(deletion.app)])
                    }
                    try await waitForServices(deletion, pool)
                } while try await !endDeletion(deletion.app, pool)
            }
        }
        try await mirror()
    }

    private func deletionStep(_ app: AppID, _ pool: Pool) async throws -> (table: String, rows: Int64)? {
        try await retrying(for: Self.attempts) {
            let rows = try await pool.query(
                "SELECT name, deleted FROM notilog.deletion_step($1, $2)",
                [.app(app), .int4(Self.batch)]
            )
            return try rows.first.map { (try $0.get(0), try $0.get(1)) }
        }
    }

    private func endDeletion(_ app: AppID, _ pool: Pool) async throws -> Bool {
        try await retrying(for: Self.attempts) {
            try await Administration(pool).change { connection in
                try await connection.query("SELECT notilog.deletion_end($1)", [.app(app)]).only().get(0)
            }
        }
    }

    /// Waits until no service appends events of the app's keys, and those that were appended are visible.
    private func waitForServices(_ deletion: AppDeletion, _ pool: Pool) async throws {
        if let revokedAt = deletion.revokedAt {
            let now: Int64 = try await pool.query("SELECT clock_timestamp()").only().get(0)
            let left = Self.revocationDelay - .microseconds(now - revokedAt)
            if left > .zero { try await ContinuousClock().sleep(for: left) }
        }
        try await pool.query("CALL log.drain_appends()")
    }
}
