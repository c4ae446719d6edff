import NotificationEvents

extension LawEvent {
    /// The event as JSON that means it, in one of the ways that a client may put it.
    func wire(using random: inout some RandomNumberGenerator) -> String {
        var kind = kind
        var fields = fields
        for name in ["scheduled_for", "delivered_at"] {
            if let time = fields[name]?.integer { fields[name] = .string(Self.time(time)) }
        }
        var chance: Bool { Int.random(in: 0..<3, using: &random) == 0 }

        // What is sent by default need not be sent.
        // A delivery that does not say whether it alerts leaves that to the next that does.
        if fields["alerting"] == true, chance, kind == "request" { fields["alerting"] = nil }
        if fields["origin"] == "provider", fields["trigger"] == ["type": "push"], chance { fields["trigger"] = nil }
        if fields["type"] == "alert", chance { fields["type"] = nil }
        if fields["variant"] == "holdout", kind == "holdout", chance { fields["variant"] = nil }
        if fields["environment"] == "production", chance { fields["environment"] = nil }

        // Apple's constants stand for the names.
        if fields["action_id"] == "default", chance {
            fields["action_id"] = "com.apple.UNNotificationDefaultActionIdentifier"
        }
        if kind == "dismissal", chance {
            kind = "action_response"
            fields["action_id"] = "com.apple.UNNotificationDismissActionIdentifier"
        }
        if kind == "presentation", let options = fields["options"]?.strings, chance {
            let bits = ["badge": 1, "sound": 2, "alert": 4, "list": 8, "banner": 16]
            fields["options"] = .integer(Int64(options.compactMap { bits[$0] }.reduce(0, |)))
        }
        for name in ["authorization_status", "status_before"] {
            guard let status = fields[name]?.string, chance else { continue }
            let raw = ["not_determined", "denied", "authorized", "provisional", "ephemeral"].firstIndex(of: status)
            if let raw { fields[name] = .integer(Int64(raw)) }
        }

        fields["kind"] = .string(kind)
        fields["occurred_at"] = .string(chance ? Self.timeInIndia(occurredAt) : Self.time(occurredAt))
        if !isAnonymous { fields["id"] = .string(id.description) }
        if !device.isEmpty { fields["device_id"] = .string(device) }
        if let notification {
            let names = kind == "app_open" ? ["notification_id"] : ["request_identifier", "notification_id"]
            fields[chance ? names[0] : names[names.count - 1]] = .string(notification)
        }
        if let occurrence { fields["occurrence"] = .string(Self.time(occurrence)) }
        if let token {
            // A request says it of the push that it goes out as.
            if kind == "request", case .object(var push)? = fields["push"] {
                push["token"] = .string(token)
                fields["push"] = .object(push)
            } else {
                fields["token"] = .string(token)
            }
        }
        return LawValue.object(fields).text
    }

    private static func time(_ microseconds: Int64) -> String {
        Timestamp(microseconds: microseconds).description
    }

    /// The same moment as a clock on Indian time would put it.
    private static func timeInIndia(_ microseconds: Int64) -> String {
        time(microseconds + 19_800_000_000).replacing("Z", with: "+05:30")
    }
}
