/// A kind of event, declared whole: its fields, its limits, the rules across its fields, and a sample.
///
/// Each kind is one file in `Kinds` and one line in ``all``; nothing else has to be told of it.
public final class EventKind: Sendable {
    /// The name that `kind` carries.
    public let name: String
    /// The version of its fields that is written now; events stored before are upcast from version to version as they
    /// are read, by `sql/upcasting/<kind>_<version>.sql`. `sql/log/schema_version.sql` says the same.
    public let schemaVersion: Int16
    /// What it records, in one sentence.
    public let summary: String
    /// Every field that an event of this kind may carry, in the order in which `data` holds them.
    public let fields: [Field]
    /// The rules across its fields, in the order in which they are checked.
    public let rules: [Rule]
    /// What absent fields take from the others, in the order in which they are filled in.
    public let conditionalDefaults: [ConditionalDefault]
    /// What fields are stored as, whatever was sent. It came after events were stored, and is no part of their identity: a
    /// retry of one from before is still the same event. Whoever reads events from before applies the rule himself.
    public let revisions: [ConditionalDefault]
    /// When an event sent as this kind means another; the first that holds is taken.
    public let rewrites: [Rewrite]
    /// When only a provider's key may send it; `nil` means never.
    public let providerOnly: Condition?
    /// An event of this kind as it may be sent, as JSON.
    public let sample: String

    /// How a kind stands to one notification.
    enum NotificationFields {
        /// It is about no notification.
        case none
        /// It may name one.
        case optional
        /// It must name one, and carries what is known of it; `delivered_at` too unless it is a request.
        case required(deliveredAt: Bool)
    }

    /// Declares a kind. Fields that several kinds share are added here, so that they stand in one order everywhere.
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
        // Reply text comes last, so that a digest of what is before it leaves it out.
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
