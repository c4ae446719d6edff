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

    struct Kind: Hashable {
        let provider, type, topic, environment: String?

        init(_ event: LawEvent) {
            provider = event["provider"]?.string
            type = Self.name(event["type"]?.string)
            topic = event["topic"]?.string ?? ""
            environment = event["environment"]?.string
        }

        /// A type under the name that it has now.
        static func name(_ type: String?) -> String? { type == "live_activity" ? "activity_update" : type }
    }

    struct Key: Hashable {
        let device: String
        let kind: Kind
        /// What a device has several of, each with a token of its own: Live Activities, their types, controls; empty of any other.
        let activity: String
        let token: String?

        init(_ event: LawEvent) {
            device = event.device
            kind = Kind(event)
            let fields = [
                "activity_update": "activity_id", "push_to_start": "attributes_type", "control": "control_kind",
            ]
            activity = fields[kind.type ?? ""].flatMap { event[$0]?.string } ?? ""
            token = event.token
        }
    }

    /// From one registration of a token to the next.
    struct Life {
        /// The token's first registration of all.
        let firstAt: Int64
        let registeredAt: Int64
        var endedAt: Int64?
        var endedBy: String?
        /// The answers that it went to the wrong place: when, and whether it was accepted since.
        var misdirections: [(at: Int64, isAcceptedSince: Bool)] = []

        mutating func end(_ state: String, _ at: Int64) {
            guard endedBy == nil else { return }
            (endedBy, endedAt) = (state, at)
        }
    }

    private let steps: [Step]
    /// Devices and tokens of which more is stored than `most` events, pushes accepted aside: they have no rows.
    let excess: (devices: Set<String>, tokens: Set<String>)

    init(_ events: [LawEvent], most: Int = 10_000) {
        steps = events.compactMap(Self.step).sorted(by: Step.isBefore)
        let said = steps.filter { $0.change != .accepted }.map(\.event)
        func beyond(_ names: [String]) -> Set<String> {
            Set(Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +).filter { $0.value > most }.keys)
        }
        excess = (beyond(said.map(\.device)).subtracting([""]), beyond(said.compactMap(\.token)))
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
        case ("fcm", _): return behindFCM(event)
        default: return nil
        }
    }

    /// What APNs said to FCM, as it would have said it itself.
    private static func behindFCM(_ event: LawEvent) -> Change? {
        switch event["attributes", "apns_reason"]?.string {
        case "Unregistered", "ExpiredToken": .dead
        case "BadDeviceToken", "DeviceTokenNotForTopic": .misdirected
        case nil: event["attributes", "apns_status"] == 410 ? .dead : nil
        default: nil
        }
    }

    /// When each token, by provider, was last taken by its provider.
    private var accepted: [[String?]: Step] {
        var accepted: [[String?]: Step] = [:]
        for step in steps where step.change == .accepted {
            accepted[[step.event["provider"]?.string, step.event.token]] = step
        }
        return accepted
    }

    /// The lives of every token with every device that had it, the last one last, as far as events before a time tell.
    ///
    /// - Parameter supersedes: whether another token of the device ends one.
    func lives(before end: Int64, supersedes: Bool = true) -> [Key: [Life]] {
        let accepted = accepted
        var lives: [Key: [Life]] = [:]
        func change(_ key: Key, _ body: (inout Life) -> Void) {
            guard let last = lives[key]?.indices.last else { return }
            body(&lives[key, default: []][last])
        }
        for step in steps where step.at < end {
            let key = Key(step.event)
            if step.change == .registered {
                for other in lives.keys where other.kind == key.kind && other != key {
                    if supersedes, other.device == key.device, other.activity == key.activity {
                        change(other) { $0.end("superseded", step.at) }
                    }
                    if other.device != key.device, other.token == key.token {
                        change(other) { $0.end("moved", step.at) }
                    }
                }
                let first = lives[key]?.first?.registeredAt ?? step.at
                lives[key, default: []].append(Life(firstAt: first, registeredAt: step.at))
                continue
            }
            // An answer bears on the token, whichever topic or environment it was sent under.
            for other in lives.keys where other.token == key.token && other.kind.provider == key.kind.provider {
                change(other) { life in
                    switch step.change {
                    case .dead: life.end("invalidated", step.at)
                    case .unregistered: if other.device == key.device { life.end("invalidated", step.at) }
                    case .misdirected:
                        let since = accepted[[key.kind.provider, key.token]].map { Step.isBefore(step, $0) } ?? false
                        life.misdirections.append((step.at, since))
                    case .accepted, .registered: break
                    }
                }
            }
        }
        return lives
    }

    /// When a token was last taken, by any device of its provider.
    func acceptedAt(_ key: Key) -> Int64? { accepted[[key.kind.provider, key.token]]?.at }

    var rows: [LawRow] {
        lives(before: .max).compactMap { key, lives in
            guard let life = lives.last else { return nil }
            guard !excess.devices.contains(key.device), !excess.tokens.contains(key.token ?? "") else { return nil }
            let isMisdirected = life.misdirections.contains { !$0.isAcceptedSince }
            var row: LawRow = [
                "device_id": key.device, "state": life.endedBy ?? (isMisdirected ? "misdirected" : "active"),
            ]
            row.set("provider", key.kind.provider)
            row.set("type", key.kind.type)
            row.set("topic", key.kind.topic)
            row.set("environment", key.kind.environment)
            row.set("activity_id", key.activity)
            row.set("token", key.token)
            row.set("registered_at", life.firstAt)
            row.set("last_registered_at", life.registeredAt)
            row.set("ended_at", life.endedAt)
            return row
        }
    }

    private struct Held: Hashable {
        let device: String
        let token: String
    }

    /// When each token first came to an end with a device, under whichever key.
    private var firstEnds: [Held: Int64] {
        var ends: [Held: Int64] = [:]
        for (key, lives) in lives(before: .max) {
            guard let token = key.token, !excess.devices.contains(key.device), !excess.tokens.contains(token) else {
                continue
            }
            let held = Held(device: key.device, token: token)
            for end in lives.compactMap(\.endedAt) { ends[held] = min(end, ends[held] ?? end) }
        }
        return ends
    }

    var endRows: [LawRow] {
        firstEnds.map { held, end in ["device_id": held.device, "token": held.token, "ended_at": end.description] }
    }

    /// The requests to tokens that were due at their first end or after it.
    func requestRows(_ events: [LawEvent]) -> [LawRow] {
        let ends = firstEnds
        return events.compactMap { event in
            guard event.kind == "request", let token = event.token,
                let end = ends[Held(device: event.device, token: token)]
            else { return nil }
            let due = max(event.at, event.time("scheduled_for") ?? event.at)
            guard end <= due else { return nil }
            var row: LawRow = [
                "device_id": event.device, "token": token, "at": event.at.description, "id": "\(event.id)",
                "due_at": due.description, "occurrence": event.occurrence?.description ?? "-infinity",
            ]
            if event["trigger", "repeats"] != true { row.set("notification_id", event.notification) }
            row.set("environment", event["push", "environment"]?.string)
            row.set("topic", event["push", "topic"]?.string)
            return row
        }
    }
}
