/// The Live Activity of an order: pushes start, update and end it, where the device has the newer app.
extension Device {
    private static let attributesType = "OrderAttributes"
    private static let activityTopic = World.topic + ".push-type.liveactivity"

    private var showsActivities: Bool {
        release >= .new && (hardware.platform == "ios" || hardware.platform == "ipados") && hardware.hasBannerOption
    }

    private func activity(of order: Int) -> String { "activity-\(orderIdentifier(order))" }

    /// A stage of an order beside its notification: the first starts an activity, the last ends it.
    mutating func pushActivity(of order: Int, stage: Int, at time: Int64, _ outbox: inout Outbox) {
        guard isInstalled, showsActivities else { return }
        aside { device in
            if stage == 0 {
                device.startActivity(of: order, at: time, &outbox)
            } else if device.startedActivity == order {
                device.postActivityPush(stage < 3 ? "update" : "end", order, at: time, &outbox)
                if stage == 3 { device.startedActivity = nil }
                // The provider is not told of a dismissal, and goes on.
                guard device.dismissedActivity != order else { return }
                guard stage == 3 else { return device.updateActivity(of: order, at: time, &outbox) }
                // Of some activities nobody hears how they end.
                guard device.random.chance(0.9) else { return }
                device.record(order, "ended", at: time + 800 * Span.millisecond, &outbox)
                let dismissedAt = time + Span.minutes(device.random.logNormal(median: 40, sigma: 0.8))
                device.record(order, "dismissed", at: dismissedAt, &outbox)
            }
        }
    }

    /// Most are started by a push, some by the app that is in use. Of the tokens that start them some are dead, and APNs accepts
    /// the push all the same.
    private mutating func startActivity(of order: Int, at time: Int64, _ outbox: inout Outbox) {
        let isInUse = random.chance(0.1)
        if !isInUse {
            let isDead = random.chance(0.08)
            postActivityPush("start", order, at: time, &outbox)
            guard !isDead else { return }
        }
        record(order, "started", by: isInUse ? "app" : "push", at: time + 900 * Span.millisecond, &outbox)
        // To some the system never gives a token: nothing can be sent to them.
        guard random.chance(0.97) else { return }
        startedActivity = order
        registerActivityToken(order, at: time + 2 * Span.second, &outbox)
    }

    private mutating func updateActivity(of order: Int, at time: Int64, _ outbox: inout Outbox) {
        record(order, "updated", at: time + 700 * Span.millisecond, &outbox)
        if random.chance(0.04) { record(order, "stale", at: time + 10 * Span.second, &outbox) }
        if random.chance(0.06) {
            dismissedActivity = order
            record(order, "dismissed", at: time + 15 * Span.second, &outbox)
        }
    }

    private mutating func postActivityPush(_ event: String, _ order: Int, at time: Int64, _ outbox: inout Outbox) {
        let identifier = Identifier(time: time, from: &random)
        beginProvider(.request, at: time, installation, &outbox)
        outbox.line.identifier("notification_id", identifier)
        outbox.line.string("origin", "provider")
        outbox.line.boolean("alerting", false)
        outbox.line.string("attributes_type", Self.attributesType)
        if event != "start" { outbox.line.string("activity_id", activity(of: order)) }
        outbox.line.string("live_activity_event", event)
        outbox.line.openObject("push")
        outbox.line.string("push_type", "liveactivity")
        outbox.line.integer("priority", 10)
        outbox.line.string("topic", Self.activityTopic)
        outbox.line.string("environment", "production")
        outbox.line.closeObject()
        finishProvider(.request, at: time, &outbox)
        let answeredAt = time + random.between(20 * Span.millisecond, 300 * Span.millisecond)
        beginProvider(.pushResult, at: answeredAt, installation, &outbox)
        outbox.line.identifier("notification_id", identifier)
        outbox.line.string("provider", "apns")
        outbox.line.integer("status", 200)
        outbox.line.identifier("apns_id", Identifier(from: &random))
        outbox.line.string("topic", Self.activityTopic)
        outbox.line.string("type", event == "start" ? "push_to_start" : "activity_update")
        outbox.line.string("environment", "production")
        outbox.line.token("token", seed: event == "start" ? startToken : activityToken(order))
        finishProvider(.pushResult, at: answeredAt, &outbox)
    }

    private var startToken: UInt64 { DeterministicGenerator.mix(installation.tokenSeed) }
    private func activityToken(_ order: Int) -> UInt64 { DeterministicGenerator.mix(startToken &+ UInt64(order)) }

    private mutating func record(
        _ order: Int,
        _ state: String,
        by starter: String? = nil,
        at time: Int64,
        _ outbox: inout Outbox
    ) {
        begin(.liveActivity, at: time, &outbox)
        outbox.line.string("activity_id", activity(of: order))
        outbox.line.string("attributes_type", Self.attributesType)
        outbox.line.string("state", state)
        if let starter {
            outbox.line.string("started_by", starter)
            outbox.line.string("updates_by", "token")
        }
        finish(.liveActivity, at: time, &outbox)
    }

    /// The app registers the token with which pushes start activities.
    mutating func registerStartToken(at time: Int64, _ outbox: inout Outbox) {
        guard showsActivities else { return }
        aside { $0.registerActivityToken("push_to_start", seed: $0.startToken, of: nil, at: time, &outbox) }
    }

    private mutating func registerActivityToken(_ order: Int, at time: Int64, _ outbox: inout Outbox) {
        registerActivityToken("activity_update", seed: activityToken(order), of: activity(of: order), at: time, &outbox)
    }

    private mutating func registerActivityToken(
        _ type: String,
        seed: UInt64,
        of activity: String?,
        at time: Int64,
        _ outbox: inout Outbox
    ) {
        begin(.token, at: time, &outbox)
        outbox.line.string("state", "registered")
        outbox.line.string("provider", "apns")
        outbox.line.string("type", type)
        outbox.line.string("attributes_type", Self.attributesType)
        if let activity { outbox.line.string("activity_id", activity) }
        outbox.line.string("topic", Self.activityTopic)
        outbox.line.string("environment", "production")
        outbox.line.token("token", seed: seed)
        finish(.token, at: time, &outbox)
    }
}
