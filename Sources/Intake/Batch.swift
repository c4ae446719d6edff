public import Administration
public import Ingest
public import NotificationEvents

/// The properties that all items of one request share.
public struct Batch: Sendable {
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
    /// - `contentType`: the header `Content-Type`.
    /// - `attributes`: a CloudEvent's attributes, if it is sent in binary mode.
    case events(contentType: String?, attributes: [(name: String, value: String)])
    /// JSON in a sender's format.
    case sender(SenderFormat)
}

/// One decoded event of a body, accepted or rejected.
public struct IntakeItem: Sendable {
    /// The decoder's result.
    public var item: IngestItem
    /// The index of its item in the body, from 0.
    public var index: Int
    /// The JSON pointer (RFC 6901) to its item in the body.
    public var pointer: String
    /// The kind, if one item may give several events; else nil.
    public var kind: String?

    /// Its approximate size in memory, in bytes.
    public var bytesInMemory: Int {
        let overhead = 512
        return switch item {
        case .accepted(let event, let warnings):
            event.data.count + event.deviceID.utf8.count + warnings.reduce(0) { $0 + $1.utf8.count + 16 } + overhead
        case .rejected(let item): (item.redacted?.count ?? 0) + overhead
        }
    }
}
