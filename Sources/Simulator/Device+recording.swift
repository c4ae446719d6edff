extension Device {
    /// Begins an event that the app makes, with what every event carries. `finish` ends it.
    mutating func begin(_ kind: SimulatedKind, at time: Int64, _ outbox: inout Outbox) {
        let clock = clock(time)
        outbox.line.begin()
        outbox.line.string("kind", kind.rawValue)
        if release.givesIdentifiers { outbox.line.identifier("id", Identifier(time: clock, from: &random)) }
        outbox.line.time("occurred_at", clock, offset: zone.offset(at: time))
        outbox.line.identifier("device_id", installation.deviceID)
    }

    /// Ends an event of the app and sends it when the device can; now and then the answer is lost and it is sent again.
    mutating func finish(_ kind: SimulatedKind, at time: Int64, _ outbox: inout Outbox) {
        outbox.line.json("context", context)
        outbox.line.closeObject()
        let sentAt = uploadTime(time)
        outbox.send(kind, at: sentAt, from: .app, clockSkew: clockSkew)
        guard random.chance(0.014) else { return }
        let pause =
            random.chance(0.1)
            ? random.between(Span.hour, 3 * Span.day) : random.between(5 * Span.second, 10 * Span.minute)
        outbox.send(kind, at: sentAt + pause, from: .app, clockSkew: clockSkew, isRetry: true)
    }

    /// What a callback knows of its notification.
    func write(_ notification: ShownNotification, to line: inout JSONLine) {
        if let identifier = notification.identifier { line.identifier("notification_id", identifier) }
        if let identifier = notification.requestIdentifier { line.string("request_identifier", identifier) }
        let offset = zone.offset(at: notification.deliveredAt)
        if notification.isOccurrence { line.time("occurrence", clock(notification.deliveredAt), offset: offset) }
        line.time("delivered_at", clock(notification.deliveredAt), offset: offset)
        if let category = notification.category.identifier { line.string("category_id", category) }
        if let thread = notification.thread { line.string("thread_id", "conversation-\(thread)") }
        if let campaign = notification.campaign, release > .old {
            line.string("campaign_id", campaign.identifier)
            line.string("variant", campaign.variant)
        }
        line.openObject("trigger")
        line.string("type", notification.trigger)
        if notification.isOccurrence { line.boolean("repeats", true) }
        line.closeObject()
    }

    /// What the device's clock shows, to the millisecond.
    func clock(_ time: Int64) -> Int64 {
        let shown = time + clockSkew
        return shown - (shown % Span.millisecond)
    }

    mutating func refreshContext() {
        var line = JSONLine()
        line.begin()
        line.string("platform", hardware.platform)
        line.string("os_version", hardware.system)
        line.string("app_version", release.version)
        line.string("locale", home.locale)
        line.string("time_zone", zone.identifier)
        line.string("device_model", hardware.model)
        line.string("sdk_version", release.sdkVersion)
        line.closeObject()
        context = line.bytes
    }

    /// When the device can send what it has recorded.
    private mutating func uploadTime(_ time: Int64) -> Int64 {
        var ready = online(time)
        if uploadPeriod > 0 {
            let phase = Int64(index) * 7_919 * Span.second % uploadPeriod
            ready = online((ready - phase) / uploadPeriod * uploadPeriod + uploadPeriod + phase)
        }
        return ready + Span.minutes(min(20, random.logNormal(median: 0.025, sigma: 1)))
    }

    /// The same moment, or the end of the spell without a network in which it lies.
    func online(_ time: Int64) -> Int64 {
        offline.contains(time) ? offline.upperBound : time
    }
}
