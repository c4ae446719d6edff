internal import Folds
internal import Postgres

/// Notifications that the batch changes although it has no event of them.
extension NotificationFold {
    /// Adds the notifications of a device whose periods changed, the firings of a schedule, and a slice of the notifications of
    /// changed devices and categories. If an event affects more notifications of a device than a bound, later slices follow.
    func touch(on connection: isolated Connection) async throws {
        var touched = try await touchChanged(on: connection)
        let changed = touched.count
        if sliceRows != 0 {
            for row in try await connection.query("SELECT * FROM device_slice($1)", [.int4(sliceRows)]) {
                var fields = FoldFields(row)
                let notification = touch(NotificationName(&fields, &symbols))
                notification.isOfErased = fields.bool()
                touched.append(notification)
            }
            // A slice of one notification is of one sort.
            if sliceRows != 1 || touched.count == changed {
                for row in try await connection.query("SELECT * FROM notification_slice($1)", [.int4(sliceRows)]) {
                    touched.append(touch(NotificationName(row, &symbols)))
                }
            }
        }
        try await loadNotifications(touched, on: connection)
        try await widenRanges(Array(Set(touched.map(\.device.key)).compactMap { devices[$0] }), on: connection)
    }

    /// The notifications that the batch's events affect besides its own, up to a bound per device and one in total. Devices
    /// beyond a bound are walked in slices of later batches.
    private func touchChanged(on connection: isolated Connection) async throws -> [NotificationBatch] {
        var left = devices.values.filter { $0.changed != nil || $0.isErased || !schedules(of: $0).isEmpty }
        if left.isEmpty { return [] }
        let bounds = try await connection.query("SELECT device_rows(), touched_rows()").only()
        let ofDevice = Int(try bounds.get(0, as: Int32.self))
        var rowsLeft = Int(try bounds.get(1, as: Int32.self))
        var touched: [NotificationName] = []
        var walked: [DeviceBatch] = []

        // Most devices have few. The others are read in a second step, some devices at a time, while there is room.
        var asked = left.count
        var limit = min(Self.few, ofDevice)
        while !left.isEmpty {
            let some = Array(left.prefix(asked))
            let found = try await names(of: some, limit: limit + 1, on: connection)
            left.removeFirst(some.count)
            for device in some {
                let names = found[device.key, default: []]
                if names.count <= min(limit, rowsLeft) {
                    touched += names
                    rowsLeft -= names.count
                } else if limit < ofDevice, rowsLeft > 0 {
                    left.append(device)
                } else {
                    walked.append(device)
                }
            }
            if limit == ofDevice, rowsLeft <= Self.few { break }
            (asked, limit) = (Self.devicesAtATime, ofDevice)
        }
        walked += left
        if !walked.isEmpty {
            try await connection.query(
                "SELECT walk_devices($1, $2, $3, $4)",
                [Self.app, Self.id, Self.isErased].map { $0.parameter(walked, symbols) } + [.int8(range.after)]
            )
        }
        return touched.map { touch($0) }
    }

    private static let few = 10
    private static let devicesAtATime = 20

    private func schedules(of device: DeviceBatch) -> [NotificationBatch] {
        device.notifications.values.filter { $0.isSchedule && $0.batchFacts != nil }
    }

    /// The notifications that the events of devices affect, at most `limit` for each reason.
    private func names(
        of devices: [DeviceBatch],
        limit: Int,
        on connection: isolated Connection
    ) async throws -> [DeviceKey: [NotificationName]] {
        let limit = Parameter.int4(Int32(limit))
        let changed = devices.filter { $0.changed != nil && !$0.isErased }
        let erased = devices.filter(\.isErased)
        let schedules = devices.flatMap { self.schedules(of: $0) }
        var rows: [Row] = []
        if !changed.isEmpty {
            rows += try await connection.query(
                "SELECT * FROM notifications_within($1, $2, $3, $4, $5)",
                [Self.app, Self.id, Self.changedFrom, Self.changedTo].map { $0.parameter(changed, symbols) } + [
                    limit
                ]
            )
        }
        if !erased.isEmpty {
            rows += try await connection.query(
                "SELECT * FROM notifications_of($1, $2, $3)",
                [Self.app, Self.id].map { $0.parameter(erased, symbols) } + [limit]
            )
        }
        if !schedules.isEmpty {
            rows += try await connection.query(
                "SELECT * FROM notification_firings($1, $2, $3, $4)",
                FoldTable<NotificationBatch>.notificationKey.prefix(3).map { $0.parameter(schedules, symbols) } + [
                    limit
                ]
            )
        }
        return Dictionary(grouping: rows.map { NotificationName($0, &symbols) }, by: \.device)
    }

    private static let changedFrom = FoldColumn<DeviceBatch>.occurrence("from_at") { $0.changed?.lowerBound ?? .max }
    private static let changedTo = FoldColumn<DeviceBatch>.occurrence("to_at") { $0.changed?.upperBound ?? .min }
    private static let isErased = FoldColumn<DeviceBatch>.bool("is_erased") { $0.isErased }

    func touch(_ name: NotificationName) -> NotificationBatch {
        device(name.device).notification(name.notification)
    }
}

/// A notification by the names that a function returns.
struct NotificationName {
    let device: DeviceKey
    let notification: NotificationKey

    init(_ row: Row, _ symbols: inout Symbols) {
        var fields = FoldFields(row)
        self.init(&fields, &symbols)
    }

    init(_ fields: inout FoldFields, _ symbols: inout Symbols) {
        let app = fields.int4()
        device = DeviceKey(app: app, id: fields.symbol(in: &symbols.names))
        let id = fields.symbol(in: &symbols.names)
        notification = NotificationKey(id: id, occurrence: fields.integer() ?? .noOccurrence)
    }
}
