import Folds

/// The third arm: reads a batch, loads what it does not hold of its devices, folds, writes what changed.
final class FoldArm {
    enum Cache {
        /// Nothing is held from batch to batch.
        case cold
        /// So many bytes are held, about; the tables were empty at the beginning.
        case bytes(Int)
    }

    let session: Session
    let schema: String
    let cache: Cache
    var vocabulary = Vocabulary()
    var categories: [Int32: Categories] = [:]
    var devices: [DeviceKey: HeldDevice] = [:]
    var engagement: Engagement
    var number = 0
    var hasEvicted = false
    var loadedRows = 0
    var loadedPeriods = 0
    /// Events since the bound was last looked at.
    private var unchecked: Int64 = 0
    var heldBytes = 0
    /// Where the walk for changed categories stands; nil where there is none.
    var walk: Walk?
    var changedCategories: Set<ByteTable.ID> = []

    struct Walk {
        var categories: Set<ByteTable.ID>
        var app: Int32 = 0
        var device = ""
        var notification = ""
        var occurrence = Moment.noOccurrence
    }

    /// What a batch changed in one row.
    struct Change {
        let device: HeldDevice
        let key: NotificationKey
        let before: Engagement.Counted?
        let after: Engagement.Counted
    }

    /// One batch's work.
    struct Batch {
        var devices: [DeviceBatch] = []
        var index: [DeviceKey: Int] = [:]
        var lists: [Int32: [Categories.ListKey: Categories.Said]] = [:]
        var registered: [(app: Int32, key: Categories.Key)] = []
        var changes: [Change] = []
    }

    init(session: Session, schema: String, cache: Cache) throws {
        self.session = session
        self.schema = schema
        self.cache = cache
        let bounds = try session.query("SELECT unnest(projection.latency_bounds())")
        engagement = Engagement(latencyBounds: (0..<bounds.count).map { bounds.integer($0, 0) ?? 0 })
    }

    var hasSlices: Bool { walk != nil || !changedCategories.isEmpty }

    func apply(after: Int64, upTo: Int64, profile: inout Profile) throws {
        number += 1
        unchecked += max(upTo - after, 1)
        var batch = Batch()
        if after < upTo { try read(after: after, upTo: upTo, into: &batch) }
        profile.end("read")
        try loadDevices(&batch)
        profile.end("load")
        foldCategories(&batch)
        try foldDevices(&batch, upTo: upTo)
        profile.end("fold")
        try loadNotifications(&batch)
        profile.end("load")
        try foldNotifications(&batch)
        profile.end("fold")
        try writeDevices(batch)
        try writeCategories(batch)
        profile.end("write devices")
        try writeNotifications(batch)
        profile.end("write notifications")
        for change in batch.changes {
            if let before = change.before { try engagement.add(before, app: change.device.key.app, sign: -1) }
            try engagement.add(change.after, app: change.device.key.app, sign: 1)
        }
        try writeEngagement()
        engagement.removeAll()
        profile.end("rollup")
        release()
        profile.end("fold")
    }

    // MARK: - Reading

    static let columns =
        "app_id, kind, device_id, notification_id, occurrence, id, effective_at, occurred_at, received_at, data"

    func read(after: Int64, upTo: Int64, into batch: inout Batch) throws {
        try session.copyOut(
            "COPY (SELECT \(Self.columns) FROM projection.batch(\(after), \(upTo))) TO STDOUT (FORMAT binary)"
        ) { fields in
            let app: Int32 = fields.integer() ?? 0
            guard let kind = fields.next(), let device = fields.next() else { return }
            let eventKind = Event.Kind(kind)
            let notification = fields.next()
            let occurrence: Moment? = fields.integer()
            guard let id = fields.next(), let at: Moment = fields.integer(), let occurredAt: Moment = fields.integer(),
                let receivedAt: Moment = fields.integer(), let data = fields.next()
            else { return }
            let deviceID = String(decoding: device, as: UTF8.self)
            var list: UnsafeRawBufferPointer?
            let event = try Event(
                kind: eventKind,
                id: EventID(id),
                at: at,
                occurredAt: occurredAt,
                receivedAt: receivedAt,
                occurrence: occurrence,
                data: UnsafeRawBufferPointer(rebasing: data.dropFirst()),
                vocabulary: &vocabulary
            ) { list = $0 }
            if let list { register(list, app, deviceID, event, &batch) }
            guard !device.isEmpty else { return }
            let index = entry(DeviceKey(app: app, id: deviceID), in: &batch)
            try Self.take(event, notification, into: &batch.devices[index])
        }
    }

    private static func take(_ event: Event, _ notification: UnsafeRawBufferPointer?, into device: inout DeviceBatch)
        throws
    {
        if event.context != ByteTable.none { device.contexts.append((event.at, event.id, event.context)) }
        if event.settings != ByteTable.none { device.settings.append((event.at, event.id, event.settings)) }
        if event.flags.contains(.serviceExtension) { device.extends = true }
        guard let notification, event.kind.stage != nil else { return }
        let isSchedule = event.kind == .request && event.repeats
        let key = NotificationKey(
            id: String(decoding: notification, as: UTF8.self),
            occurrence: isSchedule ? .schedule : event.occurrence
        )
        try device.said[key, default: NotificationFacts()].merge(event)
    }

