public import NotificationEvents
public import Postgres

/// Reads events from the log.
public struct LogReader: Sendable {
    private let pool: Pool

    /// A place in a list that is ordered by `effective_at` and id: the last event that a page held.
    public struct Cursor: Sendable, Equatable {
        /// That event's `effective_at`.
        public var effectiveAt: Timestamp
        /// That event's id.
        public var id: EventID

        /// - Parameters: as the properties of the same names.
        public init(effectiveAt: Timestamp, id: EventID) {
            self.effectiveAt = effectiveAt
            self.id = id
        }
    }

    /// - Parameter pool: lends connections.
    public init(pool: Pool) {
        self.pool = pool
    }

    /// The events of an app in `(after, upTo]`, by position.
    ///
    /// Nothing is missed as long as `upTo` is not beyond the settled position.
    ///
    /// - Parameters:
    ///   - app: whose.
    ///   - after: the position that the reader has.
    ///   - upTo: the last position wanted.
    ///   - limit: the most events.
    /// - Throws: `PostgresError`.
    public func events(app: Int32, after: Int64, upTo: Int64, limit: Int) async throws -> [StoredEvent] {
        try await read(
            "WHERE app_id = $1 AND position > $2 AND position <= $3 ORDER BY position LIMIT $4",
            [.int4(app), .int8(after), .int8(upTo), .int8(Int64(limit))]
        )
    }

    /// A device's events, oldest first by `effective_at` and id.
    ///
    /// - Parameters:
    ///   - app: whose.
    ///   - deviceID: the device.
    ///   - after: the place after which to go on; nil starts at the oldest.
    ///   - limit: the most events.
    /// - Throws: `PostgresError`.
    public func events(app: Int32, deviceID: String, after: Cursor?, limit: Int) async throws -> [StoredEvent] {
        try await read(
            """
            WHERE app_id = $1 AND device_id = $2 AND ($3::timestamptz IS NULL OR (effective_at, id) > ($3, $4))
            ORDER BY effective_at, id LIMIT $5
            """,
            [.int4(app), .text(deviceID)] + Self.parameters(after, limit)
        )
    }

    /// A notification's events on one device, oldest first by `effective_at` and id.
    ///
    /// - Parameters: as for a device's, with the notification's id (or its request's identifier).
    /// - Throws: `PostgresError`.
    public func events(
        app: Int32,
        deviceID: String,
        notificationID: String,
        after: Cursor?,
        limit: Int
    ) async throws -> [StoredEvent] {
        try await read(
            """
            WHERE app_id = $1 AND device_id = $2 AND ($3::timestamptz IS NULL OR (effective_at, id) > ($3, $4))
              AND notification_id = $6
            ORDER BY effective_at, id LIMIT $5
            """,
            [.int4(app), .text(deviceID)] + Self.parameters(after, limit) + [.text(notificationID)]
        )
    }

    /// Which log this is: another value after it was made anew, restored, or went on on a promoted replica.
    ///
    /// - Throws: `PostgresError`.
    public func incarnation() async throws -> String {
        try await pool.query("SELECT incarnation FROM log.state").only().get(0)
    }

    /// How far this log is the one that a reader knows; see ``incarnation()``. What the reader has seen beyond it may be
    /// gone, and its position drawn again: the reader must be told, and start from there.
    ///
    /// - Parameter incarnation: the one under which the reader read.
    /// - Returns: a position; nil where the log never was that incarnation.
    /// - Throws: `PostgresError`, such as for text that is no UUID.
    public func commonPosition(with incarnation: String) async throws -> Int64? {
        try await pool.query("SELECT log.common_position($1::text::uuid)", [.text(incarnation)]).only().get(0)
    }

    /// How far the log is settled, and the highest position drawn, which no position can be beyond.
    ///
    /// - Throws: `PostgresError`.
    public func positions() async throws -> (settled: Int64, drawn: Int64) {
        let row = try await pool.query(
            "SELECT settled_position, (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM log.position) FROM log.state"
        ).only()
        return (try row.get(0), try row.get(1))
    }

    private static func parameters(_ cursor: Cursor?, _ limit: Int) -> [Parameter] {
        let id = cursor.map { Parameter.uuid(high: $0.id.high, low: $0.id.low) } ?? .uuid(nil)
        return [.timestamptz(cursor?.effectiveAt.microseconds), id, .int8(Int64(limit))]
    }

    private func read(_ clauses: String, _ parameters: [Parameter]) async throws -> [StoredEvent] {
        let rows = try await pool.query("SELECT \(StoredEvent.columns) FROM log.upcast_event \(clauses)", parameters)
        return try rows.map { try StoredEvent($0) }
    }
}
