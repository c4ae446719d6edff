internal import Folds
internal import Postgres

/// Loads, merges and derives notifications.
extension NotificationFold {
    /// Loads the rows of notifications by their keys.
    func loadNotifications(_ notifications: [NotificationBatch], on connection: isolated Connection) async throws {
        let wanted = notifications.filter { !$0.isLoaded }
        guard !wanted.isEmpty else { return }
        let rows = try await connection.query(
            Self.select,
            FoldTable<NotificationBatch>.notificationKey.map { $0.parameter(wanted, symbols) }
        )
        for notification in wanted { notification.isLoaded = true }
        for row in rows {
            var fields = FoldFields(row)
            let notification = wanted[Int(fields.int4()) - 1]
            var stored = NotificationColumn.Stored()
            for column in NotificationColumn.all { try column.read(&stored, &fields, &symbols) }
            notification.before = Counted(facts: stored.facts, row: stored.row)
        }
    }

    /// Columns that the version lacks are read as NULL.
    private static var select: String {
        let columns = NotificationColumn.all.map(\.column.name).map {
            FoldVersion.has("notification", $0) ? "n.\($0)" : "NULL"
        }
        return
            "SELECT k.ordinal, \(columns.joined(separator: ", ")) FROM notification_keys($1, $2, $3, $4) k CROSS JOIN LATERAL (SELECT * FROM notification n "
            + "WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = (k.app_id, k.device_id, k.notification_id, k.occurrence) OFFSET 0) n"
    }

    func foldNotifications(on connection: isolated Connection) async throws {
        try await loadSchedules(on: connection)
        let all = devices.values.flatMap { Array($0.notifications.values) }
        try await foldActions(all, on: connection)
        for notification in all.filter(\.isSchedule) { try merge(notification) }
        for notification in all where !notification.isSchedule { try merge(notification) }
        try await loadCategories(of: all, on: connection)
        for notification in all { derive(notification) }
    }

    /// The schedules that notifications are firings of.
    private func loadSchedules(on connection: isolated Connection) async throws {
        var firings: [NotificationBatch] = []
        for device in devices.values {
            let ids = Set(device.notifications.keys.map(\.id))
            for id in ids where device.notifications[NotificationKey(id: id, occurrence: .schedule)] == nil {
                firings.append(NotificationBatch(device: device, key: NotificationKey(id: id, occurrence: .schedule)))
            }
        }
        guard !firings.isEmpty else { return }
        let rows = try await connection.query(
            "SELECT * FROM notification_schedules($1, $2, $3)",
            FoldTable<NotificationBatch>.notificationKey.prefix(3).map { $0.parameter(firings, symbols) }
        )
        try await loadNotifications(rows.map { touch(NotificationName($0, &symbols)) }, on: connection)
    }

    private func foldActions(_ all: [NotificationBatch], on connection: isolated Connection) async throws {
        let rowsOfBatch = all.flatMap { notification in
            notification.actions.values.map { DetailRow(notification: notification, detail: $0) }
        }
        guard !rowsOfBatch.isEmpty else { return }
        let rows = try await connection.query(
            "SELECT * FROM notification_actions_known($1, $2, $3, $4, $5)",
            FoldTables.action.keys.map { $0.parameter(rowsOfBatch, symbols) }
        )
        var known: [Int: NotificationAction] = [:]
        for row in rows {
            var fields = FoldFields(row)
            let ordinal = Int(fields.int4()) - 1
            known[ordinal] = NotificationAction(
                action: rowsOfBatch[ordinal].detail.action,
                firstAt: fields.moment(),
                inExtension: fields.int4(),
                callbacks: fields.int4(),
                hasText: fields.bool(),
                callbackReceivedAt: fields.moment()
            )
        }
        for (ordinal, row) in rowsOfBatch.enumerated() {
            let change = try ActionChange(row.detail, known: known[ordinal])
            row.notification.actionChanges.append(change)
            try repeated.add(change, app: row.notification.device.key.app)
        }
    }

    private func merge(_ notification: NotificationBatch) throws(FoldError) {
        var facts = notification.before?.facts ?? NotificationFacts()
        if let batchFacts = notification.batchFacts { try facts.merge(batchFacts) }
        for change in notification.actionChanges { try facts.merge(change) }
        let device = notification.device
        if !notification.isSchedule {
            let schedule = device.notifications[NotificationKey(id: notification.key.id, occurrence: .schedule)]
            if let schedule = schedule?.after ?? schedule?.before { facts.inherit(from: schedule.facts) }
            let old = notification.before?.facts.requestReceivedAt ?? .none
            if old != facts.requestReceivedAt {
                try repeated.moveFirst(from: old, to: facts.requestReceivedAt, app: device.key.app)
            }
        }
        notification.after = Counted(facts: facts, row: NotificationRow())
    }

    private func derive(_ notification: NotificationBatch) {
        guard let facts = notification.after?.facts else { return }
        let row = NotificationRow(
            facts,
            isSchedule: notification.isSchedule,
            of: notification.device.periods,
            categories: categories[notification.device.key.app] ?? Categories(),
            symbols: symbols
        )
        notification.after = Counted(facts: facts, row: row)
    }
}
