extension PrometheusMetrics {
    /// What each metric means, in the order of the alphabet.
    static let help: [String: String] = [
        "notilog_append_batch_events": "Events that one transaction stored.",
        "notilog_append_commit_seconds": "Time of a transaction that stores events, with its commit.",
        "notilog_append_queue_events": "Events that wait to be stored.",
        "notilog_cell_up": "1 while a cell of the cluster answers.",
        "notilog_database_up": "1 if the database answered this scrape; else the figures read from it are old.",
        "notilog_deliveries":
            "Alerts and digests to be delivered: waiting for a first attempt, or failing and tried again.",
        "notilog_delivery_attempts_total": "Attempts to deliver an alert or a digest, by outcome.",
        "notilog_erasures_pending": "Erasures of devices that were begun and are not finished.",
        "notilog_events_rejected_total":
            "Items and bodies that were rejected, by code: all, whether by the decoder or by the log.",
        "notilog_events_total":
            "Events that reached the log, by outcome; what the decoder rejects is in notilog_events_rejected_total alone.",
        "notilog_http_request_duration_seconds": "Time from a request's head to the end of its answer.",
        "notilog_ingest_bytes": "Bytes of bodies in memory that are being received or stored.",
        "notilog_ingest_requests": "Requests whose events are being received or stored.",
        "notilog_log_partitions_ahead_months": "Months after this one that the log has partitions for.",
        "notilog_pool_connections": "Connections to the database, by pool and state.",
        "notilog_pool_waiting": "Tasks that wait for a connection of the pool.",
        "notilog_projection_batch_seconds": "Time of a transaction that applies events to a projection.",
        "notilog_projection_failed": "1 while the newest batch of the projection has failed.",
        "notilog_projection_failures_total": "Batches of the projection that failed.",
        "notilog_projection_lag_events":
            "Positions of the log that the projection has not applied, at most as many events.",
        "notilog_projection_lag_seconds": "Age of the oldest event that the projection has not applied.",
        "notilog_projection_paused": "1 while the projection is paused.",
        "notilog_projection_position": "Position of the log up to which the projection has applied events.",
        "notilog_projection_rebuilding": "1 while a next version of the projection is built.",
        "notilog_projection_rebuilt": "Share of the next version that is built; 1 without a rebuild.",
        "notilog_projection_set_aside": "Events that the projection could not apply and left out.",
        "notilog_projection_set_aside_total": "Events that this process has set aside.",
        "notilog_quarantine_full_total": "Rejected events that were not kept, because their app's quarantine was full.",
        "notilog_quarantine_items": "Items in quarantine, by code.",
        "notilog_settle_seconds": "Time of a step that settles positions of the log.",
        "notilog_standby_following": "1 while the standby that reports are read from follows the primary.",
        "notilog_standby_lag_bytes": "Write-ahead log that the standby has not replayed.",
        "notilog_standby_lag_positions": "Positions of the log that the standby has not replayed.",
        "notilog_standby_lag_seconds": "Time since the standby last had all of the primary's log.",
        "notilog_standby_promoted": "1 once the standby is a primary of its own.",
    ]
}
