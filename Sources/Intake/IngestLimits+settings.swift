internal import EventLog
public import Ingest
public import Settings

extension IngestLimits {
    /// Reads the settings of bodies and events.
    public init(_ settings: SettingsReader) {
        let standard = Self()
        self.init(
            bodyBytes: settings.integer(
                "limits.body_bytes",
                default: standard.bodyBytes,
                "bytes of a body after decompression"
            ),
            events: settings.integer("limits.events_per_request", default: standard.events, "events in one body"),
            eventBytes: settings.integer("limits.event_bytes", default: standard.eventBytes, "bytes of one event"),
            depth: settings.integer("limits.json_depth", default: standard.depth, "how deep an event nests"),
            retentionSeconds: LogRetention(settings).duration.components.seconds
        )
    }
}
