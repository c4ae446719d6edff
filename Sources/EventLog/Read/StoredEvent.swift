public import NotificationEvents
internal import Postgres

/// An event as the log holds it.
public struct StoredEvent: Sendable {
    /// Where it stands in the log.
    public var position: Int64
    /// Whose it is.
    public var app: Int32
    /// What happened, by its name: a later release may have stored kinds that this one does not know.
    public var kind: String
    /// Unique within app and device.
    public var id: EventID
    /// The app's installation; empty where the kind allows it to be absent.
    public var deviceID: String
    /// The service's clock.
    public var receivedAt: Timestamp
    /// The sender's clock, as sent.
    public var occurredAt: Timestamp
    /// What projections and reports use.
    public var effectiveAt: Timestamp
    /// The sender's clock as it sent.
    public var sentAt: Timestamp?
    /// Which firing of a repeating request it is about.
    public var occurrence: Timestamp?
    /// Minutes east of UTC in `occurredAt` as sent.
    public var utcOffsetMinutes: Int16
    /// The version of the vocabulary that `data` is written in.
    public var schemaVersion: Int16
    /// Whether the sender's clock was too far ahead to be used.
    public var timeClamped: Bool
    /// Which notification it is about.
    public var notificationID: String?
    /// SHA-256 of the device token.
    public var token: [UInt8]?
    /// The other fields: a JSON object in UTF-8.
    public var data: [UInt8]

    /// The columns that ``init(_:)`` reads, in its order.
    static let columns = """
        position, app_id, kind, id, device_id, received_at, occurred_at, effective_at, sent_at, occurrence, utc_offset,
        schema_version, time_clamped, notification_id, token, data
        """

    init(_ row: Row) throws {
        position = try row.get(0)
        app = try row.get(1)
        kind = try row.get(2)
        let bytes = try row.get(3, as: [UInt8].self)
        func half(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        id = EventID(high: half(0..<8), low: half(8..<16))
        deviceID = try row.get(4)
        receivedAt = Timestamp(microseconds: try row.get(5))
        occurredAt = Timestamp(microseconds: try row.get(6))
        effectiveAt = Timestamp(microseconds: try row.get(7))
        sentAt = try row.get(8, as: Int64?.self).map(Timestamp.init(microseconds:))
        occurrence = try row.get(9, as: Int64?.self).map(Timestamp.init(microseconds:))
        utcOffsetMinutes = try row.get(10)
        schemaVersion = try row.get(11)
        timeClamped = try row.get(12)
        notificationID = try row.get(13)
        token = try row.get(14)
        data = try row.get(15)
    }
}
