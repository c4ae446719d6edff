extension Device {
    /// The app asks for the daily reminder, where the person wants one.
    mutating func setReminder(at time: Int64, _ outbox: inout Outbox) {
        guard release > .old, hardware.hasUserNotifications, let wished = reminderTime ?? person.reminderTime else {
            return
        }
        guard settings.authorization.allowsAlerts else {
            guard settings.authorization == .denied, random.chance(0.3) else { return }
            return requestReminder(at: time, wished, error: "notifications_not_allowed", &outbox)
        }
        reminderGeneration += 1
        reminderTime = wished
        requestReminder(at: time, wished, error: nil, &outbox)
    }

    private mutating func requestReminder(at time: Int64, _ timeOfDay: Int64, error: String?, _ outbox: inout Outbox) {
        begin(.request, at: time, &outbox)
        outbox.line.string("origin", "app")
        outbox.line.string("request_identifier", "daily-reminder")
        outbox.line.string("category_id", "daily-reminder")
        outbox.line.openObject("trigger")
        outbox.line.string("type", "calendar")
        outbox.line.boolean("repeats", true)
        outbox.line.openObject("date_components")
        outbox.line.integer("hour", Int(timeOfDay / Span.hour))
        outbox.line.integer("minute", Int(timeOfDay % Span.hour / Span.minute))
        outbox.line.closeObject()
        outbox.line.closeObject()
        outbox.line.string("interruption_level", "active")
        outbox.line.string("sound", "default")
        if let error { outbox.line.string("error", error) }
        finish(.request, at: time, &outbox)
    }

    /// The person presses *snooze*.
    mutating func snooze(at time: Int64, _ outbox: inout Outbox) {
        let delay = 10 * Span.minute
        requestOnce("snooze", .reminder, "time_interval", interval: delay, at: time, &outbox)
        agenda.add(.fire(.snooze), at: time + delay)
    }

    /// At the end of a session: what is no longer needed is withdrawn, something unfinished is remembered.
    mutating func tidyReminders(at time: Int64, _ outbox: inout Outbox) {
        guard release > .old, hardware.hasUserNotifications, settings.authorization.allowsAlerts else { return }
        if let pending = unfinished, random.chance(0.55) {
            unfinished = nil
            withdraw("unfinished-\(pending)", reason: "removed_by_app", at: time, &outbox)
        }
        if unfinished == nil, random.chance(0.1) {
            let serial = Int(nextSerial())
            let wished = time + random.between(3 * Span.hour, 30 * Span.hour)
            let due = person.awakeTime(wished, in: zone, &random)
            unfinished = serial
            requestOnce("unfinished-\(serial)", .nearby, "time_interval", interval: due - time, at: time, &outbox)
            agenda.add(.fire(.unfinished(serial: serial)), at: due)
        }
        if person.visitsStore, random.chance(0.08) {
            requestOnce("nearby-store", .nearby, "location", interval: nil, at: time, &outbox)
        }
        if reminderGeneration > 0, random.chance(0.006) {
            // The person moves the reminder: the same identifier, asked for again.
            withdraw("daily-reminder", reason: "replaced", at: time, &outbox)
            reminderTime = (reminderTime ?? 0) + (random.chance(0.5) ? 1 : -1) * 30 * Span.minute
            setReminder(at: time + 20 * Span.millisecond, &outbox)
        }
    }

    private mutating func withdraw(_ identifier: String, reason: String, at time: Int64, _ outbox: inout Outbox) {
        begin(.removal, at: time, &outbox)
        outbox.line.string("request_identifier", identifier)
        outbox.line.string("reason", reason)
        outbox.line.string("state", "pending")
        finish(.removal, at: time, &outbox)
    }

    private mutating func requestOnce(
        _ identifier: String,
        _ category: Category,
        _ trigger: String,
        interval: Int64?,
        at time: Int64,
        _ outbox: inout Outbox
    ) {
        begin(.request, at: time, &outbox)
        outbox.line.string("origin", "app")
        outbox.line.string("request_identifier", identifier)
        if let category = category.identifier { outbox.line.string("category_id", category) }
        outbox.line.openObject("trigger")
        outbox.line.string("type", trigger)
        outbox.line.boolean("repeats", false)
        if let interval { outbox.line.integer("interval_seconds", Int(interval / Span.second)) }
        if interval == nil { outbox.line.string("region_event", "enter") }
        outbox.line.closeObject()
        if let interval {
            outbox.line.time("scheduled_for", clock(time + interval), offset: zone.offset(at: time + interval))
        }
        outbox.line.string("interruption_level", "active")
        finish(.request, at: time, &outbox)
    }

    /// A local notification falls due.
    mutating func fire(_ local: LocalNotification, at time: Int64, _ outbox: inout Outbox) {
        guard isInstalled, release > .old, hardware.hasUserNotifications, settings.authorization.allowsAlerts else {
            return
        }
        var notification: ShownNotification
        switch local {
        case .reminder(let generation):
            guard generation == reminderGeneration else { return }
            notification = shown(.reminder, "calendar", "daily-reminder", at: time)
            notification.isOccurrence = true
        case .snooze:
            notification = shown(.reminder, "time_interval", "snooze", at: time)
        case .unfinished(let serial):
            guard unfinished == serial else { return }
            unfinished = nil
            notification = shown(.nearby, "time_interval", "unfinished-\(serial)", at: time)
        case .nearby:
            notification = shown(.nearby, "location", "nearby-store", at: time)
        }
        show(notification, inForeground: random.chance(0.02), at: time, &outbox)
    }

    private mutating func shown(
        _ category: Category,
        _ trigger: String,
        _ identifier: String,
        at time: Int64
    ) -> ShownNotification {
        ShownNotification(
            serial: nextSerial(),
            category: category,
            trigger: trigger,
            identifier: nil,
            requestIdentifier: identifier,
            deliveredAt: time
        )
    }
}
