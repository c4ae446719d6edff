internal import Ingest
internal import NotificationEvents

/// What a request may do, by the key that it carries.
struct Grant: Sendable {
    /// The key's public part, for logs and quarantine.
    let keyID: String
    /// The app whose data the request sees and writes; no other.
    let appID: Int32
    /// The app's name.
    let appName: String
    /// What the key may do.
    let scope: Scope
    /// Whether the app keeps the text of replies.
    let keepsReplyText: Bool
    /// How the app's ids are kept.
    let ids: IDPolicy
    /// How fast the key may send; `nil` for as fast as it likes.
    let bucket: TokenBucket?
}

/// How an app's device, notification and request ids are kept.
enum IDPolicy: Sendable {
    /// As sent.
    case clear
    /// As keyed hashes only.
    case hashed(IDHashKey)
    /// They are to be hashed, but the service was given no secret to hash with: nothing may be stored.
    case unavailable
}
