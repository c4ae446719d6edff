public import Settings

/// The retention of the log.
public struct LogRetention: Sendable {
    /// How long events are kept after receipt, in days. Older events are rejected.
    public let days: Int
    /// Whether this process drops older events, once a day.
    public let isDaily: Bool
    /// The most days. The horizon stays a time that PostgreSQL can hold.
    public static let mostDays = 36_500

    /// Reads the settings.
    public init(_ settings: SettingsReader) {
        days = settings.integer(
            "limits.retention_days",
            default: 400,
            atLeast: 1,
            atMost: Self.mostDays,
            "maximum age of an event; older ones may be dropped"
        )
        isDaily = settings.flag(
            "retention.daily",
            default: false,
            "whether this process drops older events, once a day"
        )
    }

    /// ``days`` in seconds.
    public var duration: Duration { .seconds(days * 86_400) }
}
