import Postgres

/// Reads projections over and over, as reports do, and throws at the first answer that no report may give.
struct ProjectionReader {
    enum Kind: Int, CaseIterable {
        /// Checkpoint first, then tables, on one snapshot: what the service and the command do.
        case report
        /// One statement from anywhere.
        case statement
        /// A report's function, called from psql.
        case function
    }

    private let fixture: ProjectionFixture
    private let kind: Kind

    init(_ fixture: ProjectionFixture, _ kind: Int) {
        self.fixture = fixture
        self.kind = Kind(rawValue: kind) ?? .report
    }

    /// How far the answers have come.
    private struct Seen {
        var position: Int64 = 0
        var notifications: Int64 = 0
    }

    /// - Returns: how often it read.
    func readUntilCancelled() async throws -> Int {
        let connection = try await fixture.database.connect()
        if kind == .function {
            try await connection.query("INSERT INTO notilog.app (name) VALUES ('demo') ON CONFLICT DO NOTHING")
        }
        var seen = Seen()
        var reads = 0
        while !Task.isCancelled {
            // Not under the task's cancellation: an interrupted read proves nothing.
            seen = try await Task { [seen] in try await read(seen, connection) }.value
            reads += 1
        }
        await connection.close()
        return reads
    }

    private func read(_ seen: Seen, _ connection: Connection) async throws -> Seen {
        var now = seen
        switch kind {
        case .report:
            try await connection.withTransaction(isolation: .repeatableRead, readOnly: true) { connection in
                try await connection.query("LOCK TABLE projection.checkpoint IN ACCESS SHARE MODE")
                now.position = try await connection.value(
                    "SELECT position FROM projection.checkpoint WHERE name = 'notification'"
                )
                now.notifications = try await connection.value("SELECT count(*) FROM projection.notification")
                let sums = try await connection.query(Self.sums).only()
                guard try sums.get(0, as: Int64.self) == now.notifications, try sums.get(1) == now.notifications else {
                    throw ProjectionReadError("two tables of one snapshot do not agree")
                }
                // Whatever the checkpoint has passed is there.
                let there = try await connection.value(
                    """
                    SELECT count(*) FROM (
                      SELECT DISTINCT app_id, device_id, notification_id FROM log.event
                      WHERE position <= $1 AND notification_id IS NOT NULL) e
                    """,
                    [.int8(now.position)],
                    as: Int64.self
                )
                guard there == now.notifications else {
                    throw ProjectionReadError("\(now.notifications) notifications at \(now.position), not \(there)")
                }
            }
        case .statement:
            let sums = try await connection.query(Self.sums).only()
            now.notifications = try sums.get(0)
            guard try sums.get(1) == now.notifications else {
                throw ProjectionReadError("two tables in one statement do not agree")
            }
        case .function:
            now.notifications = try await connection.value(
                """
                SELECT coalesce(sum(requested), 0)::bigint
                FROM report.engagement(app => 'demo', "from" => '2026-01-01', "to" => '2026-03-01')
                """
            )
        }
        guard now.notifications >= seen.notifications, now.position >= seen.position, now.notifications > 0 else {
            throw ProjectionReadError("an answer went back: \(seen), then \(now)")
        }
        return now
    }

    private static let sums = """
        SELECT (SELECT count(*) FROM projection.notification WHERE cohort_at IS NOT NULL),
          (SELECT coalesce(sum(notifications), 0)::bigint FROM projection.engagement WHERE dimension = '' AND grain = 'day')
        """
}

struct ProjectionReadError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
