/// One notification: every event of one (device, notification_id, occurrence), and what bears on it from elsewhere.
struct LawNotification {
    let device: String
    let notification: String
    let occurrence: Int64?
    /// Its own events, in the tie order.
    let events: [LawEvent]
    /// The repeating requests of the same identifier, which lend it their attributes.
    let schedule: [LawEvent]
    let devices: LawDevices
    let categories: LawCategories

    func events(_ kind: String) -> [LawEvent] { events.filter { $0.kind == kind } }

    var requests: [LawEvent] { events("request") }
    var deliveries: [LawEvent] { events("delivery") }
    var presentations: [LawEvent] { events("presentation") }
    var responses: [LawEvent] { events("action_response") }
    var dismissals: [LawEvent] { events("dismissal") }
    var pushResults: [LawEvent] { events("push_result") }

    /// Where what a sender asks for stands: its own requests and those of its schedule.
    var asked: [LawEvent] { (requests + schedule).sorted(by: LawEvent.isBefore) }
}

extension LawModel {
    private static let kinds: Set = [
        "request", "delivery", "presentation", "action_response", "dismissal", "removal", "push_result",
    ]

    private struct Key: Hashable {
        let device: String
        let notification: String
        let occurrence: Int64?
    }

    /// Every notification that an event tells of.
    var notifications: [LawNotification] {
        var own: [Key: [LawEvent]] = [:]
        var schedules: [Key: [LawEvent]] = [:]
        for event in events where Self.kinds.contains(event.kind) && !event.device.isEmpty {
            guard let notification = event.notification else { continue }
            if event.kind == "request", event["trigger", "repeats"] == true {
                let key = Key(device: event.device, notification: notification, occurrence: nil)
                schedules[key, default: []].append(event)
            } else {
                let key = Key(device: event.device, notification: notification, occurrence: event.occurrence)
                own[key, default: []].append(event)
            }
        }
        return own.map { key, events in
            LawNotification(
                device: key.device,
                notification: key.notification,
                occurrence: key.occurrence,
                events: events,
                schedule: schedules[Key(device: key.device, notification: key.notification, occurrence: nil)] ?? [],
                devices: devices,
                categories: categories
            )
        }
    }
}
