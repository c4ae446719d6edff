public import NotificationEvents

/// What senders have at hand that is no event of Notilog's own, but says the same.
public enum SenderFormat: Sendable {
    /// What was sent to APNs, and what it answered.
    case apns
    /// What was sent to FCM (HTTP v1), and what it answered.
    case fcm
    /// Track calls in the form of Segment's spec.
    case segment
}

/// What became of a body in a sender's format.
public struct TranslatedBody: Sendable {
    /// What the items became, in their order.
    public var events: [TranslatedEvent]
    /// The sender's clock as it sent, where the body says it.
    public var sentAt: Timestamp?
}

/// One event that an item of the body became, or why it became none.
public struct TranslatedEvent: Sendable {
    /// Which item of the body, from 0; an item may become several events.
    public var index: Int
    /// Where the item is, as a JSON pointer (RFC 6901).
    public var place: String
    /// The kind of event; `nil` where the item was not understood so far.
    public var kind: String?
    /// The event, or its error.
    public var item: IngestItem
}
