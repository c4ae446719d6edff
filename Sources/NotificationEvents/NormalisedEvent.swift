/// An event after validation and normalising: what is stored, field by field.
///
/// Nothing in it is as secret as what was sent: device tokens are digests, reply text is there only where the app keeps
/// it, and the words of an alert are gone.
public struct NormalisedEvent: Sendable {
    /// What happened.
    public var kind: EventKind
    /// The idempotency key, as sent or made from the content.
    public var id: EventID
    /// What the event says, to tell a repeat from a conflict.
    public var digest: ContentDigest
    /// The app installation; empty where the kind allows it to be absent. A keyed hash where the app hashes ids.
    public var deviceID: String
    /// When the service received it, by the service's clock.
    public var receivedAt: Timestamp
    /// When it happened, by the sender's clock, as sent.
    public var occurredAt: Timestamp
    /// When it happened as far as reports are concerned.
    public var effectiveAt: Timestamp
    /// The sender's clock as it sent.
    public var sentAt: Timestamp?
    /// Which firing of a repeating request this is about (`UNNotification.date`).
    public var occurrence: Timestamp?
    /// Minutes east of UTC in `occurred_at` as sent.
    public var utcOffsetMinutes: Int16
    /// Which version of its kind's fields `data` is written in.
    public var schemaVersion: Int16
    /// Whether `effectiveAt` was set to `receivedAt` because the sender's clock was more than 24 h ahead.
    public var timeClamped: Bool
    /// The `notification_id`, else the `request_identifier`; `nil` where the event is about no notification.
    public var notificationID: String?
    /// SHA-256 of the device token, 32 bytes.
    public var token: [UInt8]?
    /// The other fields: a JSON object in UTF-8, its keys in a fixed order, absent fields left out.
    public var data: [UInt8]

    /// Makes an event from its parts, in the version of its kind that is written now unless another is given.
    public init(
        kind: EventKind,
        id: EventID,
        digest: ContentDigest,
        deviceID: String,
        receivedAt: Timestamp,
        occurredAt: Timestamp,
        effectiveAt: Timestamp,
        sentAt: Timestamp? = nil,
        occurrence: Timestamp? = nil,
        utcOffsetMinutes: Int16 = 0,
        schemaVersion: Int16? = nil,
        timeClamped: Bool = false,
        notificationID: String? = nil,
        token: [UInt8]? = nil,
        data: [UInt8]
    ) {
        self.kind = kind
        self.id = id
        self.digest = digest
        self.deviceID = deviceID
        self.receivedAt = receivedAt
        self.occurredAt = occurredAt
        self.effectiveAt = effectiveAt
        self.sentAt = sentAt
        self.occurrence = occurrence
        self.utcOffsetMinutes = utcOffsetMinutes
        self.schemaVersion = schemaVersion ?? kind.schemaVersion
        self.timeClamped = timeClamped
        self.notificationID = notificationID
        self.token = token
        self.data = data
    }
}
