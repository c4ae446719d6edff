public import NotificationEvents

/// One event of a body, accepted or rejected, and where its item is.
public struct DecodedItem: Sendable {
    /// The event, or its error.
    public var item: DecodedOutcome
    /// The index of its item in the body, from 0. An item of a sender's format may become several events.
    public var index: Int
    /// The JSON pointer (RFC 6901) to its item in the body; empty if the item is the whole body.
    public var pointer: String
    /// The kind, if one item may become several events and this one is known; else nil.
    public var kind: String?

    /// - Parameters: as the properties of the same names.
    public init(item: DecodedOutcome, index: Int, pointer: String, kind: String? = nil) {
        self.item = item
        self.index = index
        self.pointer = pointer
        self.kind = kind
    }

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

/// What became of one item of a body.
public enum DecodedOutcome: Sendable {
    /// It is an event. The warnings are the names of fields that are not known and were dropped; one within an object
    /// is written with its path, `trigger/latitude`.
    case accepted(NormalisedEvent, warnings: [String])
    /// It is not taken, and why.
    case rejected(RejectedItem)
}

/// An item that was rejected: by the decoder, or by the log as an event.
public struct RejectedItem: Sendable {
    /// Its id, where it could be read.
    public var id: EventID?
    /// Its kind, where it is a known one.
    public var kind: String?
    /// Why it was rejected.
    public var error: EventError
    /// The item as JSON with everything taken out that an accepted one would not keep either; `nil` where it could not
    /// be parsed, holds what PostgreSQL cannot, or is longer than what is kept of one item or body. Its numbers are written out as
    /// PostgreSQL does, so that this is about its size there. Given back to the decoder with ``DecodingPolicy/isReplay``, it gives
    /// the event that it would have been.
    public var redacted: [UInt8]?
    /// How many bytes it was sent as.
    public var length: Int
    /// The first 16 bytes of the SHA-256 of the item as sent.
    public var digest: ContentDigest

    /// - Parameters: as the properties of the same names.
    public init(
        id: EventID? = nil,
        kind: String? = nil,
        error: EventError,
        redacted: [UInt8]? = nil,
        length: Int,
        digest: ContentDigest
    ) {
        self.id = id
        self.kind = kind
        self.error = error
        self.redacted = redacted
        self.length = length
        self.digest = digest
    }
}
