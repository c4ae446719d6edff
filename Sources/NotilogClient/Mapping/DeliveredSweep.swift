import Foundation

/// Two looks at the delivered list, and what happened between them.
struct DeliveredSweep {
    /// What the list holds that it did not before.
    var arrived: [Notilog.Delivered] = []
    /// What the list no longer holds, and why.
    var left: [(known: Notilog.KnownNotification, reason: Notilog.Event.RemovalReason)] = []
    /// What to remember until the next look.
    var known: [Notilog.KnownNotification]

    /// - Parameters:
    ///   - before: the remembered notifications, without those responded to or removed since.
    ///   - now: the list.
    init(before: [Notilog.KnownNotification], now: [Notilog.Delivered]) {
        let seen = Set(before.map(\.key))
        known = now.map { Notilog.KnownNotification($0) }
        arrived = now.filter { !seen.contains(Notilog.KnownNotification($0).key) }
        let keys = Set(known.map(\.key))
        let identifiers = Set(known.map(\.identifier))
        left = before.filter { !keys.contains($0.key) }.map { notification in
            (notification, identifiers.contains(notification.identifier) ? .replaced : .gone)
        }
    }

    func events(at date: Date) -> [Notilog.Event] {
        arrived.map { .delivery($0, source: .deliveredList, at: date) }
            + left.map { .removal($0.known, reason: $0.reason, isPending: false, at: date) }
    }
}
