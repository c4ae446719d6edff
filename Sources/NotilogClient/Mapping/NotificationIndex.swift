import Foundation

/// The notifications that the app requested and those in the delivered list, as far as they are known.
struct NotificationIndex: Codable, Equatable {
    /// Requests, newest last.
    var requests: [Notilog.KnownNotification] = []
    /// The delivered list as it was last seen.
    var delivered: [Notilog.KnownNotification] = []

    /// A limit above the system's, which keeps 64 pending local notifications.
    static let limit = 256
    /// Within this number of seconds the delivered list is read.
    static let readingTime: TimeInterval = 10

    /// The id of the pending or shown notification that a request with this identifier would update.
    func updated(by identifier: String, at date: Date) -> String? {
        let known =
            requests.last { $0.identifier == identifier && ($0.isPending(at: date) || $0.mayBeShown(at: date)) }
            ?? delivered.last { $0.identifier == identifier }
        return known.map { $0.mark?.id ?? $0.identifier }
    }

    /// Adds a request. Returns a notification that it replaced before delivery.
    mutating func add(_ request: Notilog.Request, at date: Date) -> Notilog.KnownNotification? {
        let replaced = requests.last { $0.identifier == request.identifier && $0.isPending(at: date) }
        requests.removeAll { $0.identifier == request.identifier }
        var known = Notilog.KnownNotification(request)
        if request.trigger.kind == .immediate { known.scheduledFor = date }
        requests.append(known)
        while requests.count > Self.limit {
            // What still waits is worth more than what has fired.
            requests.remove(at: requests.firstIndex { !$0.isPending(at: date) } ?? 0)
        }
        return replaced?.key == known.key ? nil : replaced
    }

    /// A notification reached the device. Its request is no longer pending.
    ///
    /// - Parameter isListed: whether it stays in the delivered list.
    mutating func arrive(_ notification: Notilog.Delivered, isListed: Bool) {
        let key = Notilog.KnownNotification(notification).key
        for index in requests.indices where !requests[index].repeats && requests[index].key == key {
            requests[index].date = notification.date ?? requests[index].date
            requests[index].isUndated = false
            requests[index].isGone = !isListed
        }
    }

    /// The person responded to a notification, which removes it from the delivered list.
    mutating func respond(to notification: Notilog.Delivered) {
        let key = Notilog.KnownNotification(notification).key
        delivered.removeAll { $0.key == key }
        arrive(notification, isListed: false)
    }

    /// The delivered list was read.
    mutating func sweep(_ list: [Notilog.Delivered], at date: Date) -> DeliveredSweep {
        let sweep = DeliveredSweep(before: delivered, now: list)
        delivered = sweep.known
        for notification in list { arrive(notification, isListed: true) }
        let keys = Set(delivered.map(\.key))
        // What fired as the list was being read may not have been in it yet.
        let read = date.addingTimeInterval(-Self.readingTime)
        for index in requests.indices where requests[index].hasFired(at: read) && !keys.contains(requests[index].key) {
            requests[index].isGone = true
        }
        return sweep
    }

    /// The pending requests that the app removes, by identifier. Without identifiers, all of them.
    mutating func takePending(_ identifiers: [String]?, at date: Date) -> [Notilog.KnownNotification] {
        guard let identifiers else {
            let taken = requests.filter { $0.isPending(at: date) }
            requests.removeAll { taken.contains($0) }
            return taken
        }
        return identifiers.compactMap { identifier in
            // One that has fired is pending no more; one that nothing is known of may be.
            guard let index = requests.lastIndex(where: { $0.identifier == identifier }) else {
                return Notilog.KnownNotification(identifier: identifier)
            }
            return requests[index].isPending(at: date) ? requests.remove(at: index) : nil
        }
    }

    /// The delivered notifications that the app removes, by identifier. Without identifiers, all of them.
    ///
    /// - Parameter isRead: whether the list has just been read. A notification that is not in it was not delivered
    ///   then.
    mutating func takeDelivered(
        _ identifiers: [String]?,
        isRead: Bool = false,
        at date: Date
    ) -> [Notilog.KnownNotification] {
        for index in requests.indices where requests[index].hasFired(at: date) {
            guard identifiers?.contains(requests[index].identifier) ?? true else { continue }
            requests[index].isGone = true
        }
        guard let identifiers else {
            defer { delivered = [] }
            return delivered
        }
        return identifiers.compactMap { identifier in
            let listed = delivered.last { $0.identifier == identifier }
            delivered.removeAll { $0.identifier == identifier }
            guard listed == nil, !isRead else { return listed }
            guard let request = requests.last(where: { $0.identifier == identifier }) else {
                return Notilog.KnownNotification(identifier: identifier)
            }
            // One that has yet to fire is not in the list, unless it has fired before.
            return request.repeats || !request.isPending(at: date) ? request : nil
        }
    }
}

extension Notilog.KnownNotification {
    /// How many seconds after its firing a request counts as shown without a sweep. iOS does not report when a person
    /// clears it.
    static let shownFor: TimeInterval = 3600

    /// Whether the request has yet to fire, as far as is known.
    func isPending(at date: Date) -> Bool {
        repeats || isUndated == true || (self.date == nil && scheduledFor.map { $0 > date } ?? false)
    }

    /// Whether the request has fired for the last time.
    func hasFired(at date: Date) -> Bool {
        !isPending(at: date) && (self.date ?? scheduledFor) != nil
    }

    /// Whether a request that fired still counts as being in the delivered list.
    func mayBeShown(at date: Date) -> Bool {
        guard isGone != true, hasFired(at: date), let fired = self.date ?? scheduledFor else { return false }
        return date.timeIntervalSince(fired) < Self.shownFor
    }
}