    /// The batch's entry of a device; a new one where nothing was said of it.
    func entry(_ key: DeviceKey, in batch: inout Batch) -> Int {
        if let index = batch.index[key] { return index }
        let held = devices[key]
        let device = held ?? HeldDevice(key)
        device.usedIn = number
        if held == nil { devices[key] = device }
        batch.index[key] = batch.devices.count
        batch.devices.append(DeviceBatch(device: device, isNew: held == nil, before: device.periods))
        return batch.devices.count - 1
    }

    private func register(
        _ list: UnsafeRawBufferPointer,
        _ app: Int32,
        _ device: String,
        _ event: Event,
        _ batch: inout Batch
    ) {
        let version = vocabulary.context(event.context).appVersion
        let key = Categories.ListKey(
            list: categories[app, default: Categories()].list(list),
            version: version == ByteTable.none ? 0 : version
        )
        let said = Categories.Said(at: event.at, device: device, id: event.id)
        if batch.lists[app, default: [:]][key]?.merge(said) == nil { batch.lists[app, default: [:]][key] = said }
    }

    private func foldCategories(_ batch: inout Batch) {
        for (app, lists) in batch.lists {
            for (list, said) in lists {
                for (key, isChanged) in categories[app, default: Categories()].merge(
                    list,
                    said,
                    names: &vocabulary.names
                ) {
                    if isChanged { changedCategories.insert(key.category) }
                    batch.registered.append((app, key))
                }
            }
        }
    }

    // MARK: - Folding

    private func foldDevices(_ batch: inout Batch, upTo: Int64) throws {
        var torn: [Int] = []
        for index in batch.devices.indices {
            let device = batch.devices[index].device
            batch.devices[index].before = device.periods  // as loaded
            if batch.devices[index].extends { device.periods.extends = true }
            var isTorn = false
            for snapshot in batch.devices[index].contexts
            where !device.periods.context.merge(snapshot.at, snapshot.id, snapshot.value) { isTorn = true }
            for snapshot in batch.devices[index].settings
            where !device.periods.settings.merge(snapshot.at, snapshot.id, snapshot.value) { isTorn = true }
            if isTorn { torn.append(index) }
        }
        try reread(torn, &batch, upTo: upTo)
        for index in batch.devices.indices {
            batch.devices[index].changedFrom = batch.devices[index].device.periods.changed(
                since: batch.devices[index].before
            )
        }
    }

    private func foldNotifications(_ batch: inout Batch) throws {
        for index in batch.devices.indices {
            let device = batch.devices[index].device
            let said = batch.devices[index].said
            for (key, facts) in said where key.occurrence == .schedule {
                try fold(facts, key, device, &batch)
                for other in device.notifications.keys where other.id == key.id && other.occurrence != .schedule {
                    batch.devices[index].touched.insert(other)
                }
            }
            for (key, facts) in said where key.occurrence != .schedule { try fold(facts, key, device, &batch) }
            let from = batch.devices[index].changedFrom
            if from != .none {
                for (key, held) in device.notifications where key.occurrence != .schedule {
                    if let row = held.row, row.cohortAt >= from { batch.devices[index].touched.insert(key) }
                }
            }
            for key in batch.devices[index].touched where said[key] == nil { try fold(nil, key, device, &batch) }
        }
    }

    /// Merges what a batch says with what is held, and derives the row anew.
    private func fold(_ said: NotificationFacts?, _ key: NotificationKey, _ device: HeldDevice, _ batch: inout Batch)
        throws
    {
        let held: HeldNotification
        if let known = device.notifications[key] {
            held = known
        } else {
            guard said != nil else { return }
            held = HeldNotification()
            device.notifications[key] = held
        }
        var facts = held.facts
        if let said { try facts.merge(said) }
        let isSchedule = key.occurrence == .schedule
        if !isSchedule, let schedule = device.notifications[NotificationKey(id: key.id, occurrence: .schedule)] {
            facts.inherit(from: schedule.facts)
        }
        let row = try NotificationRow(
            facts,
            isSchedule: isSchedule,
            of: device.periods,
            categories: categories[device.key.app] ?? Categories(),
            vocabulary: vocabulary
        )
        if let before = held.row, before == row, facts == held.facts { return }
        let before = held.row.map { Engagement.Counted(facts: held.facts, row: $0) }
        held.facts = facts
        held.row = row
        batch.changes.append(
            Change(device: device, key: key, before: before, after: Engagement.Counted(facts: facts, row: row))
        )
    }

    // MARK: - Holding

    /// Forgets what is held beyond the bound: the devices that were needed longest ago.
    private func release() {
        switch cache {
        case .cold:
            devices.removeAll(keepingCapacity: true)
            heldBytes = 0
        case .bytes(let bound):
            // Not after every batch, as it goes through all that is held.
            if unchecked < 20_000 { return }
            unchecked = 0
            heldBytes = vocabulary.memory + devices.values.reduce(0) { $0 + $1.memory }
            guard heldBytes > bound else { return }
            hasEvicted = true
            for device in devices.values.sorted(by: { $0.usedIn < $1.usedIn }) {
                devices[device.key] = nil
                heldBytes -= device.memory
                if heldBytes < bound * 3 / 4 { break }
            }
        }
    }

    /// Whether a device that is not held cannot be in the tables.
    var isWholeHeld: Bool {
        if case .bytes = cache { !hasEvicted } else { false }
    }
}
