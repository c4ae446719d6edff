extension Field {
    /// The type of a token, push or answer; always stored, with its default if absent.
    static let tokenType = Field(
        "type",
        .enumeration(
            // live_activity is an older name for activity_update.
            Enumeration(
                "token type",
                [
                    "alert", "voip", "live_activity", "complication", "location", "other", "push_to_start",
                    "activity_update", "widget", "control",
                ]
            )
        ),
        default: #""alert""#
    )

    /// The push service.
    static let provider = Field(
        "provider",
        .enumeration(Enumeration("provider", ["apns", "fcm"])),
        default: #""apns""#
    )

    /// APNs: the topic of a push, most often the bundle id with a suffix.
    static let topic = Field("topic", .string(maxBytes: 256))

    /// APNs: the environment of a token; always stored, with its default if absent.
    static let environment = Field("environment", .enumeration(.environment), default: #""production""#)

    /// What a provider asked of APNs (Apple: Sending notification requests to APNs).
    static let push: [Field] = [
        Field("apns_id", .uuid),
        Field("push_type", .enumeration(.pushType)),
        Field("priority", .integer(1...10)),
        Field("expiration", .integer(0...253_402_300_799)),
        Field("topic", .string(maxBytes: 256)),
        Field("environment", .enumeration(.environment)),
        Field("token", .token, column: .token),
    ]
}

extension Enumeration {
    /// APNs: its two environments.
    static let environment = Enumeration("environment", ["sandbox", "production"])

    /// APNs: the values of `apns-push-type`.
    static let pushType = Enumeration(
        "apns-push-type",
        [
            "alert", "background", "complication", "controls", "fileprovider", "liveactivity", "location", "mdm",
            "pushtotalk", "voip", "widgets",
        ]
    )
}
