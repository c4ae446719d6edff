extension EventKind {
    /// A notification was requested, by the app (`UNUserNotificationCenter.add`) or by a provider.
    public static let request = EventKind(
        "request",
        summary: "A notification was requested, by the app or by a provider.",
        notification: .required(deliveredAt: false),
        fields: [
            Field("origin", .enumeration(Enumeration("origin", ["app", "provider"])), default: #""app""#),
            Field("scheduled_for", .timestamp),
            Field("alerting", .boolean, default: "true"),
            Field("error", .openEnumeration(.notificationError, maxBytes: 256)),
            Field("relevance_score", .number(0...1)),
            Field("mutable_content", .boolean),
            Field("content_available", .boolean),
            Field("badge", .integer(0...Int64(Int32.max))),
            Field("sound", .enumeration(Enumeration("sound", ["default", "custom", "critical", "none"]))),
            Field(
                "attachments",
                .list(.enumeration(Enumeration("attachment", ["image", "audio", "video"])), maxCount: 64)
            ),
            // A request with it is a push, whatever else is missing.
            Field("push", .object(Field.push), keptEmpty: true),
            Field("payload", .payload),
            Field("headers", .headers),
        ] + Field.liveActivity,
        conditionalDefaults: [
            // Only the sender of a push knows its payload and headers.
            ConditionalDefault("origin", #""provider""#, when: .any([.present("payload"), .present("headers")])),
            ConditionalDefault("trigger", #"{"type":"push"}"#, when: .equals("origin", "provider")),
            ConditionalDefault("alerting", "false", when: .equals("push/push_type", "background")),
        ],
        revisions: [
            // A push of another type is not an alerting notification, nor is the alert of a Live Activity.
            ConditionalDefault(
                "alerting",
                "false",
                when: .all([
                    .present("push/push_type"), .not(.equals("push/push_type", "alert")),
                    .not(.equals("alerting", "false")),
                ])
            )
        ],
        providerOnly: .equals("origin", "provider"),
        sample: """
            {"kind":"request","id":"0198c0de-0000-7000-8000-000000000001","occurred_at":"2026-03-01T09:30:00.25+01:00",\
            "device_id":"sample-device","notification_id":"sample-notification","request_identifier":"sample-request",\
            "category_id":"news","thread_id":"today","campaign_id":"spring","variant":"control",\
            "trigger":{"type":"time_interval","repeats":false,"interval_seconds":90},\
            "interruption_level":"time_sensitive","origin":"app","scheduled_for":"2026-03-01T09:31:30+01:00",\
            "alerting":true,"relevance_score":0.5,"mutable_content":true,"content_available":false,"badge":3,\
            "sound":"default","attachments":["image"],\
            "context":{"platform":"ios","os_version":"18.2","app_version":"4.1","locale":"de-DE",\
            "time_zone":"Europe/Berlin","device_model":"iPhone17,1","sdk_version":"1.0"},\
            "attributes":{"experiment":"b"}}
            """
    )
}

extension Enumeration {
    /// Apple: UNError.Code, in snake_case. The field is open, as errors of other domains occur: a case as Swift spells it
    /// would be another value.
    static let notificationError = Enumeration(
        "UNError.Code",
        raw: [
            "notifications_not_allowed": 1,
            "attachment_invalid_url": 100,
            "attachment_unrecognized_type": 101,
            "attachment_invalid_file_size": 102,
            "attachment_not_in_data_store": 103,
            "attachment_move_into_data_store_failed": 104,
            "attachment_corrupt": 105,
            "notification_invalid_no_date": 1400,
            "notification_invalid_no_content": 1401,
            "content_providing_object_not_allowed": 1500,
            "content_providing_invalid": 1501,
            "badge_input_invalid": 1600,
        ]
    ).withCaseNames()
}
