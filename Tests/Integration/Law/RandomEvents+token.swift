extension RandomEvents {
    private mutating func underKey(_ event: inout LawEvent) {
        event.fields["provider"] = random.chance(otherKeys) ? "fcm" : "apns"
        event.fields["type"] = random.chance(otherKeys) ? "voip" : "alert"
        event.fields["environment"] = random.chance(otherKeys) ? "sandbox" : "production"
        if random.chance(otherKeys) { event.fields["topic"] = "com.example.app" }
    }

    /// What a provider's request says of the push, which goes to a token.
    mutating func push(_ event: inout LawEvent) {
        event.token = random.one(of: tokens)
        var push: [String: LawValue] = ["apns_id": "b1946ac9-2492-4d23-87c6-235b4d261118"]
        if random.chance(otherKeys) { push["environment"] = "sandbox" }
        if random.chance(otherKeys) { push["topic"] = "com.example.app" }
        if random.chance(40) { push["push_type"] = random.one(of: ["alert", "liveactivity", "background"]) }
        event.fields["push"] = .object(push)
        guard push["push_type"] == "liveactivity" else { return }
        for (name, values) in Self.ofLiveActivityPushes where random.chance(60) {
            event.fields[name] = random.one(of: values)
        }
    }

    private static let ofLiveActivityPushes: [(String, [LawValue])] = [
        ("live_activity_event", ["start", "update", "update", "end"]), ("attributes_type", ["Ride", "Game"]),
        ("activity_id", ["a1", "a2"]), ("channel_id", ["c1"]), ("stale_date", [1_772_359_200]),
    ]

    mutating func token(_ event: inout LawEvent) {
        underKey(&event)
        if random.chance(otherKeys * 3) { event.fields["type"] = random.one(of: Self.typesOfActivities) }
        for name in ["activity_id", "attributes_type", "control_kind"] where random.chance(otherKeys * 4) {
            event.fields[name] = random.one(of: ["a1", "a2"])
        }
        let state: LawValue =
            random.chance(75) ? "registered" : random.chance(80) ? "unregistered" : "registration_failed"
        event.fields["state"] = state
        if state != "registration_failed" || random.chance(30) { event.token = random.one(of: tokens) }
    }

    private static let typesOfActivities: [LawValue] = [
        "live_activity", "activity_update", "push_to_start", "control", "widget",
    ]

    mutating func pushResult(_ event: inout LawEvent) {
        underKey(&event)
        if random.chance(otherKeys) { event.fields["type"] = random.one(of: Self.typesOfActivities) }
        if random.chance(85) { event.token = random.one(of: tokens) }
        // An answer names the token or the device.
        if event.token != nil, random.chance(50) { event.device = "" }
        let answers: [(Int64?, LawValue?)] = [
            (200, nil), (200, nil), (410, "Unregistered"), (410, "ExpiredToken"), (410, nil),
            (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"),
            (403, "ExpiredProviderToken"), (404, "UNREGISTERED"), (404, "NotRegistered"), (403, "SENDER_ID_MISMATCH"),
            (400, "INVALID_ARGUMENT"), (nil, "UNREGISTERED"), (nil, nil),
        ]
        let frequent: [(Int64?, LawValue?)] = [(200, nil), (400, "BadDeviceToken"), (410, "Unregistered")]
        let (status, reason) = random.one(of: random.chance(isNarrow ? 80 : 30) ? frequent : answers)
        event.fields["status"] = status.map { .integer($0) }
        event.fields["reason"] = reason
        if status == 410, random.chance(60) { event.fields["timestamp"] = .integer(moment() / 1000) }
        if event["provider"] == "fcm", status == 400, random.chance(80) {
            let said: [LawValue] = [
                ["apns_reason": "Unregistered", "apns_status": 410], ["apns_status": 410],
                ["apns_reason": "BadDeviceToken", "apns_status": 400], ["apns_reason": "PayloadTooLarge"],
            ]
            event.fields["attributes"] = random.one(of: said)
        }
    }
}
