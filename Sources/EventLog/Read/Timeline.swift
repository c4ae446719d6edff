package import NotificationEvents
package import Postgres

internal import struct FoundationEssentials.UUID

/// The events of one device, or of one of its notifications with any occurrence, oldest first, in pages.
package struct Timeline: Sendable {
    /// A page.
    package struct Page: Sendable {
        package var events: [Event]
        /// Where the next page begins; nil on the last one.
        package var next: TimelineCursor?
    }

    /// Whose events they are.
    private let app: AppID
    /// The ids that the device and the notification may have in the log; without a notification, all events of the device.
    private let ids: [(device: String, notification: String?)]

    /// - Parameters:
    ///   - app: whose events they are.
    ///   - ids: the ids that the device and the notification may have in the log. The first that has events counts.
    package init(app: AppID, ids: [(device: String, notification: String?)]) {
        self.app = app
        self.ids = ids
    }

    /// The most bytes of data in a page of several events: what a client that reads slowly keeps in memory.
    private static let pageBytes = 512 << 10

    /// Reads a page.
    ///
    /// - Parameters:
    ///   - cursor: where the page before ended; nil for the first page.
    ///   - limit: the most events of the page. Large events make it end before.
    ///   - pool: lends connections.
    /// - Returns: nil if the log went back in time since the cursor was given.
    /// - Throws: `PostgresError`.
    package func page(after cursor: TimelineCursor?, limit: Int, _ pool: Pool) async throws -> Page? {
        // First, as the log may be set back at any moment.
        guard let incarnation = try await incarnation(after: cursor, pool) else { return nil }
        var events: [Event] = []
        for id in ids where events.isEmpty {
            events = try await read(id, after: cursor, most: limit + 1, pool)
        }
        let bytes = events.reduce(0) { $0 + $1.data.utf8.count }
        guard events.count > limit || bytes > Self.pageBytes else { return Page(events: events) }
        if events.count > 1 { events.removeLast() }
        let next = events.last.map { last in
            TimelineCursor(
                effectiveAt: last.effectiveAt,
                id: last.id,
                incarnation: incarnation,
                position: events.reduce(cursor?.position ?? .start) { max($0, $1.position) }
            )
        }
        return Page(events: events, next: next)
    }

    /// The log's incarnation; nil if the log is no longer the same up to the cursor's position.
    private func incarnation(after cursor: TimelineCursor?, _ pool: Pool) async throws -> UUID? {
        let row = try await pool.query(
            "SELECT incarnation, $1::uuid IS NULL OR coalesce(log.common_position($1) >= $2, false) FROM log.state",
            [.uuid(cursor?.incarnation), .position(cursor?.position)]
        ).only()
        return try row.get(1) ? try row.get(0) : nil
    }

    private func read(
        _ id: (device: String, notification: String?),
        after cursor: TimelineCursor?,
        most: Int,
        _ pool: Pool
    ) async throws -> [Event] {
        let lastID = cursor?.id ?? EventID(high: 0, low: 0)
        return try await pool.query(
            """
            SELECT position, id, kind, notification_id, occurrence, occurred_at, utc_offset, effective_at, sent_at, received_at,
              time_clamped, data FROM notilog.timeline_page($1, $2, $3, $4, $5, $6, $7)
            """,
            [
                .app(app), .text(id.device), .text(id.notification),
                .timestamptz((cursor?.effectiveAt ?? .earliest).microseconds),
                .uuid(high: lastID.high, low: lastID.low), .int8(Int64(most)), .int8(Int64(Self.pageBytes)),
            ]
        ).map { try Event($0) }
    }
}

extension Timeline {
    /// An event of a timeline.
    package struct Event: Sendable {
        package var position: Position
        package var id: EventID
        package var kind: String
        package var notificationID: String?
        package var occurrence: Timestamp?
        package var occurredAt: Timestamp
        package var utcOffsetMinutes: Int16
        package var effectiveAt: Timestamp
        package var sentAt: Timestamp?
        package var receivedAt: Timestamp
        package var timeClamped: Bool
        /// The event's other fields, as a JSON object.
        package var data: String

        fileprivate init(_ row: Row) throws {
            position = try row.get(0)
            id = try row.get(1)
            kind = try row.get(2)
            notificationID = try row.get(3)
            occurrence = try row.get(4)
            occurredAt = try row.get(5)
            utcOffsetMinutes = try row.get(6)
            effectiveAt = try row.get(7)
            sentAt = try row.get(8)
            receivedAt = try row.get(9)
            timeClamped = try row.get(10)
            data = try row.get(11)
        }
    }
}
