extension EventKind {
    /// A Live Activity changed its state (Apple: `ActivityState`).
    public static let liveActivity = EventKind(
        "live_activity",
        summary: "A Live Activity started, was updated, became stale, ended or was dismissed.",
        fields: [
            .activityID(required: true),
            .attributesType,
            // Apple: dismissed by the person or the system; it does not say by which.
            Field(
                "state",
                .enumeration(
                    Enumeration("ActivityState", ["started", "updated", "stale", "ended", "dismissed"])
                )
            ),
            Field("started_by", .enumeration(Enumeration("started_by", ["app", "push"]))),
            Field("updates_by", .enumeration(Enumeration("updates_by", ["none", "token", "channel"]))),
            .channelID,
        ],
        sample: """
            {"kind":"live_activity","id":"0198c0de-0000-7000-8000-000000000011",\
            "occurred_at":"2026-03-01T18:00:00Z","device_id":"sample-device","activity_id":"sample-activity",\
            "attributes_type":"DeliveryAttributes","state":"started","started_by":"push","updates_by":"token"}
            """
    )
}
