extension EventKind {
    /// The app came to the foreground.
    public static let appOpen = EventKind(
        "app_open",
        summary: "The app came to the foreground.",
        fields: [
            Field("source", .enumeration(Enumeration("app_open source", ["launch", "foreground", "scene"]))),
            // Whether the process was started for it.
            Field("cold", .boolean),
            // The notification whose tap opened the app, if one did.
            Field("notification_id", .identifier(maxBytes: 512), column: .notificationID),
        ],
        sample: """
            {"kind":"app_open","id":"0198c0de-0000-7000-8000-00000000000d","occurred_at":"2026-03-01T08:40:01Z",\
            "device_id":"sample-device","source":"foreground","cold":false,"notification_id":"sample-notification"}
            """
    )
}
