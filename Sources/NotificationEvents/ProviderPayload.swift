/// How the payload and headers of a push, as a provider sent them to APNs, become fields of a `request`.
///
/// The push was sent anyway, so nothing in them is rejected: numbers and booleans as texts and firebase-admin's spelling
/// of keys are accepted, invalid values are left out, and the warnings name each of them.
///
/// Source: Apple, "Generating a remote notification" and "Sending notification requests to APNs". Custom keys and the
/// words of the alert are dropped.
public struct ProviderPayload: Sendable {
    /// The path of the value: keys from the outermost in; for headers the one name, in lower case.
    public let path: [String]
    /// The field that it becomes; `push/priority` is within an object. A field of the event itself has precedence.
    public let field: String
    /// How it is parsed.
    public let conversion: Conversion
    /// The last key in firebase-admin's spelling, which is accepted too; `nil` if it is the same.
    public let camelCase: String?

    /// How a value of a payload or header becomes a field.
    public enum Conversion: Sendable {
        /// Like the field itself.
        case same
        /// Text, or a whole number as its decimal digits, which is how clients read it from the payload.
        case text
        /// 1 or `true` as `true`, 0 or `false` as `false`.
        case flag
        /// A name with hyphens instead of underscores.
        case hyphenated
        /// A name of a sound or a dictionary with `critical`, as the kind of sound; empty as `none`.
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

    /// A key with hyphens or underscores in firebase-admin's spelling, which has capitals instead.
    public static func camelCase(_ key: String) -> String {
        let words = key.split { $0 == "-" || $0 == "_" }
        return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// The fields read from a payload. The first one present wins.
    public static let payload: [ProviderPayload] = [
        ProviderPayload(["notilog", "id"], "notification_id", .text),
        ProviderPayload(["notilog", "campaign_id"], "campaign_id", .text),
        ProviderPayload(["notilog", "campaign"], "campaign_id", .text),
        ProviderPayload(["notilog", "variant"], "variant", .text),
        // Which Live Activity the push updates or ends, which only the sender knows.
        ProviderPayload(["notilog", "activity_id"], "activity_id", .text),
        ProviderPayload(["aps", "category"], "category_id"),
        ProviderPayload(["aps", "thread-id"], "thread_id"),
        ProviderPayload(["aps", "interruption-level"], "interruption_level", .hyphenated),
        // A Live Activity may have any number here, which is left out.
        ProviderPayload(["aps", "relevance-score"], "relevance_score"),
        ProviderPayload(["aps", "mutable-content"], "mutable_content", .flag),
        ProviderPayload(["aps", "content-available"], "content_available", .flag),
        ProviderPayload(["aps", "badge"], "badge"),
        ProviderPayload(["aps", "sound"], "sound", .sound),
        // Of a Live Activity. Its content, its attributes and the request for a token are dropped.
        ProviderPayload(["aps", "event"], "live_activity_event"),
        ProviderPayload(["aps", "attributes-type"], "attributes_type"),
        ProviderPayload(["aps", "stale-date"], "stale_date"),
        ProviderPayload(["aps", "dismissal-date"], "dismissal_date"),
        ProviderPayload(["aps", "input-push-channel"], "channel_id"),
    ]

    /// The fields read from the headers.
    public static let headers: [ProviderPayload] = [
        ProviderPayload(["apns-collapse-id"], "request_identifier", .text),
        ProviderPayload(["apns-id"], "push/apns_id"),
        ProviderPayload(["apns-push-type"], "push/push_type"),
        ProviderPayload(["apns-priority"], "push/priority", .decimal),
        ProviderPayload(["apns-expiration"], "push/expiration", .decimal),
        ProviderPayload(["apns-topic"], "push/topic"),
        ProviderPayload(["apns-channel-id"], "channel_id"),
    ]

    /// The keys of `aps` that make a push alerting, unless its push type is `background`.
    public static let alertingKeys = ["alert", "sound", "badge"]

    /// The known values of `apns-push-type`.
    public static let pushTypes = Enumeration.pushType.names
}
