extension RandomEvents {
    mutating func context() -> LawValue {
        if random.chance(30) { return ["app_version": random.one(of: ["1", "2"])] }
        let members: [(String, [LawValue])] = [
            ("platform", ["ios", "ipados"]), ("os_version", ["17", "18"]), ("app_version", ["1", "2"]),
            ("locale", ["de", "en"]), ("time_zone", ["Europe/Berlin", "UTC"]), ("sdk_version", ["1", "2"]),
            ("device_model", ["iPhone17,1"]),
        ]
        var context: [String: LawValue] = [:]
        for (name, values) in members where random.chance(45) { context[name] = random.one(of: values) }
        return .object(context)
    }

    mutating func settings(_ event: inout LawEvent) {
        if !settings.isEmpty, random.chance(50) {
            event.fields = random.one(of: settings)
            return
        }
        if random.chance(85) {
            event.fields["authorization_status"] = random.one(of: [
                "denied", "denied", "authorized", "provisional", "not_determined",
            ])
        }
        let switches = [
            "alert", "sound", "badge", "lock_screen", "notification_center", "scheduled_delivery", "time_sensitive",
        ]
        let share = random.one(of: [20, 60, 95])
        for name in switches where random.chance(share) {
            event.fields[name] = random.one(of: ["enabled", "disabled", "not_supported"])
        }
        if random.chance(share) { event.fields["alert_style"] = random.one(of: ["none", "banner", "alert"]) }
        if random.chance(share) {
            event.fields["show_previews"] = random.one(of: ["always", "when_authenticated", "never"])
        }
        if random.chance(20) { event.fields["provides_app_notification_settings"] = .boolean(random.chance(50)) }
        settings.append(event.fields)
    }

    mutating func authorizationRequest(_ event: inout LawEvent) {
        if random.chance(85) {
            // In the order of their bits, as they come out again.
            event.fields["options"] = .array(random.some(of: ["badge", "sound", "alert", "provisional"], percent: 50))
        }
        if random.chance(85) { event.fields["granted"] = .boolean(random.chance(70)) }
        if random.chance(50) {
            event.fields["status_before"] = random.one(of: [
                "not_determined", "not_determined", "provisional", "denied", "authorized", "ephemeral",
            ])
        }
        if random.chance(20) { event.fields["error"] = "notifications_not_allowed" }
    }

    mutating func registration(_ event: inout LawEvent) {
        if random.chance(30) { event.device = "" }
        let ids = ["news", "chat", "other"].shuffled(using: &random).prefix(random.one(of: [1, 1, 2]))
        event.fields["categories"] = .array(ids.map { category($0) })
    }

    private mutating func category(_ id: String) -> LawValue {
        let actions = random.some(of: ["like", "reply", "open"] as [LawValue], percent: 50).map { id -> LawValue in
            [
                "id": id, "title": random.one(of: ["A", "B"]),
                "type": random.one(of: ["button", "button", "text_input"]),
                "options": .array(
                    random.some(of: ["authentication_required", "destructive", "foreground"], percent: 40)
                ),
            ]
        }
        return [
            "id": .string(id), "options": random.chance(40) ? ["custom_dismiss_action"] : [],
            "actions": .array(actions),
        ]
    }
}
