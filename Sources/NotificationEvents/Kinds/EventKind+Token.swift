extension EventKind {
    /// The device got a token, failed to get one, or gave it up.
    public static let token = EventKind(
        "token",
        summary: "The device got a device token, failed to get one, or gave it up.",
        fields: [
            Field(
                "state",
                .enumeration(Enumeration("state", ["registered", "registration_failed", "unregistered"])),
                default: #""registered""#
            ),
            .provider,
            .tokenType,
            // Each Live Activity has a token of its own, as has each type of them that pushes start, and each kind of control.
            .activityID(),
            .attributesType,
            Field("control_kind", .label(maxBytes: 128)),
            .topic,
            .environment,
            Field("error", .string(maxBytes: 256)),
            Field("token", .token, column: .token),
        ],
        rules: [
            .required(
                "token",
                when: .not(.equals("state", "registration_failed")),
                reason: "unless state is registration_failed"
            )
        ],
        sample: """
            {"kind":"token","id":"0198c0de-0000-7000-8000-00000000000a","occurred_at":"2026-02-27T12:00:05Z",\
            "device_id":"sample-device","state":"registered","provider":"apns","type":"alert",\
            "topic":"com.example.app","environment":"production",\
            "token":"00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"}
            """
    )
}
