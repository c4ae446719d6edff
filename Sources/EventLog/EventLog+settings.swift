public import Settings

extension EventLog.Options {
    /// Reads the settings of the log's writers.
    public init(_ settings: SettingsReader) {
        let standard = Self()
        self.init(
            writers: settings.integer(
                "ingest.writers",
                default: standard.writers,
                atLeast: 1,
                // More writers would only wait for each other, and take connections from everybody else.
                atMost: 64,
                "connections that write events"
            ),
            queuedEvents: settings.integer(
                "ingest.queued_events",
                default: standard.queuedEvents,
                atLeast: 1,
                atMost: 100_000_000,
                "events queued for a writer, else 503"
            ),
            queuedBytes: settings.integer(
                "ingest.queued_bytes",
                default: standard.queuedBytes,
                atLeast: 1,
                atMost: 1 << 40,
                "bytes queued for a writer, else 503"
            )
        )
    }
}
