extension EventKind {
    /// A provider's answer to a push. Without a `device_id` it affects the token alone.
    public static let pushResult = EventKind(
        "push_result",
        summary: "The answer of APNs or FCM to a push.",
        notification: .optional,
        deviceRequired: false,
        fields: [
            .provider,
            Field("status", .integer(100...599)),
            // APNs and FCM may add reasons: kept as sent.
            Field("reason", .string(maxBytes: 256)),
            // Milliseconds since 1970: when APNs last confirmed that the token was no longer valid (status 410).
            Field("timestamp", .integer(0...253_402_300_799_999)),
            Field("apns_id", .uuid),
            .topic,
            .tokenType,
            .environment,
            Field("token", .token, column: .token),
        ],
        rules: [.atLeastOne(["token", "device_id"])],
        providerOnly: .always,
        sample: """
            {"kind":"push_result","id":"0198c0de-0000-7000-8000-00000000000b","occurred_at":"2026-03-01T08:31:29Z",\
            "device_id":"sample-device","notification_id":"sample-notification","provider":"apns","status":410,\
            "reason":"Unregistered","timestamp":1772353889000,"apns_id":"eabeae54-14a8-11e5-b60b-1697f925ec7b",\
            "topic":"com.example.app","type":"alert","environment":"production",\
            "token":"00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"}
            """
    )
}
