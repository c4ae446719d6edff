extension EventKind {
    /// The device was chosen for a campaign and deliberately not sent it.
    public static let holdout = EventKind(
        "holdout",
        summary: "The device was chosen for a campaign and deliberately not sent it.",
        fields: [
            Field("campaign_id", .label(maxBytes: 256), required: true),
            Field("variant", .string(maxBytes: 256), default: #""holdout""#),
            Field("category_id", .string(maxBytes: 256)),
            // When the notification would have been sent.
            Field("scheduled_for", .timestamp),
            // The declared part of the devices that is held out.
            Field("share", .number(0...1)),
        ],
        providerOnly: .always,
        sample: """
            {"kind":"holdout","id":"0198c0de-0000-7000-8000-00000000000f","occurred_at":"2026-03-01T08:00:00Z",\
            "device_id":"sample-device","campaign_id":"spring","variant":"holdout","category_id":"news",\
            "scheduled_for":"2026-03-01T08:30:00Z","share":0.1}
            """
    )
}
