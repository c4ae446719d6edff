internal import Folds
internal import NotificationEvents
internal import Postgres

/// The table `notification`: how each column is written from a notification, and how it is read back.
struct NotificationColumn: Sendable {
    let column: FoldColumn<NotificationBatch>
    let read: @Sendable (inout Stored, inout FoldFields, inout Symbols) throws -> Void

    /// A row as it is read, column by column.
    struct Stored {
        var facts = NotificationFacts()
        var row = NotificationRow()
    }

    /// The columns beside the key, in the order in which rows are read.
    static let all: [NotificationColumn] =
        moments + numbers + flags + stages + names + contexts + [
            NotificationColumn(
                column: .int4("settings") { $0.after?.row.settings.packed },
                read: { stored, fields, _ in stored.row.settings = SettingsInForce(packed: fields.int4()) }
            ),
            // Before the facts, which have the ranks of its values.
            NotificationColumn(
                column: FoldColumn("attributes", .jsonb) { notification, symbols, writer in
                    guard let own = notification.after?.facts.own, !own.isEmpty else { return writer.appendNull() }
                    writer.append(own.json(symbols.names))
                },
                read: { stored, fields, symbols in
                    fields.withJSON { bytes in
                        if let bytes { stored.facts.own = OwnValues(bytes, &symbols) }
                    }
                }
            ),
            NotificationColumn(
                column: FoldColumn("facts", .bytea) { notification, symbols, writer in
                    var bytes: [UInt8] = []
                    bytes.reserveCapacity(100)
                    notification.after?.facts.pack(into: &bytes, symbols)
                    bytes.withUnsafeBytes { writer.append(raw: $0) }
                },
                read: { stored, fields, symbols in
                    try fields.withBytes { bytes in
                        guard let bytes else { throw FoldError.packing }
                        try stored.facts.unpack(bytes, &symbols)
                    }
                }
            ),
        ]

    private static let moments = [
        moment("requested_at", { $0.facts.requestedAt }, { $0.requestedAt = $1 }),
        moment("scheduled_for", { $0.facts.scheduledFor }, { $0.scheduledFor = $1 }),
        moment("delivered_at", { $0.facts.deliveredAt }, { $0.deliveredAt = $1 }),
        moment("delivery_at", { $0.facts.deliveryAt }, { $0.deliveryAt = $1 }),
        moment("presentation_at", { $0.facts.presentationAt }, { $0.presentationAt = $1 }),
        moment("responded_at", { $0.facts.respondedAt }, { $0.respondedAt = $1 }),
        moment("dismissed_at", { $0.facts.dismissedAt }, { $0.dismissedAt = $1 }),
        moment("withdrawn_at", { $0.facts.withdrawnAt }, { $0.withdrawnAt = $1 }),
        moment("removed_at", { $0.facts.removedAt }, { $0.removedAt = $1 }),
        moment("gone_at", { $0.facts.goneAt }, { $0.goneAt = $1 }),
        moment("request_received_at", { $0.facts.requestReceivedAt }, { $0.requestReceivedAt = $1 }),
        NotificationColumn(
            column: .moment("cohort_at") { $0.after?.row.cohortAt ?? .none },
            read: { stored, fields, _ in stored.row.cohortAt = fields.moment() }
        ),
        NotificationColumn(
            column: .moment("shown_at") { $0.after?.row.shownAt ?? .none },
            read: { stored, fields, _ in stored.row.shownAt = fields.moment() }
        ),
    ]

    private static let numbers = [
        number("requests", { $0.facts.requests }, { $0.requests = $1 }),
        number("duplicate_callbacks", { $0.facts.duplicateCallbacks }, { $0.duplicateCallbacks = $1 }),
    ]

    private static let flags: [NotificationColumn] = [
        flag("is_push", .isPush), flag("add_succeeded", .addSucceeded), flag("add_failed", .addFailed),
        flag("push_answered", .pushAnswered), flag("push_accepted", .pushAccepted), flag("showed", .showed),
        flag("hid", .hid), flag("sounded", .sounded), flag("filtered", .filtered),
        flag("mutable_content", .mutableContent), flag("due_known", .dueKnown), flag("witnessed", .witnessed),
    ]

    private static let stages: [NotificationColumn] = [
        stage("requested", .requested), stage("failed", .failed), stage("delivered", .delivered),
        stage("presented", .presented), stage("suppressed", .suppressed), stage("silent", .silent),
        stage("responded", .responded), stage("dismissed", .dismissed), stage("withdrawn", .withdrawn),
        stage("response_only", .responseOnly), stage("reached_seen", .reachedSeen),
        stage("reached_assumed", .reachedAssumed), stage("reach_unknown", .reachUnknown), stage("opened", .opened),
        stage("acted", .acted), stage("replied", .replied), stage("app_opened", .appOpened),
        stage("dismiss_observable", .dismissObservable), stage("delivery_observable", .deliveryObservable),
        stage("alerting", .alerting),
    ]

