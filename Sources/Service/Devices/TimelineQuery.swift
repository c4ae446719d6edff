internal import EventLog
internal import JSON
internal import NotificationEvents
internal import Postgres

internal import struct FoundationEssentials.UUID

/// Events of one device, or of one of its notifications, oldest first.
struct TimelineQuery: Sendable {
    var appID: AppID
    var deviceID: String
    /// Only this notification's, whatever its occurrence; `nil` for all.
    var notificationID: String?
    /// Where the page before ended; `nil` for the first.
    var after: TimelineCursor?
    var limit: Int

    /// The limit of a page unless said otherwise, and the highest.
    static let limits = (usual: 100, highest: 1000)

    private static let statement = """
        SELECT position, id, kind, notification_id, occurrence, occurred_at, utc_offset, effective_at, sent_at, received_at,
          time_clamped, data FROM notilog.timeline($1, $2, $3, $4, $5, $6)
        """

    /// Which log this is, and whether it is still the one that the cursor is of, as far as that has read.
    private static let logState = """
        SELECT incarnation, $1::uuid IS NULL OR coalesce(log.common_position($1) >= $2, false) FROM log.state
        """

    /// Gives the log's incarnation.
    ///
    /// - Throws: ``Problem`` 410 where the log went back in time since the cursor was given.
    func incarnation(_ pool: Pool) async throws -> UUID {
        let row = try await pool.query(Self.logState, [.uuid(after?.incarnation), .position(after?.position)]).only()
        guard try row.get(1) else { throw Problem.logWentBack }
        return try row.get(0)
    }

    /// Reads a page, and one event more where there is one.
    func read(_ pool: Pool) async throws -> [TimelineEvent] {
        let rows = try await pool.query(
            Self.statement,
            [
                .app(appID), .text(deviceID), .text(notificationID),
                .timestamptz((after?.effectiveAt ?? .earliest).microseconds),
                .uuid(UUID(after?.id ?? EventID(high: 0, low: 0))), .int8(Int64(limit) + 1),
            ]
        )
        return try rows.map { try TimelineEvent($0) }
    }
}

extension TimelineQuery {
    /// The cursor after a page.
    func cursor(after events: [TimelineEvent], of incarnation: UUID) -> TimelineCursor? {
        guard let last = events.last else { return nil }
        let highest = events.reduce(after?.position ?? .start) { max($0, $1.position) }
        return TimelineCursor(
            effectiveAt: last.effectiveAt,
            id: last.id,
            incarnation: incarnation,
            position: highest
        )
    }
}

/// An event as a timeline shows it.
struct TimelineEvent: Sendable {
    var position: Position
    var id: EventID
    var kind: String
    var notificationID: String?
    var occurrence: Timestamp?
    var occurredAt: Timestamp
    var utcOffsetMinutes: Int16
    var effectiveAt: Timestamp
    var sentAt: Timestamp?
    var receivedAt: Timestamp
    var timeClamped: Bool
    /// The event's other fields, as a JSON object.
    var data: String

    init(_ row: Row) throws {
        position = try row.get(0)
        id = EventID(try row.get(1, as: UUID.self))
        kind = try row.get(2)
        notificationID = try row.get(3)
        occurrence = try row.timestamp(4)
        occurredAt = Timestamp(microseconds: try row.get(5))
        utcOffsetMinutes = try row.get(6)
        effectiveAt = Timestamp(microseconds: try row.get(7))
        sentAt = try row.timestamp(8)
        receivedAt = Timestamp(microseconds: try row.get(9))
        timeClamped = try row.get(10)
        data = try row.get(11)
    }

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("position", position.rawValue)
            $0.field("id", id.description)
            $0.field("kind", kind)
            if let notificationID { $0.field("notification_id", notificationID) }
            if let occurrence { $0.field("occurrence", occurrence) }
            $0.field("occurred_at", occurredAt)
            $0.field("utc_offset_minutes", utcOffsetMinutes)
            $0.field("effective_at", effectiveAt)
            if let sentAt { $0.field("sent_at", sentAt) }
            $0.field("received_at", receivedAt)
            if timeClamped { $0.field("time_clamped", true) }
            $0.field("data", json: data)
        }
    }
}

extension Row {
    /// A `timestamptz` that may be null.
    func timestamp(_ column: Int) throws -> Timestamp? {
        try get(column, as: Int64?.self).map { Timestamp(microseconds: $0) }
    }
}

extension EventID {
    init(_ uuid: UUID) {
        self = withUnsafeBytes(of: uuid.uuid) { bytes in
            EventID(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}

extension UUID {
    init(_ id: EventID) {
        let bytes = id.bytes
        self.init(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            )
        )
    }
}
