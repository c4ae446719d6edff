internal import Folds
internal import Postgres

/// Counts what a batch changes in the rollups of `cohort_event`, before it changes the rows that they count.
extension NotificationFold {
    func countEvents(
        _ changed: [NotificationBatch],
        _ latencyBounds: [Int64],
        on connection: isolated Connection
    ) async throws -> EventRollup {
        var rollup = EventRollup(latencyBounds: latencyBounds)
        let all = devices.values.flatMap { $0.notifications.values }
        let known = changed.filter { $0.before != nil }
        // A version of an earlier release may lack a table with its function, or a column of its key. Tables that exist are
        // counted, because reports read them.
        if FoldTables.extensionCount.present != nil {
            try await countRuns(all, known.filter(\.changesRuns), &rollup, on: connection)
        }
        if FoldTables.actionCount.present != nil {
            try await countPresses(
                all,
                known.filter { !$0.changedPresses.isEmpty },
                &rollup,
                on: connection
            )
        }
        if FoldTables.removalCount.present != nil {
            try await countRemovals(
                all.filter { !$0.removals.isEmpty || $0.before != nil && $0.changesRemovals },
                &rollup,
                on: connection
            )
        }
        return rollup
    }

    /// - Parameter moved: the notifications whose runs are counted differently now.
    private func countRuns(
        _ all: [NotificationBatch],
        _ moved: [NotificationBatch],
        _ rollup: inout EventRollup,
        on connection: isolated Connection
    ) async throws {
        for row in try await rows("cohort_runs_known", of: moved, on: connection) {
            var fields = FoldFields(row)
            let notification = moved[Int(fields.int4()) - 1]
            var run = Event.ExtensionRun()
            run.outcome = fields.symbol(in: &symbols.names)
            run.durationMilliseconds = fields.integer()
            run.attachmentsLoaded = fields.integer()
            run.attachmentsFailed = fields.integer()
            let app = notification.device.key.app
            try rollup.add(run, of: notification.before, app: app, sign: -1)
            try rollup.add(run, of: notification.after, app: app, sign: 1)
        }
        for notification in all {
            for run in notification.extensionRuns {
                try rollup.add(run.run, of: notification.after, app: notification.device.key.app, sign: 1)
            }
        }
    }

    /// - Parameter moved: the notifications whose actions are counted differently now.
    private func countPresses(
        _ all: [NotificationBatch],
        _ moved: [NotificationBatch],
        _ rollup: inout EventRollup,
        on connection: isolated Connection
    ) async throws {
        func add(
            _ press: FoldTables.Press,
            _ counted: Counted?,
            _ notification: NotificationBatch,
            _ sign: Int64
        ) throws {
            try rollup.add(
                action: press.action,
                isDismissal: press.isDismissal,
                firstAt: press.firstAt,
                presses: press.presses,
                of: counted,
                app: notification.device.key.app,
                sign: sign
            )
        }
        // By notification, which stored rows are replaced: `true` for the dismissal.
        let replaced = moved.map { notification in
            Dictionary(grouping: notification.presses(dismiss: symbols.dismiss), by: \.isDismissal)
                .mapValues { Set($0.map(\.action)) }
        }
        for row in try await rows("cohort_presses_known", of: moved, on: connection) {
            var fields = FoldFields(row)
            let ordinal = Int(fields.int4()) - 1
            let notification = moved[ordinal]
            let press: FoldTables.Press = (
                fields.symbol(in: &symbols.names), fields.bool(), fields.moment(), fields.int4()
            )
            try add(press, notification.before, notification, -1)
            let isReplaced = replaced[ordinal][press.isDismissal]?.contains(press.action) == true
            if !isReplaced { try add(press, notification.after, notification, 1) }
        }
        let isMoved = Set(moved.map(ObjectIdentifier.init))
        for notification in all {
            for press in notification.presses(dismiss: symbols.dismiss) {
                try add(press, notification.after, notification, 1)
            }
            if isMoved.contains(ObjectIdentifier(notification)) { continue }
            for press in notification.pressesBefore(dismiss: symbols.dismiss) {
                try add(press, notification.before, notification, -1)
            }
        }
    }

    private func countRemovals(
        _ concerned: [NotificationBatch],
        _ rollup: inout EventRollup,
        on connection: isolated Connection
    ) async throws {
        var known: [ObjectIdentifier: [Symbol: EventRollup.RemovalTimes]] = [:]
        let stored = concerned.filter { $0.before != nil }
        for row in try await rows("cohort_removals_known", of: stored, on: connection) {
            var fields = FoldFields(row)
            let notification = stored[Int(fields.int4()) - 1]
            let reason = fields.symbol(in: &symbols.names)
            var times = EventRollup.RemovalTimes()
            (times.pendingAt, times.deliveredAt, times.unstatedAt) = (
                fields.moment(), fields.moment(), fields.moment()
            )
            known[ObjectIdentifier(notification), default: [:]][reason] = times
        }
        for notification in concerned {
            let app = notification.device.key.app
            let before = known[ObjectIdentifier(notification)] ?? [:]
            var after = before
            for (reason, times) in notification.removals {
                var merged = before[reason] ?? EventRollup.RemovalTimes()
                merged.merge(times)
                after[reason] = merged
            }
            for (reason, times) in before {
                try rollup.add(reason: reason, times, of: notification.before, app: app, sign: -1)
            }
            for (reason, times) in after {
                try rollup.add(reason: reason, times, of: notification.after, app: app, sign: 1)
            }
        }
    }

    /// The rows that a function returns for notifications.
    private func rows(
        _ function: String,
        of notifications: [NotificationBatch],
        on connection: isolated Connection
    ) async throws -> [Row] {
        if notifications.isEmpty { return [] }
        let rows = try await connection.query(
            "SELECT * FROM \(function)($1, $2, $3, $4)",
            FoldTable<NotificationBatch>.notificationKey.map { $0.parameter(notifications, symbols) }
        )
        return Array(rows)
    }

    func write(_ events: EventRollup, on connection: isolated Connection) async throws {
        try await FoldTables.extensionCount.lane(range.lane).add(events.runs.rows, symbols, on: connection)
        try await FoldTables.extensionDuration.lane(range.lane).add(events.durations.rows, symbols, on: connection)
        try await FoldTables.actionCount.lane(range.lane).add(events.presses.rows, symbols, on: connection)
        try await FoldTables.actionLatency.lane(range.lane).add(events.pressLatencies.rows, symbols, on: connection)
        try await FoldTables.removalCount.lane(range.lane).add(events.removals.rows, symbols, on: connection)
    }
}

extension NotificationBatch {
    /// The presses that the batch changed, as they were.
    fileprivate func pressesBefore(dismiss: Symbol) -> [FoldTables.Press] {
        var result: [FoldTables.Press] = actionChanges.compactMap { change in
            change.before.map { ($0.action, false, $0.firstAt, $0.presses) }
        }
        if let before, before.facts.dismissedAt != .none,
            before.facts.dismissedAt != after?.facts.dismissedAt
        {
            result.append((dismiss, true, before.facts.dismissedAt, 1))
        }
        return result
    }
}
