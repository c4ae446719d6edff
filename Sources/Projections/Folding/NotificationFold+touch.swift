internal import Folds
internal import Postgres

/// Notifications without an event in the batch that it changes all the same.
extension NotificationFold {
    /// Brings in those of a device that is known otherwise at some times, the firings of a schedule, a slice of those of
    /// devices and of categories that changed. Where an event bears on more of a device than a bound, slices follow it.
    func touch(on connection: isolated Connection) async throws {
        var touched = try await touchChanged(on: connection)
        let changed = touched.count
        if sliceRows != 0 {
            for row in try await connection.query("SELECT * FROM device_slice($1)", [.int4(sliceRows)]) {
                var fields = FoldFields(row)
                let notification = touch(NotificationName(&fields, &vocabulary))
                notification.isOfErased = fields.bool()
                touched.append(notification)
            }
            // A slice of one notification is of one sort.
            if sliceRows != 1 || touched.count == changed {
                for row in try await connection.query("SELECT * FROM notification_slice($1)", [.int4(sliceRows)]) {
                    touched.append(touch(NotificationName(row, &vocabulary)))
                }
            }
        }
        try await loadNotifications(touched, on: connection)
        try await widenRanges(Array(Set(touched.map(\.device.key)).compactMap { devices[$0] }), on: connection)
    }

    private func touchChanged(on connection: isolated Connection) async throws -> [NotificationBatch] {
        let changed = devices.values.filter { $0.changed != nil && !$0.isErased }
        let erased = devices.values.filter(\.isErased)
        let schedules = devices.values.flatMap { $0.notifications.values.filter { $0.isSchedule && $0.said != nil } }
        if changed.isEmpty, erased.isEmpty, schedules.isEmpty { return [] }
        let bound: Int32 = try await connection.query("SELECT device_rows()").only().get(0)

        var found: [DeviceKey: [NotificationName]] = [:]
        func take(_ rows: Rows) {
            for row in rows {
                let name = NotificationName(row, &vocabulary)
                found[name.device, default: []].append(name)
            }
        }
        if !changed.isEmpty {
            take(
                try await connection.query(
                    "SELECT * FROM notifications_within($1, $2, $3, $4, $5)",
                    [Self.app, Self.id, Self.changedFrom, Self.changedTo].map { $0.parameter(changed, vocabulary) }
                        + [.int4(bound + 1)]
                )
            )
        }
        if !erased.isEmpty {
            take(
                try await connection.query(
                    "SELECT * FROM notifications_of($1, $2, $3)",
                    [Self.app, Self.id].map { $0.parameter(erased, vocabulary) } + [.int4(bound + 1)]
                )
            )
        }
        if !schedules.isEmpty {
            take(
                try await connection.query(
                    "SELECT * FROM notification_firings($1, $2, $3, $4)",
                    FoldTable<NotificationBatch>.notificationKey.prefix(3).map { $0.parameter(schedules, vocabulary) }
                        + [.int4(bound + 1)]
                )
            )
        }
        let many = found.filter { $0.value.count > Int(bound) }.keys.compactMap { devices[$0] }
        if !many.isEmpty {
            try await connection.query(
                "SELECT walk_devices($1, $2, $3, $4)",
                [Self.app, Self.id, Self.isErased].map { $0.parameter(many, vocabulary) } + [.int8(range.after)]
            )
        }
        return found.values.filter { $0.count <= Int(bound) }.joined().map { touch($0) }
    }

    private static let changedFrom = FoldColumn<DeviceBatch>.occurrence("from_at") { $0.changed?.lowerBound ?? .max }
    private static let changedTo = FoldColumn<DeviceBatch>.occurrence("to_at") { $0.changed?.upperBound ?? .min }
    private static let isErased = FoldColumn<DeviceBatch>.bool("is_erased") { $0.isErased }

    func touch(_ name: NotificationName) -> NotificationBatch {
        device(name.device).notification(name.notification)
    }
}

/// A notification as a function names it.
struct NotificationName {
    let device: DeviceKey
    let notification: NotificationKey

    init(_ row: Row, _ vocabulary: inout Vocabulary) {
        var fields = FoldFields(row)
        self.init(&fields, &vocabulary)
    }

    init(_ fields: inout FoldFields, _ vocabulary: inout Vocabulary) {
        let app = fields.int4()
        device = DeviceKey(app: app, id: fields.symbol(in: &vocabulary.names))
        let id = fields.symbol(in: &vocabulary.names)
        notification = NotificationKey(id: id, occurrence: fields.integer() ?? .noOccurrence)
    }
}
