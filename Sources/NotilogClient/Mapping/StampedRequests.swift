import Foundation

/// The ids of requests on their way to the notification center. They are stamped, but not recorded yet.
struct StampedRequests {
    /// After this number of seconds, a stamped request counts as never added.
    static let window: TimeInterval = 60

    private var ids: [String: (id: String, date: Date)] = [:]

    /// The id for a request with this identifier: that of a request on its way, or else the given one.
    mutating func id(_ identifier: String, at date: Date, else id: String) -> String {
        ids = ids.filter { abs(date.timeIntervalSince($0.value.date)) < Self.window }
        let id = ids[identifier]?.id ?? id
        ids[identifier] = (id, date)
        return id
    }

    /// A request was recorded. From here on the index knows it, or it was never added.
    mutating func remove(_ identifier: String) {
        ids[identifier] = nil
    }
}
