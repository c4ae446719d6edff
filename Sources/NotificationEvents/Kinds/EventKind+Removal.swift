extension EventKind {
    /// The notification was removed, or left the delivered list.
    public static let removal = EventKind(
        "removal",
        summary: "The notification was removed, or left the delivered list.",
        notification: .required(deliveredAt: true),
        fields: [
            Field("reason", .enumeration(Enumeration("reason", ["replaced", "removed_by_app", "gone"]))),
            Field("state", .enumeration(Enumeration("state", ["pending", "delivered"]))),
        ],
        sample: """
            {"kind":"removal","id":"0198c0de-0000-7000-8000-000000000006","occurred_at":"2026-03-01T08:30:30Z",\
            "device_id":"sample-device","request_identifier":"sample-request","reason":"removed_by_app",\
            "state":"pending"}
            """
    )
}
