extension EventKind {
    /// The app asked for permission (Apple: `requestAuthorization(options:)`).
    public static let authorizationRequest = EventKind(
        "authorization_request",
        summary: "The app asked the person for permission to notify.",
        fields: [
            Field("options", .optionSet(.authorizationOptions)),
            Field("granted", .boolean),
            // The status just before the question: iOS asks a person once.
            Field("status_before", .enumeration(.authorizationStatus)),
            Field("error", .openEnumeration(.notificationError, maxBytes: 256)),
        ],
        sample: """
            {"kind":"authorization_request","id":"0198c0de-0000-7000-8000-000000000007",\
            "occurred_at":"2026-02-27T12:00:00Z","device_id":"sample-device","options":["alert","badge","sound"],\
            "granted":true,"status_before":"not_determined"}
            """
    )
}

extension Enumeration {
    /// Apple: UNAuthorizationOptions, by bit.
    static let authorizationOptions = Enumeration(
        "UNAuthorizationOptions",
        raw: [
            "badge": 1,
            "sound": 2,
            "alert": 4,
            "car_play": 8,
            "critical_alert": 16,
            "provides_app_notification_settings": 32,
            "provisional": 64,
            "announcement": 128,
            "time_sensitive": 256,
        ]
    )
}
