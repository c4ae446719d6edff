extension EventKind {
    /// The person opened the app's notification settings from the system's (Apple: `openSettingsFor`).
    public static let openSettings = EventKind(
        "open_settings",
        summary: "The person opened the app's notification settings from the system's.",
        sample: """
            {"kind":"open_settings","id":"0198c0de-0000-7000-8000-000000000008","occurred_at":"2026-03-02T07:00:00Z",\
            "device_id":"sample-device"}
            """
    )
}
