public import Settings

extension EventLog.Options {
    /// Reads the settings of the log's writers.
    public init(_ settings: SettingsReader) {
        let standard = Self()
        self.init(
            writers: settings.integer("ingest.writers", default: standard.writers, "connections that write events"),
            queuedEvents: settings.integer(
                "ingest.queued_events",
                default: standard.queuedEvents,
                "events queued for a writer, else 503"
            ),
            queuedBytes: settings.integer(
                "ingest.queued_bytes",
                default: standard.queuedBytes,
                "bytes queued for a writer, else 503"
            )
        )
    }
}
