import NotificationEvents

/// Makes small sets of events that meet each other as often as can be: few devices, notifications and tokens, few
/// moments and so many ties, everything that may be absent now absent, now not.
struct RandomEvents {
    /// What most of a set is about.
    enum Focus: String, CaseIterable, Sendable {
        case everything, notifications, schedules, devices, tokens, categories, outcomes
    }

    var random: LawRandom
    let focus: Focus
    let devices: [String]
    let notifications: [String]
    let tokens: [String]
    let moments: [Int64]
    let occurrences: [Int64?]
    /// How many events in a hundred carry a context.
    let contexts: Int
    /// How many token events in a hundred depart from the commonest provider, type, topic or environment.
    let otherKeys: Int
    /// Whether the set is small and about nothing else, so that what arrives last often decides.
    let isNarrow: Bool
    /// Settings said before, to be said again.
    var settings: [[String: LawValue]] = []

    /// The start of the time that events fall into, 2026-03-01T00:00:00Z.
    static let start = Timestamp.parse("2026-03-01T00:00:00Z")?.timestamp.microseconds ?? 0
    private static let minute: Int64 = 60_000_000

    init(focus: Focus, random: LawRandom) {
        var random = random
        isNarrow = focus != .everything && random.chance(50)
        let few = isNarrow ? [1, 1, 1, 2] : [1, 2, 3]
        devices = (0..<random.one(of: few)).map { "d\($0)" }
        notifications = (0..<random.one(of: few)).map { "n\($0)" }
        tokens = (0..<random.one(of: few)).map { String(repeating: "0\($0)", count: 32) }
        // Edges of quarter hours and days, an instant before and after them, and times within.
        let minutes: [Int64] = [0, 5, 14, 15, 16, 200, 1439, 1440, 1500, 4320]
        var moments: [Int64] = []
        for _ in 0..<random.one(of: [3, 6, 12, 20]) {
            moments.append(
                Self.start + random.one(of: minutes) * Self.minute + random.one(of: [0, 0, 0, 1, -1, 1_000_000])
            )
        }
        self.moments = moments
        occurrences = [nil, nil, nil, random.one(of: moments), random.one(of: moments)]
        contexts = random.one(of: [10, 40, 80])
        otherKeys = random.one(of: [0, 3, 15])
        self.focus = focus
        self.random = random
    }

    /// Makes a set of events, no two with one id on one device.
    mutating func make() -> [LawEvent] {
        var events: [LawEvent] = []
        var seen: Set<LawIdentity> = []
        for _ in 0..<random.one(of: isNarrow ? [2, 3, 4, 6, 10] : [3, 6, 12, 25, 40]) {
            var event = event()
            // Ids are unique within a device only.
            if random.chance(10), let other = events.last { event.id = other.id }
            // One content sent by two clocks would be one event with the time of whichever came first.
            if event.skew == 0, !event.isAhead, random.chance(10) { event.isAnonymous = true }
            if seen.insert(LawIdentity(event)).inserted { events.append(event) }
        }
        return events
    }

    private mutating func event() -> LawEvent {
        var event = LawEvent(
            kind: kind(),
            id: EventID(high: random.next(), low: random.next()),
            device: random.one(of: devices),
            occurredAt: moment()
        )
        if random.chance(10) {
            event.skew = random.one(of: [-300_000_000, 300_000_000, -2880 * Self.minute, 2880 * Self.minute])
        } else {
            event.isAhead = random.chance(3)
        }
        event.occurredAt = moment(by: event)
        if Self.ofNotifications.contains(event.kind) { aboutNotification(&event) }
        switch event.kind {
        case "request": request(&event)
        case "delivery": delivery(&event)
        case "presentation": presentation(&event)
        case "action_response": response(&event)
        case "removal": removal(&event)
        case "push_result": pushResult(&event)
        case "settings": settings(&event)
        case "authorization_request": authorizationRequest(&event)
        case "token": token(&event)
        case "category_registration": registration(&event)
        case "app_open": appOpen(&event)
        case "conversion": conversion(&event)
        case "holdout": holdout(&event)
        case "permission_prompt": permissionPrompt(&event)
        case "live_activity": liveActivity(&event)
        default: break
        }
        let needsVersion = event.kind == "category_registration" && event.device.isEmpty
        if needsVersion || random.chance(contexts) { event.fields["context"] = context() }
        if needsVersion, event["context", "app_version"] == nil { event.fields["context"] = ["app_version": "1"] }
        if event["attributes"] == nil, random.chance(5) { event.fields["attributes"] = ["of": "the sender"] }
        return event
    }

    mutating func moment() -> Int64 { random.one(of: moments) }

    /// A moment as the clock of an event's sender may have it.
    mutating func moment(by event: LawEvent) -> Int64 {
        if event.isAhead { return moment() + 30 * 1440 * Self.minute }
        return moment() - (random.chance(50) ? event.skew : 0)
    }

    private static let ofNotifications: Set = [
        "request", "delivery", "presentation", "action_response", "dismissal", "removal", "push_result",
    ]
}
