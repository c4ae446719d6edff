extension Field {
    /// The fields of every event about one notification.
    static func notification(deliveredAt: Bool) -> [Field] {
        var fields = [
            Field("notification_id", .identifier(maxBytes: 512), column: .notificationID),
            Field("request_identifier", .identifier(maxBytes: 512)),
            Field("occurrence", .timestamp, column: .occurrence),
        ]
        if deliveredAt {
            fields.append(Field("delivered_at", .timestamp))
        }
        return fields + [
            Field("category_id", .string(maxBytes: 256)),
            Field("thread_id", .string(maxBytes: 256)),
            Field("trigger", .object(trigger)),
            Field("interruption_level", .enumeration(.interruptionLevel)),
            Field("campaign_id", .string(maxBytes: 256)),
            Field("variant", .string(maxBytes: 256)),
        ]
    }

    /// What makes a request fire (Apple: UNNotificationTrigger and its subclasses). Coordinates are not accepted.
    private static let trigger: [Field] = [
        Field("type", .enumeration(.triggerType)),
        Field("repeats", .boolean),
        Field("interval_seconds", .number(0...3_155_760_000)),
        Field("date_components", .object(dateComponents)),
        Field("region_event", .enumeration(Enumeration("region_event", ["enter", "exit", "both"]))),
    ]

    /// The units of a calendar trigger (Apple: DateComponents).
    private static let dateComponents: [Field] =
        [
            "era", "year", "month", "day", "hour", "minute", "second", "nanosecond", "weekday", "weekday_ordinal",
            "quarter", "week_of_month", "week_of_year", "year_for_week_of_year", "day_of_year",
        ].map { Field($0, .integer(0...1_000_000_000)) } + [
            Field("time_zone", .string(maxBytes: 64, format: .timeZone)),
            Field("calendar", .string(maxBytes: 64)),
        ]
}

extension Enumeration {
    /// What fires a request.
    static let triggerType = Enumeration("trigger type", ["push", "time_interval", "calendar", "location", "none"])

    /// Apple: UNNotificationInterruptionLevel.
    static let interruptionLevel = Enumeration(
        "UNNotificationInterruptionLevel",
        raw: ["passive": 0, "active": 1, "time_sensitive": 2, "critical": 3]
    )
}
