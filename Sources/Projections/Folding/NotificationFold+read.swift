internal import Folds
internal import Postgres

#if DEBUG
    internal import Foundation
#endif

/// Reads events into devices, notifications and categories.
extension NotificationFold {
    func read(on connection: isolated Connection) async throws {
        try await range.readLane(on: connection) { row in
            let event = FoldEvent(row, &symbols)
            if event.kind == .erasure { hasErasure = true }
            try take(event, registrationAlone: !event.isOwn)
        }
        for row in try await range.rows(from: "projection.copies_for_lanes", on: connection) {
            let event = FoldEvent(row, &symbols)
            if event.kind == .erasure { hasErasure = true }
            try take(event, registrationAlone: true)
        }
        guard hasErasure else { return }
        // Device ids break ties between registrations, so those of erased devices are merged again.
        for row in try await range.rows(from: "log.erased_registrations", on: connection) {
            try take(FoldEvent(row, &symbols), registrationAlone: true)
        }
    }

    private func take(_ row: FoldEvent, registrationAlone: Bool = false) throws {
        #if DEBUG
            precondition(row.position != Self.trap, "a trap, as NOTILOG_TEST_TRAP asks for")
        #endif
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
                dimensions: ownDimensions[app] ?? [],
                position: row.position,
                symbols: &symbols
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

    /// Loads the keys of `attributes` that apps named as dimensions, if the batch has events that are counted by them. A
    /// version of an earlier release has no columns for the values.
    func loadOwnDimensions(on connection: isolated Connection) async throws {
        guard FoldVersion.has("notification", "attributes") else { return }
        let rows = try await connection.query(
            "SELECT * FROM projection.own_dimensions($1, $2)",
            [.int8(range.after), .int8(range.upTo)]
        )
        for row in rows {
            var fields = FoldFields(row)
            let app = fields.int4()
            let key = fields.symbol(in: &symbols.names)
            let (after, upTo) = (fields.integer(Int64.self) ?? 0, fields.integer(Int64.self) ?? .max)
            ownDimensions[app, default: []].append(OwnDimension(key: key, after: after, upTo: upTo))
        }
    }

    #if DEBUG
        /// The position of an event that ends the process, for the tests of what that does.
        private static let trap = ProcessInfo.processInfo.environment["NOTILOG_TEST_TRAP"].flatMap(Int64.init)
    #endif

    private func register(_ list: Symbol, _ app: Int32, _ device: Symbol, _ event: Event) {
        let version = symbols.context(event.context).appVersion.orEmpty
        let key = Categories.List(bytes: list, version: version)
        let origin = Categories.Origin(at: event.at, device: device, id: event.id)
        lists[app, default: [:]][key, default: origin].merge(origin, symbols)
    }
}
