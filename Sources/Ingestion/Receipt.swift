public import Administration
public import Decoding
public import NotificationEvents

/// By whom and when a body was received: what all its items share.
public struct Receipt: Sendable {
    /// What the sender's key may do.
    public let grant: Grant
    /// The time of receipt, by the service's clock.
    public let receivedAt: Timestamp
    /// The time of sending, by the sender's clock.
    public internal(set) var sentAt: Timestamp?
}

/// The format of a body.
public enum BodyContent: Sendable {
    /// Events in Notilog's own form or as CloudEvents.
    ///
    /// - `attributes`: a CloudEvent's attributes, if it is sent in binary mode.
    case events(BodyFormat, attributes: [(name: String, value: String)])
    /// JSON in a sender's format.
    case sender(SenderFormat)
}
