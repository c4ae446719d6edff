extension EventKind {
    /// The person did what the product is for: bought, subscribed, finished a lesson.
    public static let conversion = EventKind(
        "conversion",
        summary: "The person did something that the product wants: one conversion per device, name and order_id.",
        fields: [
            Field("name", .label(maxBytes: 64), required: true),
            // In minor units of the currency: cents, yen.
            Field("value", .integer(-1_000_000_000_000_000...1_000_000_000_000_000)),
            Field("currency", .string(maxBytes: 3, format: .currency)),
            Field("order_id", .identifier(maxBytes: 128)),
        ],
        rules: [
            .required("currency", when: .present("value"), reason: "with value"),
            .required("value", when: .present("currency"), reason: "with currency"),
        ],
        sample: """
            {"kind":"conversion","id":"0198c0de-0000-7000-8000-00000000000e","occurred_at":"2026-03-01T08:52:00Z",\
            "device_id":"sample-device","name":"purchase","value":1299,"currency":"EUR","order_id":"sample-order"}
            """
    )
}
