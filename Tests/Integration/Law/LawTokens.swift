/// The life of each token: a state machine that is fed one event after the other, in the tie order.
struct LawTokens {
    private enum Change {
        case registered, unregistered, dead, misdirected, accepted
    }

    private struct Step {
        let change: Change
        let at: Int64
        let event: LawEvent

        static func isBefore(_ left: Step, _ right: Step) -> Bool {
            (left.at, left.event.device, left.event.id) < (right.at, right.event.device, right.event.id)
        }
    }

    private struct Kind: Hashable {
        let provider, type, topic, environment: String?

        init(_ event: LawEvent) {
            provider = event["provider"]?.string
            type = event["type"]?.string
            topic = event["topic"]?.string ?? ""
            environment = event["environment"]?.string
        }
    }

    private struct Key: Hashable {
        let device: String
        let kind: Kind
        let token: String?
    }

    private struct Life {
        var state = "active"
        var registeredAt: Int64
        var lastRegisteredAt: Int64
        var endedAt: Int64?

        var isOver: Bool { state != "active" && state != "misdirected" }

        mutating func end(_ state: String, _ at: Int64) {
            guard !isOver else { return }
            self.state = state
            endedAt = at
        }
    }

    private let steps: [Step]

    init(_ events: [LawEvent]) {
        steps = events.compactMap(Self.step).sorted(by: Step.isBefore)
    }

    private static func step(_ event: LawEvent) -> Step? {
        guard event.token != nil else { return nil }
        let change: Change? =
            switch event.kind {
            case "token":
                switch event["state"] {
                case "registered": .registered
                case "unregistered": .unregistered
                default: nil
                }
            case "push_result": verdict(event)
            default: nil
            }
        guard let change else { return nil }
        // APNs tells when it last knew a token to be dead, in milliseconds.
        let timestamp = change == .dead ? event["timestamp"]?.integer.map { $0 * 1000 } : nil
        return Step(change: change, at: timestamp ?? event.at, event: event)
    }

    private static func verdict(_ event: LawEvent) -> Change? {
        let reason = event["reason"]?.string
        if event["status"] == 200 { return .accepted }
        switch (event["provider"], reason) {
        case ("apns", "Unregistered"), ("apns", "ExpiredToken"): return .dead
        case ("apns", nil): return event["status"] == 410 ? .dead : nil
        case ("fcm", "UNREGISTERED"), ("fcm", "NotRegistered"): return .dead
        case ("apns", "BadDeviceToken"), ("apns", "DeviceTokenNotForTopic"): return .misdirected
        case ("fcm", "SENDER_ID_MISMATCH"), ("fcm", "MismatchSenderId"): return .misdirected
        default: return nil
        }
    }

    private var lives: [Key: Life] {
        var lives: [Key: Life] = [:]
        for step in steps {
            let key = Key(device: step.event.device, kind: Kind(step.event), token: step.event.token)
            if step.change == .registered {
                for (other, life) in lives where other.kind == key.kind && other != key {
                    var life = life
                    if other.device == key.device { life.end("superseded", step.at) }
                    if other.token == key.token { life.end("moved", step.at) }
                    lives[other] = life
                }
                let first = lives[key]?.registeredAt ?? step.at
                lives[key] = Life(registeredAt: first, lastRegisteredAt: step.at)
                continue
            }
            // An answer bears on the token, whichever topic or environment it was sent under.
            for (other, life) in lives where other.token == key.token && other.kind.provider == key.kind.provider {
                var life = life
                switch step.change {
                case .dead: life.end("invalidated", step.at)
                case .unregistered: if other.device == key.device { life.end("invalidated", step.at) }
                case .misdirected: if !life.isOver { life.state = "misdirected" }
                case .accepted: if !life.isOver { life.state = "active" }
                case .registered: break
                }
                lives[other] = life
            }
        }
        return lives
    }

    var rows: [LawRow] {
        lives.map { key, life in
            var row: LawRow = ["device_id": key.device, "state": life.state]
            row.set("provider", key.kind.provider)
            row.set("type", key.kind.type)
            row.set("topic", key.kind.topic)
            row.set("environment", key.kind.environment)
            row.set("token", key.token)
            row.set("registered_at", life.registeredAt)
            row.set("last_registered_at", life.lastRegisteredAt)
            row.set("ended_at", life.endedAt)
            return row
        }
    }
}
