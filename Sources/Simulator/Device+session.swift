extension Device {
    /// The app comes to the foreground: what has changed is told, and the delivered list is swept.
    mutating func open(at time: Int64, _ outbox: inout Outbox) {
        guard isInstalled else { return }
        if registeredRelease != release { reportCategories(at: time, &outbox) }
        if settings != reportedSettings || plant != nil || time > reportedSettingsAt + 6 * Span.day {
            if settings != reportedSettings, reportedSettings != nil, random.chance(0.25) {
                openSettings(at: max(reportedSettingsAt, time - random.between(Span.minute, Span.hour)), &outbox)
            }
            reportSettings(at: time + 150 * Span.millisecond, &outbox)
        }
        if time > (tokenReportedAt ?? Int64.min) &+ 7 * Span.day || tokenReportedAt == nil {
            registerToken(at: time + 300 * Span.millisecond, &outbox)
            registerStartToken(at: time + 320 * Span.millisecond, &outbox)
        }
        if settings.authorization == .notDetermined {
            if random.chance(0.3) {
                agenda.add(.ask, at: time + random.between(10 * Span.second, 4 * Span.minute))
            } else {
                prompt(at: time + 6 * Span.second, continued: false, &outbox)
            }
        }
        sweep(at: time + 500 * Span.millisecond, &outbox)
        tidyReminders(at: time + 2 * Span.second, &outbox)
        if random.chance(0.003) { openSettings(at: time + Span.minute, &outbox) }
    }

    private mutating func openSettings(at time: Int64, _ outbox: inout Outbox) {
        begin(.openSettings, at: time, &outbox)
        finish(.openSettings, at: time, &outbox)
    }

    /// Compares the delivered list with that of the last sweep.
    private mutating func sweep(at time: Int64, _ outbox: inout Outbox) {
        guard release.sweepsDeliveredList, settings.authorization.allowsAlerts else { return }
        for notification in gone {
            remove(notification, reason: "gone", at: time, &outbox)
        }
        gone.removeAll(keepingCapacity: true)
        var kept: [ShownNotification] = []
        for var notification in shelf {
            guard notification.deliveredAt < time - Span.second else {
                kept.append(notification)
                continue
            }
            if !notification.isSwept {
                begin(.delivery, at: time, &outbox)
                write(notification, to: &outbox.line)
                outbox.line.string("source", "delivered_list")
                finish(.delivery, at: time, &outbox)
                notification.isSwept = true
            }
            if notification.category == .news, random.chance(0.04) {
                present(notification, surface: "in_app", options: nil, at: time + 3 * Span.second, &outbox)
            }
            if notification.category == .message, random.chance(0.35) {
                // Read in the app: its notification is taken away.
                remove(notification, reason: "removed_by_app", at: time + 8 * Span.second, &outbox)
            } else {
                kept.append(notification)
            }
        }
        shelf = kept
    }

    private mutating func remove(
        _ notification: ShownNotification,
        reason: String,
        at time: Int64,
        _ outbox: inout Outbox
    ) {
        begin(.removal, at: time, &outbox)
        write(notification, to: &outbox.line)
        outbox.line.string("reason", reason)
        outbox.line.string("state", "delivered")
        finish(.removal, at: time, &outbox)
    }
}
