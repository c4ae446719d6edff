extension EventKind {
    /// The person dismissed the notification; iOS reports it only if the category has `custom_dismiss_action`.
    public static let dismissal = EventKind(
        "dismissal",
        summary: "The person dismissed the notification; reported only if its category has custom_dismiss_action.",
        notification: .required(deliveredAt: true),
        sample: """
            {"kind":"dismissal","id":"0198c0de-0000-7000-8000-000000000005","occurred_at":"2026-03-01T08:45:00Z",\
            "device_id":"sample-device","notification_id":"sample-notification","category_id":"news"}
            """
    )
}
