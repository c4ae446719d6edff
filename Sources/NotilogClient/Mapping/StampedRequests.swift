import Foundation

/// The ids of requests that are on their way to the notification center: stamped, and not yet recorded.
struct StampedRequests {
    /// After how many seconds a request that was stamped is taken never to have been added.
    static let window: TimeInterval = 60

    private var ids: [String: (id: String, date: Date)] = [:]

    /// The id for a request under this identifier: that of one on its way, else the one that is given.
    mutating func id(_ identifier: String, at date: Date, else id: String) -> String {
        ids = ids.filter { abs(date.timeIntervalSince($0.value.date)) < Self.window }
        let id = ids[identifier]?.id ?? id
        ids[identifier] = (id, date)
        return id
    }

    /// A request was recorded: from here on the index knows it, or it was never added.
    mutating func settle(_ identifier: String) {
        ids[identifier] = nil
    }
}
