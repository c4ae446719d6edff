public import Decoding
internal import EventLog
public import Settings

extension DecodingLimits {
    /// Reads the settings of bodies and events.
    public init(_ settings: SettingsReader) {
        let standard = Self()
        self.init(
            bodyBytes: settings.integer(
                "limits.body_bytes",
                default: standard.bodyBytes,
                atLeast: 1,
                atMost: 1 << 30,
                "bytes of a body after decompression"
            ),
            events: settings.integer(
                "limits.events_per_request",
                default: standard.events,
                atLeast: 1,
                atMost: 1_000_000,
                "events in one body"
            ),
            eventBytes: settings.integer(
                "limits.event_bytes",
                default: standard.eventBytes,
                atLeast: 1,
                atMost: 1 << 28,
                "bytes of one event"
            ),
            depth: settings.integer(
                "limits.json_depth",
                default: standard.depth,
                atLeast: 1,
                atMost: 256,
                "how deep an event nests"
            ),
            retentionSeconds: LogRetention(settings).duration.components.seconds
        )
    }
}
