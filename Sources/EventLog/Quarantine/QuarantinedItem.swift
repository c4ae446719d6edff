public import NotificationEvents

/// An item that was rejected, redacted as an accepted one would be.
public struct QuarantinedItem: Sendable {
    /// Whose it is.
    public var app: AppID
    /// The public part of the key that sent it.
    public var keyID: String
    /// When it was received.
    public var receivedAt: Timestamp
    /// The sender's clock as it sent.
    public var sentAt: Timestamp?
    /// The error's code.
    public var code: String
    /// Where in the item, as a JSON pointer (RFC 6901).
    public var pointer: String
    /// What is wrong, without the item's words.
    public var message: String
    /// Bytes of the item as sent.
    public var length: Int32
    /// SHA-256 of the item as sent, its first 16 bytes.
    public var digest: ContentDigest
    /// The redacted item as JSON; nil if it did not parse.
    public var item: [UInt8]?

    /// - Parameters: as the properties of the same names.
    public init(
        app: AppID,
        keyID: String,
        receivedAt: Timestamp,
        sentAt: Timestamp?,
        code: String,
        pointer: String,
        message: String,
        length: Int32,
        digest: ContentDigest,
        item: [UInt8]?
    ) {
        self.app = app
        self.keyID = keyID
        self.receivedAt = receivedAt
        self.sentAt = sentAt
        self.code = code
        self.pointer = pointer
        self.message = message
        self.length = length
        self.digest = digest
        self.item = item
    }
}
