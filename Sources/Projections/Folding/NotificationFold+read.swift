internal import Folds
internal import Postgres

/// Events become what they say of devices, notifications and categories.
extension NotificationFold {
    func read(on connection: isolated Connection) async throws {
        for row in try await range.rows(from: "projection.batch", on: connection) {
            try take(FoldEvent(row, &vocabulary))
        }
        guard devices.values.contains(where: \.isErased) else { return }
        // The ids of devices break ties between registrations: those of the erased ones are considered again.
        for row in try await range.rows(from: "log.erased_registrations", on: connection) {
            try take(FoldEvent(row, &vocabulary), registrationAlone: true)
        }
    }

    private func take(_ row: FoldEvent, registrationAlone: Bool = false) throws {
        let (app, kind) = (row.app, row.kind)
        let event = try row.withData { data in
            try Event(
                kind: kind,
                id: row.id,
                at: row.at,
                occurredAt: row.occurredAt,
                receivedAt: row.receivedAt,
                occurrence: row.occurrence,
                data: data,
                vocabulary: &vocabulary
            )
        }
        if event.categories != .none { register(event.categories, app, row.device, event) }
        guard row.device != .empty, !registrationAlone else { return }
        let device = device(DeviceKey(app: app, id: row.device))
        if kind == .erasure { device.isErased = true }
        if event.context != .none { device.contexts.append(Snapshot(at: row.at, id: row.id, value: event.context)) }
        if event.settings != .none { device.settings.append(Snapshot(at: row.at, id: row.id, value: event.settings)) }
        if event.flags.contains(.serviceExtension) { device.extends = true }
        guard row.notification != .none, kind.stage != nil else { return }
        let isSchedule = kind == .request && event.repeats
        let key = NotificationKey(id: row.notification, occurrence: isSchedule ? .schedule : event.occurrence)
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
