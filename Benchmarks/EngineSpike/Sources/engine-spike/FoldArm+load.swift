import Folds

/// What the arm reads of the tables: by index, for what it does not hold.
extension FoldArm {
    private static let notification = """
        n.occurrence, n.cohort_at, n.shown_at, n.requested_at, n.scheduled_for, n.delivered_at, n.delivery_at, n.presentation_at, \
        n.responded_at, n.dismissed_at, n.withdrawn_at, n.stages, n.said, n.requests, n.duplicate_callbacks, n.action_id, n.category, \
        n.requested_category, n.trigger, n.interruption_level, n.campaign, n.variant, n.thread, n.platform, n.os_version, \
        n.app_version, n.locale, n.time_zone, n.facts, n.notification_id
        """

    /// Periods, extensions and schedules of the batch's devices that are not held.
    func loadDevices(_ batch: inout Batch) throws {
        var ordinals: [Int] = []
        for (index, entry) in batch.devices.enumerated() where entry.isNew {
            if isWholeHeld { entry.device.isComplete = true } else { ordinals.append(index) }
        }
        guard !ordinals.isEmpty else { return }
        var apps = Column(.int4)
        var ids = Column(.text)
        for ordinal in ordinals {
            apps.append(batch.devices[ordinal].device.key.app)
            ids.append(batch.devices[ordinal].device.key.id)
        }
        let keys = [apps.parameter(), ids.parameter()]
        let periods = try session.query(
            """
            SELECT k.ordinal, p.series, p.first_at, p.first_id, p.last_at, p.last_id, p.value
            FROM (SELECT unnest($1) AS app_id, unnest($2) AS device_id, generate_series(1, cardinality($1)) AS ordinal) k
            CROSS JOIN LATERAL (SELECT * FROM \(schema).device_period p WHERE (p.app_id, p.device_id) = (k.app_id, k.device_id)
              ORDER BY p.app_id, p.device_id, p.series, p.first_at, p.first_id OFFSET 0) p
            """,
            keys
        )
        var contexts: [Int: [Periods.Period]] = [:]
        var settings: [Int: [Periods.Period]] = [:]
        for row in 0..<periods.count {
            let ordinal = ordinals[Int(periods.integer(row, 0) as Int32? ?? 1) - 1]
            guard let value = periods.bytes(row, 6) else { continue }
            let period = Periods.Period(
                firstAt: periods.moment(row, 2),
                firstID: periods.eventID(row, 3),
                lastAt: periods.moment(row, 4),
                lastID: periods.eventID(row, 5),
                value: vocabulary.stored(UnsafeRawBufferPointer(rebasing: value.dropFirst()))
            )
            if periods.bytes(row, 1)?.first == UInt8(ascii: "c") {
                contexts[ordinal, default: []].append(period)
            } else {
                settings[ordinal, default: []].append(period)
            }
        }
        for (ordinal, list) in contexts { batch.devices[ordinal].device.periods.context = Periods(list) }
        for (ordinal, list) in settings { batch.devices[ordinal].device.periods.settings = Periods(list) }
        let extensions = try session.query(
            """
            SELECT k.ordinal
            FROM (SELECT unnest($1) AS app_id, unnest($2) AS device_id, generate_series(1, cardinality($1)) AS ordinal) k
            CROSS JOIN LATERAL (SELECT FROM \(schema).device_extension e WHERE (e.app_id, e.device_id) = (k.app_id, k.device_id) OFFSET 0) e
            """,
            keys
        )
        for row in 0..<extensions.count {
            batch.devices[ordinals[Int(extensions.integer(row, 0) as Int32? ?? 1) - 1]].device.periods.extends = true
        }
        let schedules = try session.query(
            """
            SELECT k.ordinal, \(Self.notification)
            FROM (SELECT unnest($1) AS app_id, unnest($2) AS device_id, generate_series(1, cardinality($1)) AS ordinal) k
            CROSS JOIN LATERAL (SELECT * FROM \(schema).notification n WHERE (n.app_id, n.device_id) = (k.app_id, k.device_id)
              AND n.occurrence = 'infinity' OFFSET 0) n
            """,
            keys
        )
        for row in 0..<schedules.count {
            try hold(
                schedules,
                row,
                of: batch.devices[ordinals[Int(schedules.integer(row, 0) as Int32? ?? 1) - 1]].device
            )
        }
        loadedRows += periods.count + schedules.count
        loadedPeriods += periods.count
    }

