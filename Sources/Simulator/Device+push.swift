extension Device {
    /// A provider sends a push to every token it has of this person.
    mutating func send(_ push: Push, at time: Int64, _ outbox: inout Outbox) {
        if settings.authorization == .denied, push.isGeneric, random.chance(0.5) { return }
        for ghost in ghosts.indices where ghosts[ghost].isKnownToProvider {
            var target = ghosts[ghost]
            _ = post(push, to: &target, at: time + 3 * Span.millisecond, &outbox)
            ghosts[ghost] = target
        }
        guard installation.isKnownToProvider else { return }
        var target = installation
        let sent = post(push, to: &target, at: time, &outbox)
        installation = target
        guard let sent, isInstalled, installation.removedAt == nil else { return }
        let arrived = online(time + Span.minutes(min(5, random.logNormal(median: 0.015, sigma: 0.9))))
        guard arrived < time + push.lifetime else { return }
        guard case .background = push else {
            if settings.authorization.allowsAlerts { receive(push, identifier: sent, at: arrived, &outbox) }
            return
        }
        if random.chance(0.8) { wake(identifier: sent, at: arrived, &outbox) }
    }

    /// The request and the provider API's answer. Gives the minted id where the push was accepted.
    private mutating func post(
        _ push: Push,
        to target: inout Installation,
        at time: Int64,
        _ outbox: inout Outbox
    ) -> Identifier? {
        let identifier = Identifier(time: time, from: &random)
        let apnsID = Identifier(from: &random)
        beginProvider(.request, at: time, target, &outbox)
        write(push, identifier: identifier, to: &outbox.line)
        if case .message = push, random.chance(0.04) {
            writePayload(push, apnsID: apnsID, at: time, to: &outbox.line)
        } else {
            writeRequest(push, apnsID: apnsID, token: target.tokenSeed, at: time, to: &outbox.line)
        }
        finishProvider(.request, at: time, &outbox)

        var answeredAt = time + random.between(20 * Span.millisecond, 400 * Span.millisecond)
        var answer = answer(to: &target, at: answeredAt)
        var attempts = 1
        while true {
            beginProvider(.pushResult, at: answeredAt, target, &outbox)
            write(push, identifier: identifier, to: &outbox.line)
            answer.write(to: &outbox.line, apnsID: apnsID, token: target.tokenSeed)
            finishProvider(.pushResult, at: answeredAt, &outbox)
            guard answer.isWorthRetrying, attempts < 3 else { break }
            attempts += 1
            answeredAt += random.between(2 * Span.second, 40 * Span.second)
            answer = self.answer(to: &target, at: answeredAt)
        }
        return answer.status == 200 ? identifier : nil
    }

    private mutating func answer(to target: inout Installation, at time: Int64) -> ProviderAnswer {
        if let removedAt = target.removedAt, time > target.noticedAt {
            target.isKnownToProvider = false
            return ProviderAnswer(status: 410, reason: "Unregistered", timestamp: removedAt)
        }
        if target.isSandbox { return ProviderAnswer(status: 400, reason: "BadDeviceToken") }
        switch random.unit() {
        case ..<0.005: return ProviderAnswer(status: 429, reason: "TooManyRequests")
        case ..<0.005_7: return ProviderAnswer(status: 413, reason: "PayloadTooLarge")
        case ..<0.006_3: return ProviderAnswer(status: 503, reason: "ServiceUnavailable")
        case ..<0.006_7: return ProviderAnswer(status: 500, reason: "InternalServerError")
        case ..<0.007_0: return ProviderAnswer(status: 403, reason: "ExpiredProviderToken")
        default: return ProviderAnswer(status: 200)
        }
    }

    mutating func beginProvider(
        _ kind: SimulatedKind,
        at time: Int64,
        _ target: Installation,
        _ outbox: inout Outbox
    ) {
        outbox.line.begin()
        outbox.line.string("kind", kind.rawValue)
        outbox.line.identifier("id", Identifier(time: time, from: &random))
        outbox.line.time("occurred_at", time, offset: 0)
        outbox.line.identifier("device_id", target.deviceID)
    }

    mutating func finishProvider(_ kind: SimulatedKind, at time: Int64, _ outbox: inout Outbox) {
        outbox.line.closeObject()
        let sentAt = time + random.between(5 * Span.millisecond, 300 * Span.millisecond)
        outbox.send(kind, at: sentAt, from: .provider, clockSkew: 0)
        guard random.chance(0.003) else { return }
        outbox.send(
            kind,
            at: sentAt + random.between(Span.second, Span.minute),
            from: .provider,
            clockSkew: 0,
            isRetry: true
        )
    }
}

/// What APNs says to a push (Apple: Handling notification responses from APNs).
struct ProviderAnswer {
    let status: Int
    var reason: String?
    /// When the token was known to be dead: microseconds since 1970 UTC.
    var timestamp: Int64?

    var isWorthRetrying: Bool { status == 429 || status >= 500 || reason == "ExpiredProviderToken" }

    func write(to line: inout JSONLine, apnsID: Identifier, token: UInt64) {
        line.string("provider", "apns")
        line.integer("status", status)
        if let reason { line.string("reason", reason) }
        if let timestamp { line.integer("timestamp", Int(timestamp / Span.millisecond)) }
        line.identifier("apns_id", apnsID)
        line.string("topic", World.topic)
        line.string("environment", "production")
        line.token("token", seed: token)
    }
}
