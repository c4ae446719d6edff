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
    public var events: [DecodedItem]
    /// The sender's clock as it sent, where the body says it.
    public var sentAt: Timestamp?
}
