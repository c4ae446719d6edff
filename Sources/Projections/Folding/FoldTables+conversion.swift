internal import Folds
internal import Postgres

/// The tables of the group of `conversion`.
extension FoldTables {
    static let conversion = FoldTable<(event: DeviceEvent, detail: Conversion)>(
        "conversion",
        keys: eventKey { $0.event },
        values: [
            .text("name") { $0.detail.name },
            FoldColumn("value", .int8) { row, _, writer in writer.append(row.detail.value) },
            .text("currency") { $0.detail.currency },
            .text("order_id") { $0.detail.order },
        ]
    )

    static let appOpen = FoldTable<(event: DeviceEvent, detail: AppOpen, notification: Symbol)>(
        "app_open",
        keys: eventKey { $0.event },
        values: [
            .text("source") { $0.detail.source },
            .bool("cold") { $0.detail.isCold },
            .text("notification_id") { $0.notification },
        ]
    )

    static let holdout = FoldTable<(event: DeviceEvent, detail: Holdout)>(
        "holdout",
        keys: eventKey { $0.event },
        values: [
            .text("campaign") { $0.detail.campaign },
            .text("variant") { $0.detail.variant },
            .text("category") { $0.detail.category },
            .moment("scheduled_for") { $0.detail.scheduledFor },
            .text("share") { $0.detail.share },
        ]
    )

    static let permissionPrompt = FoldTable<(event: DeviceEvent, detail: PermissionPrompt)>(
        "permission_prompt",
        keys: eventKey { $0.event },
        values: [
            .text("placement") { $0.detail.placement },
            .text("variant") { $0.detail.variant },
            .text("answer") { $0.detail.answer },
        ]
    )

    static let liveActivity = FoldTable<(event: DeviceEvent, detail: LiveActivity)>(
        "live_activity",
        keys: eventKey { $0.event },
        values: [
            .text("activity_id") { $0.detail.activity.orEmpty },
            .text("attributes_type") { $0.detail.attributesType },
            .text("state") { $0.detail.state },
            .text("started_by") { $0.detail.startedBy },
            .text("updates_by") { $0.detail.updatesBy },
            .text("channel_id") { $0.detail.channel },
            context { $0.detail.context },
        ]
    )

    static let liveActivityPush = FoldTable<(event: DeviceEvent, notification: NotificationID, detail: LiveActivity)>(
        "live_activity_push",
        keys: eventKey { $0.event },
        values: [
            .text("notification_id") { $0.notification.id },
            .occurrence("occurrence") { $0.notification.occurrence },
            .text("event") { $0.detail.event },
            .text("attributes_type") { $0.detail.attributesType },
            .text("activity_id") { $0.detail.activity },
            .text("channel_id") { $0.detail.channel },
            context { $0.detail.context },
        ]
    )

    /// The event's own context.
    static func context<Row>(_ context: @escaping @Sendable (Row) -> Symbol) -> FoldColumn<Row> {
        FoldColumn("context", .jsonb) { row, symbols, writer in writer.append(context(row), in: symbols.values) }
    }

    /// Inserts no row into any of the tables.
    static func insertNothingOfConversion(on connection: isolated Connection) async throws {
        try await conversion.insertNothing(on: connection)
        try await appOpen.insertNothing(on: connection)
        try await holdout.insertNothing(on: connection)
        try await permissionPrompt.insertNothing(on: connection)
        try await liveActivity.insertNothing(on: connection)
        try await liveActivityPush.insertNothing(on: connection)
    }
}
