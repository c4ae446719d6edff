public import Decoding
public import EventLog
public import NotificationEvents

/// What a request may do, by the key that it carries.
public struct Grant: Sendable {
    /// The key's public part, for logs and quarantine.
    public let keyID: String
    /// The app whose data the request sees and writes; no other.
    public let appID: AppID
    /// The app's name.
    public let appName: String
    /// What the key may do.
    public let scope: Scope
    /// Whether the app keeps the text of replies.
    public let keepsReplyText: Bool
    /// How the app's ids are kept.
    public let ids: IDPolicy
    /// How they may have been kept before the app's switch was turned, as far as the service can tell.
    public let pastIDs: IDPolicy

    /// - Parameters: as the properties of the same names.
    public init(
        keyID: String,
        appID: AppID,
        appName: String,
        scope: Scope,
        keepsReplyText: Bool,
        ids: IDPolicy,
        pastIDs: IDPolicy = .clear
    ) {
        self.keyID = keyID
        self.appID = appID
        self.appName = appName
        self.scope = scope
        self.keepsReplyText = keepsReplyText
        self.ids = ids
        self.pastIDs = pastIDs
    }
}

/// How an app's device, notification and request ids are kept.
public enum IDPolicy: Sendable {
    /// As sent.
    case clear
    /// As keyed hashes only.
    case hashed(IDHashKey)
    /// They must be hashed, but no secret to hash with is set, or another one: nothing may be stored.
    case unavailable

    /// Whether nothing may be stored.
    public var isUnavailable: Bool {
        if case .unavailable = self { true } else { false }
    }
}
