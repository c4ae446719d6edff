public import NotificationEvents

/// What became of one item of a body.
public enum IngestItem: Sendable {
    /// It is an event. The warnings are the names of fields that are not known and were dropped; one within an object
    /// is written with its path, `trigger/latitude`.
    case accepted(NormalisedEvent, warnings: [String])
    /// It is not taken, and why.
    case rejected(RejectedItem)
}

/// An item that was not taken.
public struct RejectedItem: Sendable {
    /// Where it stands among the items of the body, from 0.
    public var index: Int
    /// Its id, where it could be read.
    public var id: EventID?
    /// Its kind, where it is a known one.
    public var kind: String?
    /// Why it was rejected.
    public var error: EventError
    /// The item as JSON with everything taken out that an accepted one would not keep either; `nil` where it could not
    /// be parsed or holds what PostgreSQL cannot. Given back to the decoder with ``IngestPolicy/isReplay``, it gives
    /// the event that it would have been.
    public var redacted: [UInt8]?
    /// How many bytes it was sent as.
    public var length: Int
    /// The first 16 bytes of the SHA-256 of the item as sent.
    public var digest: ContentDigest
}
