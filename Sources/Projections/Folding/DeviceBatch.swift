internal import Folds

/// A device of an app; `id` is a symbol of `Symbols/names`.
struct DeviceKey: Hashable {
    var app: Int32
    var id: Symbol
}

/// A device in a batch: what events say, what is known of it, what it is after the batch.
final class DeviceBatch {
    let key: DeviceKey
    var contexts: [Snapshot] = []
    var settings: [Snapshot] = []
    /// An event of the batch is a delivery from a service extension.
    var extends = false
    /// The batch has its erasure: all its rows have another key.
    var isErased = false
    var notifications: [NotificationKey: NotificationBatch] = [:]
    /// The periods around ``range`` as they are stored.
    var known = DevicePeriods()
    /// The same with what the batch says.
    var periods = DevicePeriods()
    /// The times for which periods are known; nil where none are.
    var range: ClosedRange<Moment>?
    /// Whether it has too many periods to load all of its range: only those around the times of its snapshots and notifications
    /// are known.
    var hasManyPeriods = false
    /// The times whose notifications are derived again; nil where nothing changed for them.
    var changed: ClosedRange<Moment>?

    init(_ key: DeviceKey) {
        self.key = key
    }

    /// Its notification with this key; added if the batch has none.
    func notification(_ key: NotificationKey) -> NotificationBatch {
        if let known = notifications[key] { return known }
        let notification = NotificationBatch(device: self, key: key)
        notifications[key] = notification
        return notification
    }
}