    /// The rows of the batch's notifications that are not held, of those that its devices' changes touch, and of a slice.
    func loadNotifications(_ batch: inout Batch) throws {
        try loadSlice(&batch)
        var apps = Column(.int4)
        var devices = Column(.text)
        var notifications = Column(.text)
        var occurrences = Column(.timestamp)
        var owners: [HeldDevice] = []
        for entry in batch.devices where !entry.device.isComplete {
            for keys in [Array(entry.said.keys), Array(entry.touched)] {
                for key in keys where entry.device.notifications[key] == nil {
                    apps.append(entry.device.key.app)
                    devices.append(entry.device.key.id)
                    notifications.append(key.id)
                    occurrences.append(key.occurrence)
                    owners.append(entry.device)
                }
            }
        }
        if !owners.isEmpty {
            let rows = try session.query(
                """
                SELECT k.ordinal, \(Self.notification)
                FROM (SELECT unnest($1) AS app_id, unnest($2) AS device_id, unnest($3) AS notification_id, unnest($4) AS occurrence,
                  generate_series(1, cardinality($1)) AS ordinal) k
                CROSS JOIN LATERAL (SELECT * FROM \(schema).notification n WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence)
                  = (k.app_id, k.device_id, k.notification_id, k.occurrence) OFFSET 0) n
                """,
                [apps.parameter(), devices.parameter(), notifications.parameter(), occurrences.parameter()]
            )
            for row in 0..<rows.count { try hold(rows, row, of: owners[Int(rows.integer(row, 0) as Int32? ?? 1) - 1]) }
            loadedRows += rows.count
        }
        try loadTouched(batch)
    }

    /// Notifications of devices that changed in a time, and firings of schedules that changed.
    private func loadTouched(_ batch: Batch) throws {
        var apps = Column(.int4)
        var devices = Column(.text)
        var from = Column(.timestamp)
        var schedules = Column(.text)
        var owners: [HeldDevice] = []
        for entry in batch.devices where !entry.device.isComplete {
            if entry.changedFrom != .none {
                apps.append(entry.device.key.app)
                devices.append(entry.device.key.id)
                from.append(entry.changedFrom)
                schedules.appendNull()
                owners.append(entry.device)
            }
            for key in entry.said.keys where key.occurrence == .schedule {
                apps.append(entry.device.key.app)
                devices.append(entry.device.key.id)
                from.appendNull()
                schedules.append(key.id)
                owners.append(entry.device)
            }
        }
        if owners.isEmpty { return }
        let rows = try session.query(
            """
            SELECT k.ordinal, \(Self.notification)
            FROM (SELECT unnest($1) AS app_id, unnest($2) AS device_id, unnest($3) AS from_at, unnest($4) AS schedule,
              generate_series(1, cardinality($1)) AS ordinal) k
            CROSS JOIN LATERAL (SELECT * FROM \(schema).notification n WHERE (n.app_id, n.device_id) = (k.app_id, k.device_id)
              AND (n.cohort_at >= k.from_at OR n.notification_id = k.schedule) AND n.occurrence <> 'infinity' OFFSET 0) n
            """,
            [apps.parameter(), devices.parameter(), from.parameter(), schedules.parameter()]
        )
        for row in 0..<rows.count { try hold(rows, row, of: owners[Int(rows.integer(row, 0) as Int32? ?? 1) - 1]) }
        loadedRows += rows.count
    }

    /// The next slice of the walk: at most 10,000 notifications, of which those of changed categories are derived anew.
    private func loadSlice(_ batch: inout Batch) throws {
        if walk == nil, !changedCategories.isEmpty {
            walk = Walk(categories: changedCategories)
            changedCategories = []
        }
        guard let walk else { return }
        var apps = Column(.int4)
        var devices = Column(.text)
        var notifications = Column(.text)
        var occurrences = Column(.timestamp)
        apps.append(walk.app)
        devices.append(walk.device)
        notifications.append(walk.notification)
        occurrences.append(walk.occurrence)
        let slice = try session.query(
            """
            SELECT n.app_id, n.device_id, n.notification_id, n.occurrence, n.category
            FROM \(schema).notification n
            WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) > (($1::int4[])[1], ($2::text[])[1], ($3::text[])[1], ($4::timestamptz[])[1])
            ORDER BY n.app_id, n.device_id, n.notification_id, n.occurrence
            LIMIT 10000
            """,
            [apps.parameter(), devices.parameter(), notifications.parameter(), occurrences.parameter()]
        )
        for row in 0..<slice.count {
            let occurrence = slice.moment(row, 3)
            guard let category = slice.bytes(row, 4), walk.categories.contains(vocabulary.names.id(of: category)),
                occurrence != .schedule
            else { continue }
            let key = DeviceKey(app: slice.integer(row, 0) ?? 0, id: slice.text(row, 1))
            let index = entry(key, in: &batch)
            batch.devices[index].touched.insert(NotificationKey(id: slice.text(row, 2), occurrence: occurrence))
        }
        try loadDevicesOfSlice(&batch)
        if slice.count == 10000 {
            let last = slice.count - 1
            self.walk?.app = slice.integer(last, 0) ?? 0
            self.walk?.device = slice.text(last, 1)
            self.walk?.notification = slice.text(last, 2)
            self.walk?.occurrence = slice.moment(last, 3)
        } else {
            self.walk = nil
        }
    }

