import Folds

struct DeviceKey: Hashable {
    var app: Int32
    var id: String
}

struct NotificationKey: Hashable {
    var id: String
    var occurrence: Moment
}

/// A notification as the tables hold it; without a row where they don't yet.
final class HeldNotification {
    var facts: NotificationFacts
    var row: NotificationRow?

    init(facts: NotificationFacts = NotificationFacts(), row: NotificationRow? = nil) {
        self.facts = facts
        self.row = row
    }
}

/// What is held of a device from batch to batch.
final class HeldDevice {
    let key: DeviceKey
    var periods = DevicePeriods()
    var notifications: [NotificationKey: HeldNotification] = [:]
    /// Whether what is not held is not in the tables either.
    var isComplete = false
    /// The batch that last needed it.
    var usedIn = 0

    init(_ key: DeviceKey) {
        self.key = key
    }

    /// Bytes, about.
    var memory: Int {
        300 + key.id.utf8.count + (periods.context.list.count + periods.settings.list.count) * 56 + notifications.count
            * 1000
    }
}

/// What one batch says of a device.
struct DeviceBatch {
    let device: HeldDevice
    let isNew: Bool
    var contexts: [(at: Moment, id: EventID, value: ByteTable.ID)] = []
    var settings: [(at: Moment, id: EventID, value: ByteTable.ID)] = []
    var extends = false
    var said: [NotificationKey: NotificationFacts] = [:]
    var before = DevicePeriods()
    /// From when on its notifications are derived anew.
    var changedFrom = Moment.none
    var touched: Set<NotificationKey> = []
}
