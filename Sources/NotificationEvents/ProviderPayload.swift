/// How the payload and headers of a push, as a provider sent them to APNs, become fields of a `request`.
///
/// The push was made all the same, so nothing in them is refused: numbers and booleans as texts and firebase-admin's
/// spelling of keys are read, what cannot be read is left out, and each is named in the warnings.
///
/// Source: Apple, "Generating a remote notification" and "Sending notification requests to APNs". Custom keys and the
/// words of the alert are not taken.
public struct ProviderPayload: Sendable {
    /// Where the value is: keys from the outermost in; for headers the one name, in lower case.
    public let path: [String]
    /// Which field it becomes; `push/priority` is within an object. A field that the event itself carries stands.
    public let field: String
    /// How it is read.
    public let conversion: Conversion
    /// The last key in the spelling of firebase-admin, which is read as well; `nil` where it is the same.
    public let camelCase: String?

    /// How a value of a payload or header is read as a field.
    public enum Conversion: Sendable {
        /// As the field would be.
        case same
        /// 1 or `true` as `true`, 0 or `false` as `false`.
        case flag
        /// A name with hyphens for underscores.
        case hyphenated
        /// A name of a sound or a dictionary with `critical`, as what sort of sound it is; empty as `none`.
        case sound
        /// A whole number, or its decimal digits as text.
        case decimal
    }

    private init(_ path: [String], _ field: String, _ conversion: Conversion = .same) {
        self.path = path
        self.field = field
        self.conversion = conversion
        camelCase = path.last.map(Self.camelCase).flatMap { $0 == path.last ? nil : $0 }
    }

    /// A key with hyphens or underscores in the spelling of firebase-admin, which has capitals for them.
    public static func camelCase(_ key: String) -> String {
        let words = key.split { $0 == "-" || $0 == "_" }
        return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// What is taken from a payload. The first that is there wins.
    public static let payload: [ProviderPayload] = [
        ProviderPayload(["notilog", "id"], "notification_id"),
        ProviderPayload(["notilog", "campaign_id"], "campaign_id"),
        ProviderPayload(["notilog", "campaign"], "campaign_id"),
        ProviderPayload(["notilog", "variant"], "variant"),
        ProviderPayload(["aps", "category"], "category_id"),
        ProviderPayload(["aps", "thread-id"], "thread_id"),
        ProviderPayload(["aps", "interruption-level"], "interruption_level", .hyphenated),
        // A Live Activity may carry any number here, which is left out.
        ProviderPayload(["aps", "relevance-score"], "relevance_score"),
        ProviderPayload(["aps", "mutable-content"], "mutable_content", .flag),
        ProviderPayload(["aps", "content-available"], "content_available", .flag),
        ProviderPayload(["aps", "badge"], "badge"),
        ProviderPayload(["aps", "sound"], "sound", .sound),
    ]

    /// What is taken from the headers.
    public static let headers: [ProviderPayload] = [
        ProviderPayload(["apns-collapse-id"], "request_identifier"),
        ProviderPayload(["apns-id"], "push/apns_id"),
        ProviderPayload(["apns-push-type"], "push/push_type"),
        ProviderPayload(["apns-priority"], "push/priority", .decimal),
        ProviderPayload(["apns-expiration"], "push/expiration", .decimal),
        ProviderPayload(["apns-topic"], "push/topic"),
    ]

    /// The keys of `aps` any of which makes a push alert the person, unless its push type is `background`.
    public static let alertingKeys = ["alert", "sound", "badge"]

    /// The values of `apns-push-type` that are known.
    public static let pushTypes = Enumeration.pushType.names
}
