extension EventKind {
    /// The notification was shown, or deliberately not.
    public static let presentation = EventKind(
        "presentation",
        summary: "The notification was shown, or deliberately not.",
        notification: .required(deliveredAt: true),
        fields: [
            Field("surface", .enumeration(Enumeration("surface", ["foreground", "expanded", "in_app"]))),
            Field("options", .optionSet(.presentationOptions)),
        ],
        rules: [
            .required("surface", when: .not(.present("options")), reason: "unless there are options")
        ],
        conditionalDefaults: [
            // Presentation options are the answer to willPresent, which is called in the foreground only.
            ConditionalDefault("surface", #""foreground""#, when: .present("options")),
            ConditionalDefault("options", "[]", when: .equals("surface", "foreground")),
        ],
        sample: """
            {"kind":"presentation","id":"0198c0de-0000-7000-8000-000000000003","occurred_at":"2026-03-01T08:31:31Z",\
            "device_id":"sample-device","notification_id":"sample-notification","delivered_at":"2026-03-01T08:31:30Z",\
            "category_id":"news","surface":"foreground","options":["banner","list","sound"]}
            """
    )
}

extension Enumeration {
    /// Apple: UNNotificationPresentationOptions, by bit.
    static let presentationOptions = Enumeration(
        "UNNotificationPresentationOptions",
        raw: ["badge": 1, "sound": 2, "alert": 4, "list": 8, "banner": 16]
    )
}
