/// A kind of event, declared whole: its fields, its limits, the rules across its fields, and a sample.
///
/// Each kind is one file in `Kinds` and one line in ``all``.
public final class EventKind: Sendable {
    /// The name that `kind` carries.
    public let name: String
    /// The current version of its fields. Events stored with an earlier version are upcast from version to version when they
    /// are read, by `sql/upcasting/<kind>_<version>.sql`. `sql/log/schema_version.sql` has the same versions.
    public let schemaVersion: Int16
    /// What it records, in one sentence.
    public let summary: String
    /// Every field that an event of this kind may carry, in the order in which `data` holds them.
    public let fields: [Field]
    /// The rules across its fields, in the order in which they are checked.
    public let rules: [Rule]
    /// The defaults that depend on other fields, in the order in which they are applied.
    public let conditionalDefaults: [ConditionalDefault]
    /// The stored values of fields, whatever was sent. These rules were added after events had been stored, and are not part
    /// of an event's identity: a retry of an older event is still the same event. A reader of older events applies them too.
    public let revisions: [ConditionalDefault]
    /// The conditions under which an event of this kind means another kind; the first that holds applies.
    public let rewrites: [Rewrite]
    /// When only a provider's key may send it; `nil` means never.
    public let providerOnly: Condition?
    /// A sample event, as JSON.
    public let sample: String

    /// How a kind relates to notifications.
    enum NotificationFields {
        /// It is not about a notification.
        case none
        /// It may name one.
        case optional
        /// It must name one, and carries the fields of a notification; `delivered_at` too unless it is a request.
        case required(deliveredAt: Bool)
    }

    /// Declares a kind. Shared fields are added here, so that their order is the same everywhere.
    init(
        _ name: String,
        schemaVersion: Int16 = 1,
        summary: String,
        notification: NotificationFields = .none,
        deviceRequired: Bool = true,
        fields: [Field] = [],
        rules: [Rule] = [],
        conditionalDefaults: [ConditionalDefault] = [],
        revisions: [ConditionalDefault] = [],
        rewrites: [Rewrite] = [],
        providerOnly: Condition? = nil,
        sample: String
    ) {
        self.name = name
        self.schemaVersion = schemaVersion
        self.summary = summary
        var all = Field.envelope(deviceRequired: deviceRequired)
        var allRules = rules
        switch notification {
        case .none: break
        case .optional:
            all += Field.notification(deliveredAt: true)
        case .required(let deliveredAt):
            all += Field.notification(deliveredAt: deliveredAt)
            allRules.insert(.atLeastOne(["notification_id", "request_identifier"]), at: 0)
        }
        // Reply text comes last, so that a digest of the bytes before it leaves it out.
        all += fields.filter { !$0.isReplyText } + Field.surroundings + fields.filter(\.isReplyText)
        self.fields = all
        self.rules = allRules
        self.conditionalDefaults = conditionalDefaults
        self.revisions = revisions
        self.rewrites = rewrites
        self.providerOnly = providerOnly
        self.sample = sample
    }
}

extension EventKind: Hashable, CustomStringConvertible {
    /// Whether two kinds have the same name.
    public static func == (left: EventKind, right: EventKind) -> Bool {
        left === right || left.name == right.name
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }

    /// The name.
    public var description: String {
        name
    }
}

extension Field {
    var isReplyText: Bool {
        if case .replyText = type { true } else { false }
    }
}
