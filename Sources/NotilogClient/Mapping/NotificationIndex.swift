import Foundation

/// The notifications that the app asked for and those that wait in the delivered list, as far as they are known.
struct NotificationIndex: Codable, Equatable {
    /// Requests, newest last.
    var requests: [Notilog.KnownNotification] = []
    /// The delivered list as it was last seen.
    var delivered: [Notilog.KnownNotification] = []

    /// More than the system keeps: 64 pending local notifications.
    static let limit = 256

    /// A request was made. Gives back one that it took the place of before it was delivered.
    mutating func add(_ request: Notilog.Request, at date: Date) -> Notilog.KnownNotification? {
        let replaced = requests.last { $0.identifier == request.identifier && $0.isPending(at: date) }
        requests.removeAll { $0.identifier == request.identifier }
        requests.append(Notilog.KnownNotification(request))
        if requests.count > Self.limit { requests.removeFirst(requests.count - Self.limit) }
        guard let replaced, replaced.key != Notilog.KnownNotification(request).key else { return nil }
        return replaced
    }

    /// A notification was responded to, which takes it from the delivered list.
    mutating func settle(_ notification: Notilog.Delivered) {
        let key = Notilog.KnownNotification(notification).key
        delivered.removeAll { $0.key == key }
    }

    /// Pending requests that the app takes back, by identifier; all of them without.
    mutating func takePending(_ identifiers: [String]?, at date: Date) -> [Notilog.KnownNotification] {
        guard let identifiers else {
            let taken = requests.filter { $0.isPending(at: date) }
            requests.removeAll { taken.contains($0) }
            return taken
        }
        return identifiers.compactMap { identifier in
            let known = requests.last { $0.identifier == identifier }
            requests.removeAll { $0.identifier == identifier }
            // One that has fired is pending no more; one that nothing is known of may be.
            if let known, !known.isPending(at: date) { return nil }
            return known ?? Notilog.KnownNotification(identifier: identifier)
        }
    }

    /// Delivered notifications that the app takes back, by identifier; all of them without.
    mutating func takeDelivered(_ identifiers: [String]?) -> [Notilog.KnownNotification] {
        guard let identifiers else {
            defer { delivered = [] }
            return delivered
        }
        return identifiers.map { identifier in
            let known =
                delivered.last { $0.identifier == identifier } ?? requests.last { $0.identifier == identifier }
            delivered.removeAll { $0.identifier == identifier }
            return known ?? Notilog.KnownNotification(identifier: identifier)
        }
    }
}

extension Notilog.KnownNotification {
    func isPending(at date: Date) -> Bool {
        repeats || (scheduledFor.map { $0 > date } ?? false)
    }
}
