internal import Folds
internal import Postgres

/// Events become what they say of devices, notifications and categories.
extension NotificationFold {
    private static let events =
        "SELECT app_id, kind, device_id, notification_id, occurrence, id, effective_at, occurred_at, received_at, data"

    func read(on connection: isolated Connection) async throws {
        let rows = try await connection.query(
            Self.events + " FROM projection.batch($1, $2)",
            [.int8(after), .int8(upTo)]
        )
        for row in rows { try take(row) }
        guard devices.values.contains(where: \.isErased) else { return }
        // The ids of devices break ties between registrations: those of the erased ones are considered again.
        let registrations = try await connection.query(
            Self.events + " FROM log.erased_registrations($1, $2)",
            [.int8(after), .int8(upTo)]
        )
        for row in registrations { try take(row, registrationAlone: true) }
    }

    private func take(_ row: Row, registrationAlone: Bool = false) throws {
        var fields = FoldFields(row)
        let app = fields.int4()
        let (kind, isErasure) = fields.withBytes { bytes in
            let bytes = bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)
            return (Event.Kind(bytes), bytes.elementsEqual("erasure".utf8))
        }
        let deviceID = fields.symbol(in: &vocabulary.names)
        let notificationID = fields.symbol(in: &vocabulary.names)
        let occurrence: Moment? = fields.integer()
        let id = fields.uuid()
        let (at, occurredAt, receivedAt) = (fields.moment(), fields.moment(), fields.moment())
        let event = try fields.withJSON { data in
            try Event(
                kind: kind,
                id: id,
                at: at,
                occurredAt: occurredAt,
                receivedAt: receivedAt,
                occurrence: occurrence,
                data: data ?? UnsafeRawBufferPointer(start: nil, count: 0),
                vocabulary: &vocabulary
            )
        }
        if event.categories != .none { register(event.categories, app, deviceID, event) }
        guard deviceID != .empty, !registrationAlone else { return }
        let device = device(DeviceKey(app: app, id: deviceID))
        if isErasure { device.isErased = true }
        if event.context != .none { device.contexts.append(Snapshot(at: at, id: id, value: event.context)) }
        if event.settings != .none { device.settings.append(Snapshot(at: at, id: id, value: event.settings)) }
        if event.flags.contains(.serviceExtension) { device.extends = true }
        guard notificationID != .none, kind.stage != nil else { return }
        let isSchedule = kind == .request && event.repeats
        let key = NotificationKey(id: notificationID, occurrence: isSchedule ? .schedule : event.occurrence)
        try device.notification(key).take(event)
        try repeated.add(event, app: app)
    }

    private func register(_ list: Symbol, _ app: Int32, _ device: Symbol, _ event: Event) {
        let version = vocabulary.context(event.context).appVersion.orEmpty
        let key = Categories.List(bytes: list, version: version)
        let said = Categories.Said(at: event.at, device: device, id: event.id)
        lists[app, default: [:]][key, default: said].merge(said, vocabulary)
    }
}
