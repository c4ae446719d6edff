public import Administration
public import Ingest
public import NotificationEvents

/// What holds for every item of one request.
public struct Batch: Sendable {
    /// What the sender's key may do.
    public let grant: Grant
    /// When the request came, by the service's clock.
    public let receivedAt: Timestamp
    /// The sender's clock as it sent.
    public internal(set) var sentAt: Timestamp?
}

/// What the bytes of a body are.
public enum BodyContent: Sendable {
    /// Events in Notilog's own form or as CloudEvents.
    ///
    /// - `contentType`: the header `Content-Type`.
    /// - `attributes`: a CloudEvent's attributes, where it is sent in binary mode.
    case events(contentType: String?, attributes: [(name: String, value: String)])
    /// JSON in a sender's format.
    case sender(SenderFormat)
}

/// One event of a body, or what was to be one.
public struct IntakeItem: Sendable {
    /// What the decoder made of it.
    public var item: IngestItem
    /// Which item of the body, from 0.
    public var index: Int
    /// That item in the body, as a JSON pointer (RFC 6901).
    public var pointer: String
    /// Which of the events that the item became; nil where an item is one event.
    public var kind: String?

    /// About how many bytes of memory it takes.
    public var bytesInMemory: Int {
        let overhead = 512
        return switch item {
        case .accepted(let event, let warnings):
            event.data.count + event.deviceID.utf8.count + warnings.reduce(0) { $0 + $1.utf8.count + 16 } + overhead
        case .rejected(let item): (item.redacted?.count ?? 0) + overhead
        }
    }
}
