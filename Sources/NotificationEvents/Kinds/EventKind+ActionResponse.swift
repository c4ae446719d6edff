extension EventKind {
    /// The person acted on the notification.
    public static let actionResponse = EventKind(
        "action_response",
        summary: "The person acted on the notification.",
        notification: .required(deliveredAt: true),
        fields: [
            Field("action_id", .actionIdentifier, required: true),
            Field("text_length", .integer(0...Int64(Int32.max))),
            Field("text", .replyText(lengthField: "text_length")),
            // Whether the push was alerting, if the callback has its payload.
            Field("alerting", .boolean),
            Field(
                "app_state",
                .enumeration(Enumeration("app_state", ["not_running", "background", "inactive", "active"]))
            ),
            Field(
                "delegate",
                .enumeration(
                    Enumeration(
                        "delegate",
                        [
                            "did_receive_response", "did_receive_remote_notification", "did_finish_launching",
                            "scene_will_connect", "handle_action", "content_extension",
                        ]
                    )
                )
            ),
        ],
        rewrites: [
            // A dismissal never counts as engagement.
            Rewrite(to: "dismissal", when: .equals("action_id", ActionIdentifier.systemDismiss)),
            // In any state but inactive the callback is a background wake, not a tap; for a silent push always.
            Rewrite(
                to: "delivery",
                when: .any([
                    .all([
                        .equals("delegate", "did_receive_remote_notification"), .not(.equals("app_state", "inactive")),
                    ]),
                    .all([
                        .equals("alerting", "false"),
                        .any([
                            .equals("delegate", "did_receive_remote_notification"),
                            .equals("delegate", "did_finish_launching"),
                        ]),
                    ]),
                ]),
                setting: [("source", #""background_wake""#)]
            ),
        ],
        sample: """
            {"kind":"action_response","id":"0198c0de-0000-7000-8000-000000000004",\
            "occurred_at":"2026-03-01T08:40:00.5Z","device_id":"sample-device","notification_id":"sample-notification",\
            "delivered_at":"2026-03-01T08:31:30Z","category_id":"news","trigger":{"type":"push"},"action_id":"comment",\
            "text_length":12,"app_state":"background","delegate":"did_receive_response"}
            """
    )
}

extension FieldType {
    /// An action's identifier; the system's constant for the default action is read as `default`.
    static let actionIdentifier = FieldType.openEnumeration(
        Enumeration("actionIdentifier", [ActionIdentifier.opened])
            .alias(ActionIdentifier.systemDefault, for: ActionIdentifier.opened),
        maxBytes: 256
    )
}