    private static let names = [
        name("action_id", { $0.facts.action.value }, { $0.action.value = $1 }),
        name("category", { $0.facts.category.value }, { $0.category.value = $1 }),
        name("requested_category", { $0.facts.requestedCategory.value }, { $0.requestedCategory.value = $1 }),
        name("trigger", { $0.facts.trigger.value }, { $0.trigger.value = $1 }),
        name("interruption_level", { $0.facts.interruptionLevel.value }, { $0.interruptionLevel.value = $1 }),
        name("campaign", { $0.facts.campaign.value }, { $0.campaign.value = $1 }),
        name("variant", { $0.facts.variant.value }, { $0.variant.value = $1 }),
        name("thread", { $0.facts.thread.value }, { $0.thread.value = $1 }),
    ]

    private static let contexts = [
        context("platform", { $0.row.context.platform }, { $0.platform = $1 }),
        context("os_version", { $0.row.context.osVersion }, { $0.osVersion = $1 }),
        context("app_version", { $0.row.context.appVersion }, { $0.appVersion = $1 }),
        context("locale", { $0.row.context.locale }, { $0.locale = $1 }),
        context("time_zone", { $0.row.context.timeZone }, { $0.timeZone = $1 }),
    ]

    private static func moment(
        _ name: String,
        _ get: @escaping @Sendable (Counted) -> Moment,
        _ set: @escaping @Sendable (inout NotificationFacts, Moment) -> Void
    ) -> NotificationColumn {
        NotificationColumn(
            column: .moment(name) { $0.after.map(get) ?? .none },
            read: { stored, fields, _ in set(&stored.facts, fields.moment()) }
        )
    }

    private static func number(
        _ name: String,
        _ get: @escaping @Sendable (Counted) -> Int32,
        _ set: @escaping @Sendable (inout NotificationFacts, Int32) -> Void
    ) -> NotificationColumn {
        NotificationColumn(
            column: .int4(name) { $0.after.map(get) },
            read: { stored, fields, _ in set(&stored.facts, fields.int4()) }
        )
    }

    private static func flag(_ name: String, _ flag: NotificationFacts.Flags) -> NotificationColumn {
        NotificationColumn(
            column: .bool(name) { $0.after?.facts.flags.contains(flag) },
            read: { stored, fields, _ in if fields.bool() { stored.facts.flags.insert(flag) } }
        )
    }

    private static func stage(_ name: String, _ stage: NotificationRow.Stages) -> NotificationColumn {
        NotificationColumn(
            column: .bool(name) { $0.after?.row.stages.contains(stage) },
            read: { stored, fields, _ in if fields.bool() { stored.row.stages.insert(stage) } }
        )
    }

    private static func name(
        _ name: String,
        _ get: @escaping @Sendable (Counted) -> Symbol,
        _ set: @escaping @Sendable (inout NotificationFacts, Symbol) -> Void
    ) -> NotificationColumn {
        NotificationColumn(
            column: .text(name) { $0.after.map(get) ?? .none },
            read: { stored, fields, symbols in set(&stored.facts, fields.symbol(in: &symbols.names)) }
        )
    }

    private static func context(
        _ name: String,
        _ get: @escaping @Sendable (Counted) -> Symbol,
        _ set: @escaping @Sendable (inout Symbols.Context, Symbol) -> Void
    ) -> NotificationColumn {
        NotificationColumn(
            column: .text(name) { $0.after.map(get) ?? .none },
            read: { stored, fields, symbols in
                set(&stored.row.context, fields.symbol(in: &symbols.names))
            }
        )
    }
}

extension OwnValues {
    /// An object with the values, each as a string.
    fileprivate func json(_ names: borrowing SymbolTable) -> [UInt8] {
        var json = [UInt8(ascii: "{")]
        for key in keys(names) {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            JSONString.with(names.string(key)) { json.append(contentsOf: $0) }
            json.append(UInt8(ascii: ":"))
            JSONString.with(names.string(self[key].value)) { json.append(contentsOf: $0) }
        }
        json.append(UInt8(ascii: "}"))
        return json
    }
}

extension FoldTable<NotificationBatch> {
    /// The columns of the key of a notification, which several tables have.
    static let notificationKey: [FoldColumn<NotificationBatch>] = FoldTables.notificationKey {
        NotificationID(app: $0.device.key.app, device: $0.device.key.id, id: $0.key.id, occurrence: $0.key.occurrence)
    }

    static let notification = FoldTable(
        "notification",
        keys: notificationKey,
        values: NotificationColumn.all.map(\.column)
    )
}
