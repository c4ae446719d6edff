extension EventKind {
    /// The notification reached the device.
    public static let delivery = EventKind(
        "delivery",
        summary: "The notification reached the device.",
        notification: .required(deliveredAt: true),
        fields: [
            Field(
                "source",
                .enumeration(
                    Enumeration(
                        "source",
                        ["service_extension", "will_present", "delivered_list", "background_wake", "imported"]
                    )
                )
            ),
            // Whether it is alerting, if the callback has the payload.
            Field("alerting", .boolean),
            Field("extension", .object(serviceExtension)),
        ],
        rules: [
            .required(
                "delivered_at",
                when: .equals("source", "delivered_list"),
                reason: "with source delivered_list, whose occurred_at is the time of the sweep"
            )
        ],
        conditionalDefaults: [
            // Only a service extension has an outcome.
            ConditionalDefault("source", #""service_extension""#, when: .present("extension"))
        ],
        sample: """
            {"kind":"delivery","id":"0198c0de-0000-7000-8000-000000000002","occurred_at":"2026-03-01T08:31:30Z",\
            "device_id":"sample-device","notification_id":"sample-notification","category_id":"news",\
            "trigger":{"type":"push"},"source":"service_extension","alerting":true,\
            "extension":{"outcome":"modified","duration_ms":412,"attachments_loaded":1,"attachments_failed":0},\
            "context":{"platform":"ios","app_version":"4.1"}}
            """
    )

    /// What a notification service extension did (Apple: UNNotificationServiceExtension).
    private static let serviceExtension: [Field] = [
        Field(
            "outcome",
            .enumeration(Enumeration("outcome", ["modified", "unmodified", "expired", "filtered"]))
        ),
        Field("duration_ms", .integer(0...86_400_000)),
        Field("attachments_loaded", .integer(0...1_000_000)),
        Field("attachments_failed", .integer(0...1_000_000)),
    ]
}
