extension Device {
    /// Decides what the person will do with a notification, and when.
    mutating func decide(on notification: ShownNotification, inForeground: Bool, at time: Int64) {
        let category = notification.category
        if random.chance(responseProbability(notification, inForeground: inForeground)) {
            var minutes = random.logNormal(median: inForeground ? 0.15 : category.responseMinutes, sigma: 1.7)
            // Left for another day.
            if random.chance(0.04) { minutes += random.logNormal(median: 1_700, sigma: 0.7) }
            let respondsAt = person.awakeTime(
                time + 2 * Span.second + Span.minutes(min(minutes, 9_000)),
                in: zone,
                &random
            )
            agenda.add(.react(serial: notification.serial, .respond), at: respondsAt)
        } else {
            let isDismissed = random.chance(category.dismissal)
            let minutes = random.logNormal(median: isDismissed ? 20 : 400, sigma: isDismissed ? 1.8 : 1.2)
            let goesAt = person.awakeTime(time + 3 * Span.second + Span.minutes(min(minutes, 9_000)), in: zone, &random)
            agenda.add(.react(serial: notification.serial, isDismissed ? .dismiss : .clear), at: goesAt)
        }
    }

    private func responseProbability(_ notification: ShownNotification, inForeground: Bool) -> Double {
        var probability = notification.category.response * person.engagement / (1 + 0.01 * fatigue)
        if settings.authorization == .provisional { probability *= 0.3 }
        if !settings.sound { probability *= 0.85 }
        if !settings.lockScreen { probability *= 0.8 }
        if inForeground { probability *= 1.4 }
        // The one text of each campaign that speaks to people.
        if notification.campaign?.variant == "a" { probability *= 1.35 }
        if let section = notification.section { probability *= section.appeal }
        if plant == .fatigue, notification.deliveredAt >= plantedAt { probability *= 0.5 }
        return min(0.85, probability)
    }

    mutating func react(to serial: UInt32, _ reaction: Agenda.Reaction, at time: Int64, _ outbox: inout Outbox) {
        guard let index = shelf.firstIndex(where: { $0.serial == serial }) else { return }
        let notification = shelf.remove(at: index)
        switch reaction {
        case .respond:
            fatigue = max(0, fatigue - 2)
            respond(to: notification, at: time, &outbox)
        case .dismiss where notification.category.tellsDismissal(in: release) && hardware.hasUserNotifications:
            fatigue += notification.category.weariness
            begin(.dismissal, at: time, &outbox)
            write(notification, to: &outbox.line)
            finish(.dismissal, at: time, &outbox)
        case .dismiss, .clear:
            fatigue += notification.category.weariness
            if notification.isSwept { gone.append(notification) }
        }
    }

    private mutating func respond(to notification: ShownNotification, at time: Int64, _ outbox: inout Outbox) {
        let action = notification.category.action(in: release, &random)
        let isRunning = random.chance(0.62)
        if !hardware.hasUserNotifications {
            respondByOldDelegate(to: notification, action, isRunning: isRunning, at: time, &outbox)
        } else {
            respond(to: notification, action, isRunning: isRunning, at: time, &outbox)
        }
        if action.opensApp {
            recordOpen(at: time + 600 * Span.millisecond, by: notification, &outbox)
            open(at: time + 700 * Span.millisecond, &outbox)
        }
        if case .reply = action, let thread = notification.thread, random.chance(0.35) {
            agenda.add(.push(.message(thread: thread)), at: time + random.between(40 * Span.second, 15 * Span.minute))
        }
        if case .snooze = action { snooze(at: time + 100 * Span.millisecond, &outbox) }
    }

    private mutating func respond(
        to notification: ShownNotification,
        _ action: Action,
        isRunning: Bool,
        at time: Int64,
        _ outbox: inout Outbox
    ) {
        let length = action.takesText ? max(1, Int(min(900, random.logNormal(median: 18, sigma: 0.9)))) : nil
        let state = isRunning ? random.chance(0.2) ? "inactive" : "background" : "not_running"
        let isExpanded = notification.category == .message && hardware.takesServiceExtension && random.chance(0.12)
        if isExpanded {
            present(notification, surface: "expanded", options: nil, at: time - Span.second, &outbox)
            // The content extension hears of the action first and forwards it.
            record(notification, action, length, state, "content_extension", at: time - 200 * Span.millisecond, &outbox)
        } else if action.opensApp, !isRunning, hardware.hasScenes, random.chance(0.3) {
            record(notification, action, length, state, "scene_will_connect", at: time - 90 * Span.millisecond, &outbox)
        }
        record(notification, action, length, state, "did_receive_response", at: time, &outbox)
    }

    /// iOS 9: a tap on a push to an app that was killed calls two methods.
    private mutating func respondByOldDelegate(
        to notification: ShownNotification,
        _ action: Action,
        isRunning: Bool,
        at time: Int64,
        _ outbox: inout Outbox
    ) {
        if case .default = action {
            respondedByOldDelegate(
                notification,
                "did_receive_remote_notification",
                state: "inactive",
                at: time,
                &outbox
            )
            guard !isRunning else { return }
            let later = time + 240 * Span.millisecond
            respondedByOldDelegate(notification, "did_finish_launching", state: "not_running", at: later, &outbox)
        } else {
            let length = action.takesText ? 1 + random.below(60) : nil
            record(notification, action, length, "background", "handle_action", at: time, &outbox)
        }
    }

    mutating func respondedByOldDelegate(
        _ notification: ShownNotification,
        _ delegate: String,
        state: String,
        at time: Int64,
        _ outbox: inout Outbox
    ) {
        record(notification, .default, nil, state, delegate, at: time, &outbox)
    }

    private static let replies = ["ok", "On my way", "See you at 8", "好的", "Danke!", "Can't today, sorry"]

    private mutating func record(
        _ notification: ShownNotification,
        _ action: Action,
        _ textLength: Int?,
        _ state: String,
        _ delegate: String,
        at time: Int64,
        _ outbox: inout Outbox
    ) {
        begin(.actionResponse, at: time, &outbox)
        write(notification, to: &outbox.line)
        outbox.line.string("action_id", action.identifier(in: release))
        if let textLength, release > .old {
            outbox.line.integer("text_length", textLength)
        } else if let textLength {
            // The old library sent the text, for the server to measure and drop.
            outbox.line.string("text", Self.replies[textLength % Self.replies.count])
        }
        outbox.line.string("app_state", state)
        outbox.line.string("delegate", delegate)
        finish(.actionResponse, at: time, &outbox)
    }
}
