extension Device {
    /// What the app answers to willPresent. Gives whether anything is left to react to.
    mutating func presentInForeground(_ notification: ShownNotification, at time: Int64, _ outbox: inout Outbox) -> Bool
    {
        guard hardware.hasUserNotifications else {
            // iOS 9 calls the same method as for a tap; the state of the app tells them apart.
            respondedByOldDelegate(notification, "did_receive_remote_notification", state: "active", at: time, &outbox)
            return false
        }
        let draw = random.unit()
        var options = hardware.hasBannerOption ? ["banner", "list", "sound"] : ["alert", "sound"]
        if notification.category == .message {
            // The conversation is open, or another one is.
            options = draw < 0.22 ? [] : draw < 0.3 ? ["sound"] : draw < 0.35 ? ["badge"] : options
        } else if draw < 0.04 {
            options = []
        }
        present(notification, surface: "foreground", options: options, at: time, &outbox)
        if release == .old {
            begin(.delivery, at: time, &outbox)
            write(notification, to: &outbox.line)
            outbox.line.string("source", "will_present")
            finish(.delivery, at: time, &outbox)
        }
        return options.count > 1
    }

    mutating func present(
        _ notification: ShownNotification,
        surface: String,
        options: [String]?,
        at time: Int64,
        _ outbox: inout Outbox
    ) {
        begin(.presentation, at: time, &outbox)
        write(notification, to: &outbox.line)
        outbox.line.string("surface", surface)
        if let options {
            if release.sendsRawIntegers {
                outbox.line.integer("options", options.reduce(0) { $0 + Self.rawOption($1) })
            } else {
                outbox.line.strings("options", options)
            }
        }
        finish(.presentation, at: time, &outbox)
    }

    /// `UNNotificationPresentationOptions`.
    private static func rawOption(_ name: String) -> Int {
        switch name {
        case "badge": 1
        case "sound": 2
        case "alert": 4
        case "list": 8
        default: 16
        }
    }
}
