/// Events that say again what was said, by the order in which they were received: requests beyond the first of their
/// notification, callbacks beyond the first of their press.
struct LawRepeated {
    let events: [LawEvent]
    private static let quarterHour: Int64 = 900_000_000

    init(_ notifications: [LawNotification]) {
        events = notifications.flatMap { notification in
            Self.beyondTheFirst(notification.requests)
                + notification.actions.flatMap { action in
                    // The app hears of a press more than once where a content extension handled it first.
                    action.inExtension > 0 ? action.elsewhere : Self.beyondTheFirst(action.elsewhere)
                }
        }
    }

    private static func beyondTheFirst(_ events: [LawEvent]) -> [LawEvent] {
        Array(events.sorted { ($0.receivedAt, $0.id) < ($1.receivedAt, $1.id) }.dropFirst())
    }

    var rows: [LawRow] {
        let cells = Dictionary(grouping: events) { event -> LawRow in
            ["bucket": "\(event.receivedAt - event.receivedAt % Self.quarterHour)", "kind": event.kind]
        }
        return cells.map { cell, events in cell.merging(["events": "\(events.count)"]) { first, _ in first } }
    }
}
