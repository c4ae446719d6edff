public import NotificationEvents

/// What was made for one receiver: by a rule of alerts, or a digest.
public struct Delivery: Sendable {
    /// The id by which the receiver knows a repeat.
    public var id: String
    /// The name of the rule, or of the digest's view.
    public var source: String
    /// The day, `YYYY-MM-DD`; of a digest the first one.
    public var day: String
    /// The receiver, without the path of a URL.
    public var receiver: String
    /// pending, delivered or failed.
    public var state: String
    /// How often it was tried.
    public var attempts: Int32
    /// When it is tried again.
    public var nextAt: Timestamp
    /// Why the newest attempt failed.
    public var lastError: String?
    /// When it was made.
    public var createdAt: Timestamp
    /// When it was delivered, or given up.
    public var endedAt: Timestamp?
}
