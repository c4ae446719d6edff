extension EventKind {
    /// The app asked its own question before the system's.
    public static let permissionPrompt = EventKind(
        "permission_prompt",
        summary: "The app asked its own question before the system's request for permission.",
        fields: [
            // Where in the app it asks: onboarding, after the first order.
            Field("placement", .label(maxBytes: 64)),
            Field("variant", .string(maxBytes: 256)),
            Field(
                "answer",
                .enumeration(Enumeration("permission_prompt answer", ["continued", "later", "never", "dismissed"]))
            ),
        ],
        sample: """
            {"kind":"permission_prompt","id":"0198c0de-0000-7000-8000-000000000010",\
            "occurred_at":"2026-02-27T11:59:58Z","device_id":"sample-device","placement":"onboarding","variant":"b",\
            "answer":"continued"}
            """
    )
}
