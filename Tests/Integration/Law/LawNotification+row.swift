extension LawNotification {
    var keyRow: LawRow {
        var row: LawRow = ["device_id": device, "notification_id": notification]
        row.set("occurrence", occurrence?.description ?? "-infinity")
        return row
    }

    /// The columns that the model knows; the others keep books.
    static let columns =
        [
            "device_id", "notification_id", "occurrence", "action_id", "category", "requested_category", "trigger",
            "interruption_level", "campaign", "variant", "thread", "requests", "duplicate_callbacks", "settings",
            "attributes",
        ] + deviceColumns + times.map(\.0) + stages.map(\.0)

    static let deviceColumns = ["platform", "os_version", "app_version", "locale", "time_zone"]

    private static let times: [(String, @Sendable (LawNotification) -> Int64?)] = [
        ("requested_at", \.requestedAt), ("scheduled_for", \.scheduledFor), ("delivered_at", \.deliveredAt),
        ("delivery_at", \.deliveryAt), ("presentation_at", \.presentationAt),
        ("responded_at", \.respondedAt),
        ("dismissed_at", \.dismissedAt), ("removed_at", \.removedAt), ("gone_at", \.goneAt), ("cohort_at", \.cohortAt),
        ("shown_at", \.shownAt),
        ("request_received_at", { $0.requests.map(\.receivedAt).min() }),
    ]

    private static let stages: [(String, @Sendable (LawNotification) -> Bool)] = [
        ("requested", \.requested), ("failed", \.failed), ("delivered", \.delivered), ("presented", \.presented),
        ("suppressed", \.suppressed), ("silent", \.silent), ("responded", \.responded), ("dismissed", \.dismissed),
        ("withdrawn", \.withdrawn), ("response_only", \.responseOnly), ("reached_seen", \.reachedSeen),
        ("reached_assumed", \.reachedAssumed), ("reach_unknown", \.reachUnknown), ("opened", \.opened),
        ("acted", \.acted), ("replied", \.replied),
        ("app_opened", \.appOpened), ("dismiss_observable", \.dismissObservable),
        ("delivery_observable", \.deliveryObservable),
    ]

    var row: LawRow {
        var row = keyRow
        for (name, time) in Self.times { row.set(name, time(self)) }
        for (name, stage) in Self.stages { row.set(name, stage(self)) }
        for name in Self.deviceColumns { row.set(name, context?[name]?.string) }
        row.set("settings", LawSettings(self).packed)
        row.set("requests", requests.count)
        row.set("duplicate_callbacks", duplicateCallbacks)
        row.set("action_id", action)
        row.set("category", category)
        row.set("requested_category", requestedCategory)
        row.set("trigger", trigger)
        row.set("interruption_level", interruptionLevel)
        row.set("campaign", campaign)
        row.set("variant", variant)
        row.set("thread", thread)
        row.set("attributes", own)
        return row
    }
}
