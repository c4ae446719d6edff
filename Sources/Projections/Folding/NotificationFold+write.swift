internal import Folds
internal import Postgres

/// Writes what changed, table by table and kind of change by kind.
extension NotificationFold {
    func write(on connection: isolated Connection) async throws {
        // In the order of their keys, in which indexes grow on fewer pages.
        let devices = devices.values.sorted { left, right in
            left.key.app != right.key.app
                ? left.key.app < right.key.app : symbols.names.isBefore(left.key.id, right.key.id)
        }
        let changed = devices.flatMap { $0.notifications.values.filter(\.hasChanged) }
        // Read first, because a read waits for everything that was sent before.
        let bounds = try await connection.query(
            "SELECT b, projection.outcome_bounds(b) FROM latency_bounds() b"
        ).only()
        let (latencyBounds, outcomeBounds): ([Int64], [Int64]) = (try bounds.get(0), try bounds.get(1))
        let events = try await countEvents(changed, latencyBounds, on: connection)
        try await keepSnapshots(on: connection)

        var rollups = NotificationRollups(latencyBounds, outcomeBounds, symbols)
        try await FoldTable.notification.write(
            changed,
            exists: { $0.before != nil },
            symbols,
            on: connection,
            meanwhile: { try rollups.count($0) }
        )
        try await writeDevices(on: connection)
        try await writeCategories(on: connection)
        try await FoldTables.liveActivityAccepted.insert(
            changed.filter(\.isNewlyAcceptedActivityPush),
            symbols,
            on: connection
        )
        try await writeDetails(changed, on: connection)
        try await write(events, on: connection)
        try await write(rollups, on: connection)
        try await writeSettingChanges(on: connection)
    }

    private func writeDevices(on connection: isolated Connection) async throws {
        var (removed, new, moved): ([PeriodRow], [PeriodRow], [PeriodRow]) = ([], [], [])
        var extended: [DeviceKey] = []
        for device in devices.values {
            if device.periods.extends, !device.known.extends { extended.append(device.key) }
            for (series, periods, known) in [
                ("context", device.periods.context, device.known.context),
                ("settings", device.periods.settings, device.known.settings),
            ] as [(StaticString, Periods, Periods)] where periods != known {
                let changes = periods.changes(from: known)
                removed += changes.removed.map { PeriodRow(device: device.key, series: series, period: $0) }
                new += changes.new.map { PeriodRow(device: device.key, series: series, period: $0) }
                moved += changes.moved.map { PeriodRow(device: device.key, series: series, period: $0) }
            }
        }
        try await FoldTables.period.delete(removed, symbols, on: connection)
        try await FoldTables.period.update(moved, symbols, on: connection)
        try await FoldTables.period.insert(new, symbols, on: connection)
        try await FoldTables.deviceExtension.insert(extended, symbols, on: connection)
    }

    private func writeCategories(on connection: isolated Connection) async throws {
        let rows = registered.flatMap { app, keys in
            keys.compactMap { key in
                categories[app]?.registrations[key].map { CategoryRow(app: app, key: key, registration: $0) }
            }
        }
        try await FoldTables.category(range.lane).upsert(rows, symbols, on: connection)
        let versions = categories.flatMap { app, categories in
            categories.changes.rows.map { (key: AppPart(app: app, part: $0.key), sums: $0.sums) }
        }
        try await FoldTables.categoryVersions.lane(range.lane).add(versions, symbols, on: connection)
    }

    private func writeDetails(_ changed: [NotificationBatch], on connection: isolated Connection) async throws {
        let all = devices.values.flatMap { $0.notifications.values }
        let actions = all.flatMap { notification in
            notification.actionChanges.map { DetailRow(notification: notification, detail: $0.after) }
        }
        try await FoldTables.action.upsert(actions, symbols, on: connection)

        // First the existing rows of notifications that changed, then those of the batch.
        let known = changed.filter { $0.before != nil }
        try await FoldTables.cohortRemovalChange.update(known.filter(\.changesRemovals), symbols, on: connection)
        try await FoldTables.cohortRemoval.upsert(
            all.flatMap { n in n.removals.map { DetailRow(notification: n, detail: (reason: $0.key, times: $0.value)) }
            },
            symbols,
            on: connection
        )
        try await FoldTables.cohortExtensionChange.update(known.filter(\.changesRuns), symbols, on: connection)
        try await FoldTables.cohortExtension.insert(
            all.flatMap { n in n.extensionRuns.map { DetailRow(notification: n, detail: $0) } },
            symbols,
            on: connection
        )
        try await FoldTables.cohortActionChange.update(known.flatMap(\.changedPresses), symbols, on: connection)
        try await FoldTables.cohortAction.upsert(
            all.flatMap { n in n.presses(dismiss: symbols.dismiss).map { DetailRow(notification: n, detail: $0) } },
            symbols,
            on: connection
        )
    }

    private func write(_ rollups: NotificationRollups, on connection: isolated Connection) async throws {
        let (engagement, cohort) = (rollups.engagement, rollups.cohort)
        try await FoldTables.engagement.lane(range.lane).add(engagement.counts.rows, symbols, on: connection)
        try await FoldTables.latency.lane(range.lane).add(engagement.latencies.rows, symbols, on: connection)
        try await FoldTables.zone.lane(range.lane).add(cohort.zones.rows, symbols, on: connection)
        try await FoldTables.stage.lane(range.lane).add(cohort.stages.rows, symbols, on: connection)
        try await FoldTables.outcome.lane(range.lane).add(rollups.outcomes.counts.rows, symbols, on: connection)
        try await FoldTables.reach.lane(range.lane).add(cohort.reaches.rows, symbols, on: connection)
        try await FoldTables.week.add(cohort.weeks.rows, symbols, on: connection)
        try await FoldTables.repeated.lane(range.lane).add(repeated.counts.rows, symbols, on: connection)
        try await write(rollups.presence, on: connection)
        try await write(rollups.variants, on: connection)
    }

