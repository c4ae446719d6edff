extension Device {
    /// An alerting push arrives at a device that shows notifications.
    mutating func receive(_ push: Push, identifier: Identifier, at time: Int64, _ outbox: inout Outbox) {
        guard let category = push.category else { return }
        var requestIdentifier: String?
        if case .order(let number, _) = push { requestIdentifier = orderIdentifier(number) }
        var notification = ShownNotification(
            serial: nextSerial(),
            category: category,
            trigger: "push",
            identifier: requestIdentifier == nil ? identifier : nil,
            requestIdentifier: requestIdentifier,
            deliveredAt: time
        )
        if case .message(let thread) = push { notification.thread = thread }
        if case .promotion(let campaign) = push { notification.campaign = campaign }
        notification.section = push.section(on: index)
        let isInForeground = isInForeground(category, at: time)
        if category.isMutable, release.hasServiceExtension(where: plant), hardware.takesServiceExtension {
            guard runServiceExtension(for: notification, at: time, &outbox) else { return }
        }
        show(notification, inForeground: isInForeground, at: time + 60 * Span.millisecond, &outbox)
    }

    /// A background push wakes the app.
    mutating func wake(identifier: Identifier, at time: Int64, _ outbox: inout Outbox) {
        begin(.delivery, at: time, &outbox)
        outbox.line.identifier("notification_id", identifier)
        outbox.line.string("source", "background_wake")
        finish(.delivery, at: time, &outbox)
    }

    mutating func nextSerial() -> UInt32 {
        lastSerial += 1
        return lastSerial
    }

    /// Shows a notification and decides the reaction to it.
    mutating func show(
        _ notification: ShownNotification,
        inForeground: Bool,
        at time: Int64,
        _ outbox: inout Outbox
    ) {
        var staysOnDevice = true
        if inForeground { staysOnDevice = presentInForeground(notification, at: time, &outbox) }
        guard staysOnDevice else { return }
        // A notification with the same identifier replaces the earlier one.
        if let identifier = notification.requestIdentifier {
            shelf.removeAll { $0.requestIdentifier == identifier }
        }
        if shelf.count >= 24 { shelf.removeFirst() }
        shelf.append(notification)
        decide(on: notification, inForeground: inForeground, at: time)
    }

    private mutating func isInForeground(_ category: Category, at time: Int64) -> Bool {
        guard !person.isAsleep(at: time, in: zone) else { return false }
        let inUse = min(0.25, 0.012 + 0.02 * person.sessionsPerDay)
        return random.chance(category == .message ? 2 * inUse : inUse)
    }

    /// The service extension runs. Gives whether the notification is shown: it may be filtered.
    private mutating func runServiceExtension(
        for notification: ShownNotification,
        at time: Int64,
        _ outbox: inout Outbox
    ) -> Bool {
        let draw = random.unit()
        let outcome =
            draw < 0.015 && notification.category == .message
            ? "filtered" : draw < 0.05 ? "expired" : draw < 0.13 ? "unmodified" : "modified"
        let milliseconds =
            outcome == "expired"
            ? 30_000 + random.below(400) : Int(min(29_000, random.logNormal(median: 380, sigma: 0.8)))
        begin(.delivery, at: time, &outbox)
        write(notification, to: &outbox.line)
        outbox.line.string("source", "service_extension")
        outbox.line.openObject("extension")
        outbox.line.string("outcome", outcome)
        outbox.line.integer("duration_ms", milliseconds)
        if notification.category == .news {
            let loaded = outcome == "modified" && !random.chance(0.05)
            outbox.line.integer("attachments_loaded", loaded ? 1 : 0)
            outbox.line.integer("attachments_failed", loaded ? 0 : 1)
        }
        outbox.line.closeObject()
        finish(.delivery, at: time, &outbox)
        return outcome != "filtered"
    }
}
