extension EventKind {
    /// One complete `UNNotificationSettings`. Absent values are unknown, not disabled.
    public static let settings = EventKind(
        "settings",
        summary: "The current notification settings of the device; absent values are unknown.",
        fields: [Field("authorization_status", .enumeration(.authorizationStatus))]
            + [
                "alert", "sound", "badge", "lock_screen", "notification_center", "car_play", "critical_alert",
                "announcement", "time_sensitive", "scheduled_delivery", "direct_messages",
            ].map { Field($0, .enumeration(.notificationSetting)) } + [
                Field(
                    "alert_style",
                    .enumeration(Enumeration("UNAlertStyle", raw: ["none": 0, "banner": 1, "alert": 2]))
                ),
                Field(
                    "show_previews",
                    .enumeration(
                        Enumeration(
                            "UNShowPreviewsSetting",
                            raw: ["always": 0, "when_authenticated": 1, "never": 2]
                        )
                    )
                ),
                Field("provides_app_notification_settings", .boolean),
                // Apple: ActivityAuthorizationInfo.
                Field("live_activities", .enumeration(Enumeration("live_activities", ["disabled", "enabled"]))),
            ],
        sample: """
            {"kind":"settings","id":"0198c0de-0000-7000-8000-000000000009","occurred_at":"2026-03-01T06:00:00Z",\
            "device_id":"sample-device","authorization_status":"authorized","alert":"enabled","sound":"disabled",\
            "badge":2,"lock_screen":"enabled","notification_center":"enabled","car_play":"not_supported",\
            "critical_alert":"not_supported","announcement":"not_supported","time_sensitive":"enabled",\
            "scheduled_delivery":"disabled","direct_messages":"not_supported","alert_style":"banner",\
            "show_previews":"when_authenticated","provides_app_notification_settings":true}
            """
    )
}

extension Enumeration {
    /// Apple: UNAuthorizationStatus.
    static let authorizationStatus = Enumeration(
        "UNAuthorizationStatus",
        raw: ["not_determined": 0, "denied": 1, "authorized": 2, "provisional": 3, "ephemeral": 4]
    )

    /// Apple: UNNotificationSetting.
    static let notificationSetting = Enumeration(
        "UNNotificationSetting",
        raw: ["not_supported": 0, "disabled": 1, "enabled": 2]
    )
}