    private func write(_ presence: Presence, on connection: isolated Connection) async throws {
        let days = presence.days
        guard !days.isEmpty else { return }
        let rows: [(day: Presence.Day, row: Presence.Row?)] = days.map { ($0, nil) }
        let found = try await connection.query(
            "SELECT * FROM presence_around($1, $2, $3, $4, $5)",
            FoldTables.presence.keys.map { $0.parameter(rows, symbols) }
        )
        var known: [Presence.Day: Presence.Known] = [:]
        for row in found {
            var fields = FoldFields(row)
            let day = days[Int(fields.int4()) - 1]
            let own: Int32? = fields.integer()
            let (previous, before, next) = (fields.moment(), fields.moment(), fields.moment())
            let (nextNotifications, nextPrevious) = (fields.int4(), fields.moment())
            known[day] = Presence.Known(
                row: own.map { Presence.Row(notifications: $0, previousDay: previous) },
                before: before == .none ? nil : before,
                next: next == .none
                    ? nil : (next, Presence.Row(notifications: nextNotifications, previousDay: nextPrevious))
            )
        }
        let difference = try presence.difference(known)
        try await FoldTables.presence.delete(difference.removed.map { ($0, nil) }, symbols, on: connection)
        try await FoldTables.presence.upsert(difference.written.map { ($0.day, $0.row) }, symbols, on: connection)
        try await FoldTables.presenceCount.lane(range.lane).add(difference.counts.rows, symbols, on: connection)
    }
}

/// The rollups of notifications: what a batch changes of each.
private struct NotificationRollups {
    var engagement: EngagementRollup
    var cohort: CohortRollup
    var outcomes: OutcomeRollup
    var presence = Presence()
    var variants = VariantRollup()

    init(_ latencyBounds: [Int64], _ outcomeBounds: [Int64], _ symbols: Symbols) {
        engagement = EngagementRollup(latencyBounds: latencyBounds)
        cohort = CohortRollup(symbols)
        outcomes = OutcomeRollup(bounds: outcomeBounds)
    }

    /// Counts a notification as it is, and no longer as it was.
    mutating func count(_ notification: NotificationBatch) throws(FoldError) {
        let (app, device) = (notification.device.key.app, notification.device.key.id)
        for (counted, sign) in [(notification.before, -1), (notification.after, 1)] as [(Counted?, Int64)] {
            guard let counted, counted.row.cohortAt != .none else { continue }
            try engagement.add(counted, app: app, sign: sign)
            try cohort.add(counted, app: app, device: device, sign: sign)
            try outcomes.add(counted, app: app, sign: sign)
            try presence.add(counted, app: app, device: device, sign: sign)
            try variants.add(counted, app: app, device: device, sign: sign)
        }
    }
}

extension NotificationBatch {
    /// Whether it turns out to be a push to a Live Activity that was accepted.
    fileprivate var isNewlyAcceptedActivityPush: Bool {
        let both: NotificationFacts.Flags = [.toActivity, .pushAccepted]
        return after?.facts.flags.isSuperset(of: both) == true && before?.facts.flags.isSuperset(of: both) != true
    }

    /// Whether the columns changed that its removals copy for reports.
    var changesRemovals: Bool {
        guard let before, let after else { return false }
        return before.row.cohortAt != after.row.cohortAt || before.row.shownAt != after.row.shownAt
            || before.facts.category.value != after.facts.category.value
            || !before.row.stages.symmetricDifference(after.row.stages)
                .isDisjoint(with: [.responded, .withdrawn, .responseOnly])
    }

    /// The same for its runs of service extensions.
    var changesRuns: Bool {
        guard let before, let after else { return false }
        return before.row.cohortAt != after.row.cohortAt
            || before.row.context.appVersion != after.row.context.appVersion
            || before.row.isReached != after.row.isReached || before.timedFrom != after.timedFrom
            || before.facts.respondedAt != after.facts.respondedAt
    }

    /// The same for its actions: rows of the actions (false) and of the dismissal (true).
    var changedPresses: [DetailRow<Bool>] {
        guard let before, let after else { return [] }
        let isChanged =
            before.row.cohortAt != after.row.cohortAt || before.row.shownAt != after.row.shownAt
            || before.facts.category.value != after.facts.category.value
            || before.row.context.appVersion != after.row.context.appVersion
            || before.row.isReached != after.row.isReached
            || !before.row.stages.symmetricDifference(after.row.stages).isDisjoint(with: [
                .dismissObservable, .responseOnly,
            ])
        guard isChanged else { return [] }
        var rows: [DetailRow<Bool>] = []
        if before.row.stages.contains(.responded) { rows.append(DetailRow(notification: self, detail: false)) }
        if before.row.stages.contains(.dismissed) { rows.append(DetailRow(notification: self, detail: true)) }
        return rows
    }

    /// The presses that the batch changed.
    func presses(dismiss: Symbol) -> [FoldTables.Press] {
        var result: [FoldTables.Press] = actionChanges.map {
            ($0.after.action, false, $0.after.firstAt, $0.after.presses)
        }
        if let after, after.facts.dismissedAt != .none, after.facts.dismissedAt != before?.facts.dismissedAt {
            result.append((dismiss, true, after.facts.dismissedAt, 1))
        }
        return result
    }
}
