extension Push {
    var category: Category? {
        switch self {
        case .message: .message
        case .invite: .invite
        case .order: .order
        case .news: .news
        case .promotion: .promotion
        case .background: nil
        }
    }

    /// Sent to everybody, and so withheld from some who would not see it.
    var isGeneric: Bool {
        switch self {
        case .news, .promotion: true
        case .message, .invite, .order, .background: false
        }
    }

    /// How long APNs keeps it for a device that is away.
    var lifetime: Int64 {
        switch self {
        case .message, .invite, .order: 3 * Span.day
        case .news, .promotion: Span.day
        case .background: 12 * Span.hour
        }
    }

    var interruptionLevel: String {
        switch self {
        case .order(_, let stage): stage == 2 ? "time_sensitive" : "active"
        case .promotion: "passive"
        case .message, .invite, .news, .background: "active"
        }
    }
}

extension Device {
    /// What request and answer carry alike to name the notification. An order has its collapse id alone.
    func write(_ push: Push, identifier: Identifier, to line: inout JSONLine) {
        if case .order(let number, _) = push {
            line.string("request_identifier", orderIdentifier(number))
        } else {
            line.identifier("notification_id", identifier)
        }
    }

    /// The collapse id of all pushes of one order.
    func orderIdentifier(_ number: Int) -> String {
        "order-\(DeterministicGenerator.mix(index &* 1_000 &+ UInt64(number)) % 90_000_000 + 10_000_000)"
    }

    /// The fields of a push's request.
    mutating func writeRequest(_ push: Push, apnsID: Identifier, token: UInt64, at time: Int64, to line: inout JSONLine)
    {
        line.string("origin", "provider")
        if let category = push.category?.identifier { line.string("category_id", category) }
        if case .message(let thread) = push { line.string("thread_id", "conversation-\(thread)") }
        if case .promotion(let campaign) = push {
            line.string("campaign_id", campaign.identifier)
            line.string("variant", campaign.variant)
        }
        if case .news(let day, let evening) = push {
            let date = CivilDate(dayNumber: day)
            line.string("campaign_id", "edition-\(date.month)-\(date.day)-\(evening ? "evening" : "morning")")
        }
        line.openObject("trigger")
        line.string("type", "push")
        line.closeObject()
        writeContent(push, to: &line)
        push.writeAttributes(on: index, to: &line)
        line.openObject("push")
        line.identifier("apns_id", apnsID)
        line.string("push_type", push.category == nil ? "background" : "alert")
        line.integer("priority", push.category == nil || push.isGeneric ? 5 : 10)
        line.integer("expiration", Int((time + push.lifetime) / Span.second))
        line.string("topic", World.topic)
        line.string("environment", "production")
        line.token("token", seed: token)
        line.closeObject()
    }

    private func writeContent(_ push: Push, to line: inout JSONLine) {
        guard let category = push.category else {
            line.boolean("alerting", false)
            line.boolean("content_available", true)
            return
        }
        line.string("interruption_level", push.interruptionLevel)
        if !push.isGeneric { line.string("sound", "default") }
        if category.isMutable { line.boolean("mutable_content", true) }
        switch category {
        case .message: line.integer("badge", 1)
        case .news: line.strings("attachments", ["image"])
        case .invite, .order, .promotion, .reminder, .nearby: break
        }
    }

    /// The payload and headers as sent, instead: the older of the two senders posts these.
    func writePayload(_ push: Push, apnsID: Identifier, at time: Int64, to line: inout JSONLine) {
        line.string("origin", "provider")
        line.openObject("payload")
        line.openObject("aps")
        line.openObject("alert")
        line.string("title", "New message")
        line.string("body", "You have a new message")
        line.closeObject()
        line.string("sound", "default")
        if let category = push.category?.identifier { line.string("category", category) }
        if case .message(let thread) = push { line.string("thread-id", "conversation-\(thread)") }
        line.integer("mutable-content", 1)
        line.closeObject()
        line.closeObject()
        line.openObject("headers")
        line.identifier("apns-id", apnsID)
        line.string("apns-push-type", "alert")
        line.string("apns-priority", "10")
        line.string("apns-expiration", "\((time + push.lifetime) / Span.second)")
        line.string("apns-topic", World.topic)
        line.closeObject()
    }
}
