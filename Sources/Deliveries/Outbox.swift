public import EventLog
public import Logging
internal import NotificationEvents
public import Pacing
public import Postgres

/// What is to be delivered and what was, in the database.
public struct Outbox: Sendable {
    /// What made a message.
    public enum Source: Sendable {
        /// Rules of alerts
        case alerts
        /// Digests
        case digests
    }

    /// A delivery that is this service's for a while.
    struct Claimed: Sendable {
        var id: String
        var kind: String
        var receiver: String
        var message: String
        var attempts: Int32
        var createdAt: Timestamp
    }

    private let pool: Pool

    /// - Parameter pool: a pool whose role may execute the functions of the schema `notilog`.
    public init(_ pool: Pool) {
        self.pool = pool
    }

    /// The newest deliveries of an app.
    ///
    /// - Parameters:
    ///   - source: what made them.
    ///   - most: how many at most.
    /// - Throws: `PostgresError`.
    public func deliveries(app: AppID, of source: Source, most: Int32 = 1000) async throws -> [Delivery] {
        try await pool.query(
            """
            SELECT delivery_id::text, source, day::text, receiver, state, attempts, next_at, last_error, created_at, ended_at
            FROM notilog.deliveries($1, $2, $3)
            """,
            [.app(app), .bool(source == .digests), .int4(most)]
        ).map { try Delivery($0) }
    }

    /// Deliveries that are not done, all apps together.
    public struct Backlog: Sendable {
        /// Not tried yet.
        public var waiting: Int64
        /// Tried, so far in vain.
        public var failing: Int64
    }

    /// Counts the deliveries that are not done.
    ///
    /// - Throws: `PostgresError`.
    public func backlog() async throws -> Backlog {
        let row = try await pool.query(
            """
            SELECT count(*) FILTER (WHERE attempts = 0), count(*) FILTER (WHERE attempts > 0) FROM notilog.delivery
            WHERE state = 'pending'
            """
        ).only()
        return Backlog(waiting: try row.get(0), failing: try row.get(1))
    }

    /// Deletes old deliveries, every hour.
    ///
    /// - Parameter logger: receives their number, and errors.
    public func pruning(logger: Logger) -> Recurring {
        Recurring("delete old deliveries", every: .pause(.seconds(3600)), logger: logger) {
            try await pool.query("SELECT notilog.prune_deliveries(10000)").only().get(0)
        }
    }

    /// Takes deliveries that are due, for some seconds.
    ///
    /// - Parameter underWay: those that this service is trying: they keep places of their receivers.
    func claim(most: Int32, leaseSeconds: Int32, underWay: Set<String>) async throws -> [Claimed] {
        try await pool.query(
            """
            SELECT delivery_id::text, kind, receiver, message, attempts, created_at
            FROM notilog.claim_deliveries($1, $2, $3::text[]::uuid[])
            """,
            [.int4(most), .int4(leaseSeconds), .texts(Array(underWay))]
        ).map { row in
            Claimed(
                id: try row.get(0),
                kind: try row.get(1),
                receiver: try row.get(2),
                message: try row.get(3),
                attempts: try row.get(4),
                createdAt: try row.get(5)
            )
        }
    }

    /// Notes how an attempt ended.
    ///
    /// - Parameter problem: why it failed; nil if the receiver has the message.
    /// - Returns: whether it was given up.
    func end(_ id: String, _ problem: String?, pauseSeconds: Int32) async throws -> Bool {
        let state = try await pool.query(
            "SELECT notilog.end_delivery($1::text::uuid, $2, $3)",
            [.text(id), .text(problem), .int4(pauseSeconds)]
        ).first?.get(0, as: String?.self)
        return state == "failed"
    }
}

extension Delivery {
    fileprivate init(_ row: Row) throws {
        self.init(
            id: try row.get(0),
            source: try row.get(1),
            day: try row.get(2),
            receiver: Receiver.shown(try row.get(3)),
            state: try row.get(4),
            attempts: try row.get(5),
            nextAt: try row.get(6),
            lastError: try row.get(7),
            createdAt: try row.get(8),
            endedAt: try row.get(9)
        )
    }
}
