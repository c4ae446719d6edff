extension EventKind {
    /// The app registered its categories (Apple: `setNotificationCategories(_:)`).
    public static let categoryRegistration = EventKind(
        "category_registration",
        summary: "The app registered its notification categories and their actions.",
        deviceRequired: false,
        fields: [
            Field("categories", .list(.object(category), maxCount: 256), required: true)
        ],
        rules: [
            .atLeastOne(["device_id", "context/app_version"]),
            .unique("categories", key: "id"),
        ],
        sample: """
            {"kind":"category_registration","id":"0198c0de-0000-7000-8000-00000000000c",\
            "occurred_at":"2026-02-27T12:00:01Z","device_id":"sample-device",\
            "categories":[{"id":"news","options":["custom_dismiss_action"],"intent_identifiers":[],\
            "minimal_actions":["comment"],"actions":[\
            {"id":"comment","title":"Comment","type":"text_input","options":["foreground"],\
            "text_button_title":"Send","text_placeholder":"Say something"},\
            {"id":"like","title":"Like","type":"button","options":[]}]}],\
            "context":{"platform":"ios","app_version":"4.1"}}
            """
    )

    /// Apple: UNNotificationCategory.
    private static let category: [Field] = [
        Field("id", .label(maxBytes: 256), required: true),
        Field("options", .optionSet(.categoryOptions), default: "[]"),
        Field("intent_identifiers", .list(.string(maxBytes: 256), maxCount: 64)),
        Field("minimal_actions", .list(.string(maxBytes: 256), maxCount: 64)),
        Field("actions", .list(.object(action), maxCount: 64), default: "[]"),
    ]

    /// Apple: UNNotificationAction, UNTextInputNotificationAction.
    private static let action: [Field] = [
        Field("id", .label(maxBytes: 256), required: true),
        Field("title", .string(maxBytes: 512)),
        Field(
            "type",
            .enumeration(Enumeration("action type", ["button", "text_input"])),
            default: #""button""#
        ),
        Field("options", .optionSet(.actionOptions), default: "[]"),
        Field("text_button_title", .string(maxBytes: 512)),
        Field("text_placeholder", .string(maxBytes: 512)),
    ]
}

extension Enumeration {
    /// Apple: UNNotificationCategoryOptions, by bit.
    static let categoryOptions = Enumeration(
        "UNNotificationCategoryOptions",
        raw: [
            "custom_dismiss_action": 1,
            "allow_in_car_play": 2,
            "hidden_previews_show_title": 4,
            "hidden_previews_show_subtitle": 8,
            "allow_announcement": 16,
        ]
    )

    /// Apple: UNNotificationActionOptions, by bit.
    static let actionOptions = Enumeration(
        "UNNotificationActionOptions",
        raw: ["authentication_required": 1, "destructive": 2, "foreground": 4]
    )
}
