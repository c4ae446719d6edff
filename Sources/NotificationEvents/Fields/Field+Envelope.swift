extension Field {
    /// The fields of every event that have columns of their own.
    static func envelope(deviceRequired: Bool) -> [Field] {
        [
            Field("kind", .string(maxBytes: 64), required: true, column: .kind),
            Field("id", .uuid, column: .id),
            Field("occurred_at", .timestamp, required: true, column: .occurredAt),
            Field("device_id", .identifier(maxBytes: 128), required: deviceRequired, column: .deviceID),
        ]
    }

    /// The optional context of every event: where it was made.
    static let surroundings: [Field] = [
        Field(
            "context",
            .object([
                Field("platform", .enumeration(.platform)),
                Field("os_version", .string(maxBytes: 64)),
                Field("app_version", .string(maxBytes: 64)),
                Field("locale", .string(maxBytes: 64, format: .languageTag)),
                Field("time_zone", .string(maxBytes: 64, format: .timeZone)),
                Field("device_model", .string(maxBytes: 64)),
                Field("sdk_version", .string(maxBytes: 64)),
            ])
        ),
        Field("attributes", .attributes(maxBytes: 4096)),
    ]
}

extension Enumeration {
    /// The platform of the app.
    static let platform = Enumeration(
        "platform",
        ["ios", "ipados", "tvos", "watchos", "macos", "visionos", "android", "web", "other"]
    )
}
