public import NotificationEvents

/// What applies to the events of one request: what its key may send, and the switches of its app.
public struct DecodingPolicy: Sendable {
    /// What the key may do.
    public var scope: Scope
    /// Whether the text of replies is stored; else it is measured and dropped.
    public var keepReplyText: Bool
    /// The app's key, where it keeps device, notification and request ids as keyed hashes only.
    public var idHashKey: IDHashKey?
    /// The limits that apply.
    public var limits: DecodingLimits
    /// Whether the items come out of quarantine: their tokens are digests and their ids hashes already.
    public var isReplay: Bool

    /// Makes a policy.
    public init(
        scope: Scope,
        keepReplyText: Bool = false,
        idHashKey: IDHashKey? = nil,
        limits: DecodingLimits = DecodingLimits(),
        isReplay: Bool = false
    ) {
        self.scope = scope
        self.keepReplyText = keepReplyText
        self.idHashKey = idHashKey
        self.limits = limits
        self.isReplay = isReplay
    }
}

/// How large a request and its events may be, and how old.
public struct DecodingLimits: Sendable {
    /// Bytes of a body after decompression; at most 2 GiB.
    public var bodyBytes: Int
    /// Events in one body.
    public var events: Int
    /// Bytes of one event as sent.
    public var eventBytes: Int
    /// How deep arrays and objects nest in one event, the event itself counted.
    public var depth: Int
    /// How long ago an event may have happened, in seconds.
    public var retentionSeconds: Int64

    /// Makes limits; the defaults are those of the documentation.
    public init(
        bodyBytes: Int = 5 << 20,
        events: Int = 10_000,
        eventBytes: Int = 32 << 10,
        depth: Int = 16,
        retentionSeconds: Int64 = 400 * 86_400
    ) {
        self.bodyBytes = bodyBytes
        self.events = events
        self.eventBytes = eventBytes
        self.depth = depth
        self.retentionSeconds = retentionSeconds
    }
}
