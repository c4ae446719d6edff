extension Field {
    /// The id of a Live Activity (Apple: `Activity.id`).
    static func activityID(required: Bool = false) -> Field {
        Field("activity_id", .identifier(maxBytes: 128), required: required)
    }

    /// The name of the type of a Live Activity's attributes (Apple: `ActivityAttributes`).
    static let attributesType = Field("attributes_type", .label(maxBytes: 128))

    /// APNs: the channel of a broadcast push.
    static let channelID = Field("channel_id", .string(maxBytes: 128))

    /// What a push says of a Live Activity; its content is not accepted (Apple: Starting and updating Live Activities
    /// with ActivityKit push notifications).
    static let liveActivity: [Field] = [
        activityID(),
        attributesType,
        Field(
            "live_activity_event",
            .enumeration(Enumeration("live_activity_event", ["start", "update", "end"]))
        ),
        // Seconds since 1970, as in the payload.
        Field("stale_date", .integer(0...253_402_300_799)),
        Field("dismissal_date", .integer(-62_135_596_800...253_402_300_799)),
        channelID,
    ]
}