    /// The devices that a slice brought into the batch, as they are: nothing of them changed.
    private func loadDevicesOfSlice(_ batch: inout Batch) throws {
        var added = Batch()
        var places: [Int] = []
        for (index, entry) in batch.devices.enumerated()
        where entry.isNew && entry.said.isEmpty && entry.contexts.isEmpty && entry.settings.isEmpty
            && !entry.touched.isEmpty
        {
            added.devices.append(entry)
            places.append(index)
        }
        try loadDevices(&added)
        for (index, place) in places.enumerated() {
            batch.devices[place].before = added.devices[index].device.periods
        }
    }

    private func hold(_ rows: Session.Rows, _ row: Int, of device: HeldDevice) throws {
        let key = NotificationKey(id: rows.text(row, 30), occurrence: rows.moment(row, 1))
        if device.notifications[key] != nil { return }
        func name(_ column: Int) -> ByteTable.ID {
            rows.bytes(row, column).map { vocabulary.names.id(of: $0) } ?? ByteTable.none
        }
        var facts = NotificationFacts()
        var derived = NotificationRow()
        derived.cohortAt = rows.moment(row, 2)
        derived.shownAt = rows.moment(row, 3)
        facts.requestedAt = rows.moment(row, 4)
        facts.scheduledFor = rows.moment(row, 5)
        facts.deliveredAt = rows.moment(row, 6)
        facts.deliveryAt = rows.moment(row, 7)
        facts.presentationAt = rows.moment(row, 8)
        facts.respondedAt = rows.moment(row, 9)
        facts.dismissedAt = rows.moment(row, 10)
        facts.withdrawnAt = rows.moment(row, 11)
        derived.stages = NotificationRow.Stages(rawValue: rows.integer(row, 12) ?? 0)
        facts.flags = NotificationFacts.Flags(
            rawValue: UInt16(truncatingIfNeeded: rows.integer(row, 13) as Int32? ?? 0)
        )
        facts.requests = rows.integer(row, 14) ?? 0
        derived.duplicateCallbacks = rows.integer(row, 15) ?? 0
        facts.action.value = name(16)
        facts.category.value = name(17)
        facts.requestedCategory.value = name(18)
        facts.trigger.value = name(19)
        facts.interruptionLevel.value = name(20)
        facts.campaign.value = name(21)
        facts.variant.value = name(22)
        facts.thread.value = name(23)
        derived.context.platform = name(24)
        derived.context.osVersion = name(25)
        derived.context.appVersion = name(26)
        derived.context.locale = name(27)
        derived.context.timeZone = name(28)
        if let packed = rows.bytes(row, 29) { try facts.unpack(packed, &vocabulary) }
        device.notifications[key] = HeldNotification(facts: facts, row: derived)
    }

    /// Devices whose snapshots fell into periods of other values: their periods from all that was ever applied.
    func reread(_ torn: [Int], _ batch: inout Batch, upTo: Int64) throws {
        if torn.isEmpty { return }
        var apps = Column(.int4)
        var ids = Column(.text)
        for index in torn {
            apps.append(batch.devices[index].device.key.app)
            ids.append(batch.devices[index].device.key.id)
        }
        let rows = try session.query(
            """
            SELECT k.ordinal, e.kind, e.id, e.effective_at, e.data
            FROM (SELECT unnest($1) AS app_id, unnest($2) AS device_id, generate_series(1, cardinality($1)) AS ordinal) k
            JOIN projection.applied($3) e ON e.app_id = k.app_id AND e.device_id = k.device_id
            WHERE e.kind = 'settings' OR e.data ? 'context'
            ORDER BY k.ordinal, e.effective_at, e.id
            """,
            [apps.parameter(), ids.parameter(), .integer(upTo)]
        )
        for index in torn {
            batch.devices[index].device.periods.context = Periods()
            batch.devices[index].device.periods.settings = Periods()
        }
        for row in 0..<rows.count {
            guard let kind = rows.bytes(row, 1), let data = rows.bytes(row, 4) else { continue }
            let device = batch.devices[torn[Int(rows.integer(row, 0) as Int32? ?? 1) - 1]].device
            let (id, at) = (rows.eventID(row, 2), rows.moment(row, 3))
            let event = try Event(
                kind: Event.Kind(kind),
                id: id,
                at: at,
                occurredAt: at,
                receivedAt: at,
                occurrence: nil,
                data: UnsafeRawBufferPointer(rebasing: data.dropFirst()),
                vocabulary: &vocabulary
            )
            if event.context != ByteTable.none { _ = device.periods.context.merge(at, id, event.context) }
            if event.settings != ByteTable.none { _ = device.periods.settings.merge(at, id, event.settings) }
        }
        loadedRows += rows.count
    }
}
