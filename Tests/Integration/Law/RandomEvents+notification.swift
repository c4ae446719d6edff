extension RandomEvents {
    /// What every event about a notification may say of it.
    mutating func aboutNotification(_ event: inout LawEvent) {
        // An answer of a provider need not say which notification it is about.
        if event.kind != "push_result" || random.chance(60) {
            event.notification = random.one(of: notifications)
            event.occurrence = random.one(of: occurrences)
        }
        let said: [(String, [LawValue])] = [
            ("category_id", ["news", "chat", "other"]), ("thread_id", ["t1", "t2"]),
            ("interruption_level", ["passive", "active", "time_sensitive", "critical"]), ("campaign_id", ["c1", "c2"]),
            ("variant", ["a", "b"]),
            ("trigger", [["type": "push"], ["type": "calendar"], ["type": "location"], ["type": "none"]]),
        ]
        for (name, values) in said where random.chance(35) { event.fields[name] = random.one(of: values) }
        if random.chance(35) { event.fields["attributes"] = .object(attributes()) }
        if event.kind != "request", random.chance(25) { event.fields["delivered_at"] = .integer(moment(by: event)) }
    }

    /// Of the app's own dimensions, and others.
    private mutating func attributes() -> [String: LawValue] {
        var said: [String: LawValue] = [:]
        for key in LawOwnDimensions.keys + ["other"] where random.chance(70) {
            said[key] = random.one(of: [
                "gold", "free", "gold", "z\"\\", "", 7, -2, true, false, .number("2.5"), .number("0.00000625"),
                ["gold"], ["tier": "gold"],
            ])
            if random.chance(1) { said[key] = .string(String(repeating: "x", count: random.one(of: [128, 129]))) }
        }
        return said
    }

    mutating func request(_ event: inout LawEvent) {
        event.fields["origin"] = random.one(of: ["app", "app", "provider"])
        event.fields["alerting"] = .boolean(!random.chance(15))
        if random.chance(30) { event.fields["scheduled_for"] = .integer(moment(by: event)) }
        if random.chance(15) { event.fields["error"] = "notifications_not_allowed" }
        if random.chance(40) { event.fields["mutable_content"] = .boolean(random.chance(70)) }
        if event["origin"] == "provider", event["trigger"] == nil { event.fields["trigger"] = ["type": "push"] }
        if random.chance(focus == .schedules ? 40 : 10) {
            event.fields["trigger"] = ["type": random.one(of: ["calendar", "time_interval"]), "repeats": true]
        } else if random.chance(10) {
            event.fields["trigger"] = ["type": "time_interval", "repeats": false]
        }
        // What has a push is one, even where it says that the app asked for it.
        if random.chance(event["origin"] != "provider" ? 5 : focus == .tokens ? 80 : 30) { push(&event) }
    }

    mutating func delivery(_ event: inout LawEvent) {
        let sources: [LawValue?] = [
            "service_extension", "service_extension", "will_present", "delivered_list", "background_wake", "imported",
            nil,
        ]
        event.fields["source"] = random.one(of: sources)
        if random.chance(25) { event.fields["alerting"] = .boolean(random.chance(30)) }
        if event["source"] == "service_extension", random.chance(70) {
            var ran: [String: LawValue] = [:]
            if random.chance(90) {
                ran["outcome"] = random.one(of: ["modified", "unmodified", "filtered", "expired"])
            }
            if random.chance(70) { ran["duration_ms"] = random.one(of: [0, 400, 30_000]) }
            for name in ["attachments_loaded", "attachments_failed"] where random.chance(40) {
                ran[name] = random.one(of: [0, 1, 2])
            }
            if !ran.isEmpty { event.fields["extension"] = .object(ran) }
        }
        if event["source"] == "delivered_list" { event.fields["delivered_at"] = .integer(moment(by: event)) }
    }

    mutating func presentation(_ event: inout LawEvent) {
        let surface: LawValue = random.one(of: ["foreground", "foreground", "foreground", "expanded", "in_app"])
        event.fields["surface"] = surface
        if surface == "foreground" || random.chance(30) {
            let options: [LawValue] = ["badge", "sound", "alert", "list", "banner"]
            event.fields["options"] = .array(random.some(of: options, percent: 20))
        }
    }

    mutating func response(_ event: inout LawEvent) {
        event.fields["action_id"] = random.one(of: ["default", "default", "like", "reply", "open"])
        if random.chance(15) { event.fields["text_length"] = random.one(of: [0, 3]) }
        if random.chance(60) {
            event.fields["delegate"] = random.one(of: ["did_receive_response", "content_extension", "handle_action"])
        }
    }

    mutating func removal(_ event: inout LawEvent) {
        if random.chance(85) { event.fields["reason"] = random.one(of: ["replaced", "removed_by_app", "gone"]) }
        if random.chance(85) { event.fields["state"] = random.one(of: ["pending", "pending", "delivered"]) }
    }
}
