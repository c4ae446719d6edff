internal import Folds
internal import Postgres

/// The tables of the group of `conversion`.
extension FoldTables {
    static let conversion = FoldTable<(event: DeviceEvent, said: Conversion)>(
        "conversion",
        keys: eventKey { $0.event },
        values: [
            .text("name") { $0.said.name },
            FoldColumn("value", .int8) { row, _, writer in writer.append(row.said.value) },
            .text("currency") { $0.said.currency },
            .text("order_id") { $0.said.order },
        ]
    )

    static let appOpen = FoldTable<(event: DeviceEvent, said: AppOpen, notification: Symbol)>(
        "app_open",
        keys: eventKey { $0.event },
        values: [
            .text("source") { $0.said.source },
            .bool("cold") { $0.said.isCold },
            .text("notification_id") { $0.notification },
        ]
    )

    static let holdout = FoldTable<(event: DeviceEvent, said: Holdout)>(
        "holdout",
        keys: eventKey { $0.event },
        values: [
            .text("campaign") { $0.said.campaign },
            .text("variant") { $0.said.variant },
            .text("category") { $0.said.category },
            .moment("scheduled_for") { $0.said.scheduledFor },
            .text("share") { $0.said.share },
        ]
    )

    static let permissionPrompt = FoldTable<(event: DeviceEvent, said: PermissionPrompt)>(
        "permission_prompt",
        keys: eventKey { $0.event },
        values: [
            .text("placement") { $0.said.placement },
            .text("variant") { $0.said.variant },
            .text("answer") { $0.said.answer },
        ]
    )

    static let liveActivity = FoldTable<(event: DeviceEvent, said: LiveActivity)>(
        "live_activity",
        keys: eventKey { $0.event },
        values: [
            .text("activity_id") { $0.said.activity.orEmpty },
            .text("attributes_type") { $0.said.attributesType },
            .text("state") { $0.said.state },
            .text("started_by") { $0.said.startedBy },
            .text("updates_by") { $0.said.updatesBy },
            .text("channel_id") { $0.said.channel },
            context { $0.said.context },
        ]
    )

    static let liveActivityPush = FoldTable<(event: DeviceEvent, notification: NotificationID, said: LiveActivity)>(
        "live_activity_push",
        keys: eventKey { $0.event },
        values: [
            .text("notification_id") { $0.notification.id },
            .occurrence("occurrence") { $0.notification.occurrence },
            .text("event") { $0.said.event },
            .text("attributes_type") { $0.said.attributesType },
            .text("activity_id") { $0.said.activity },
            .text("channel_id") { $0.said.channel },
            context { $0.said.context },
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
