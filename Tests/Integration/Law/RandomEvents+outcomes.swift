extension RandomEvents {
    mutating func appOpen(_ event: inout LawEvent) {
        if random.chance(70) { event.fields["source"] = random.one(of: ["launch", "foreground", "scene"]) }
        if random.chance(70) { event.fields["cold"] = .boolean(random.chance(50)) }
        if random.chance(30) { event.notification = random.one(of: notifications) }
    }

    mutating func conversion(_ event: inout LawEvent) {
        event.fields["name"] = random.one(of: ["purchase", "purchase", "signup"])
        if random.chance(60) {
            event.fields["value"] = .integer(random.one(of: [-5, 0, 100, 1299]))
            event.fields["currency"] = random.one(of: ["EUR", "EUR", "USD"])
        }
        if random.chance(40) { event.fields["order_id"] = random.one(of: ["o1", "o2"]) }
    }

    mutating func holdout(_ event: inout LawEvent) {
        event.fields["campaign_id"] = random.one(of: ["c1", "c2"])
        event.fields["variant"] = random.one(of: ["holdout", "holdout", "b"])
        if random.chance(40) { event.fields["category_id"] = random.one(of: ["news", "chat"]) }
        if random.chance(50) { event.fields["scheduled_for"] = .integer(moment()) }
        if random.chance(70) { event.fields["share"] = .number(random.one(of: ["0.5", "0.5", "0.25"])) }
    }

    mutating func permissionPrompt(_ event: inout LawEvent) {
        if random.chance(80) { event.fields["placement"] = random.one(of: ["onboarding", "settings"]) }
        if random.chance(60) { event.fields["variant"] = random.one(of: ["a", "b"]) }
        if random.chance(85) {
            event.fields["answer"] = random.one(of: ["continued", "continued", "later", "never", "dismissed"])
        }
    }

    mutating func liveActivity(_ event: inout LawEvent) {
        event.fields["activity_id"] = random.one(of: ["a1", "a2", "a3"])
        if random.chance(80) { event.fields["attributes_type"] = random.one(of: ["Ride", "Game"]) }
        let states: [LawValue] = ["started", "started", "updated", "stale", "ended", "dismissed"]
        if random.chance(90) { event.fields["state"] = random.one(of: states) }
        if random.chance(60) { event.fields["started_by"] = random.one(of: ["app", "push"]) }
        if random.chance(60) { event.fields["updates_by"] = random.one(of: ["none", "token", "channel"]) }
        if random.chance(20) { event.fields["channel_id"] = random.one(of: ["c1", "c2"]) }
    }
}
