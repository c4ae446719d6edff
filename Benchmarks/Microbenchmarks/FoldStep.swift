import Folds
import NotificationEvents

/// What folds make of a batch of events, without the database: what each says, the periods of their devices, the facts and row of
/// each notification, and what it adds to the rollups.
struct FoldStep {
    private var symbols = Symbols()
    private var devices: [Symbol: Snapshots] = [:]
    private var notifications: [Key: NotificationState] = [:]

    private struct Key: Hashable {
        var device: Symbol
        var notification: Symbol
        var occurrence: Moment
    }

    /// What a device said of itself.
    private struct Snapshots {
        var contexts: [Snapshot] = []
        var settings: [Snapshot] = []

        var periods: DevicePeriods {
            var periods = DevicePeriods()
            periods.context = periods.context.merged(with: contexts)
            periods.settings = periods.settings.merged(with: settings)
            return periods
        }
    }

    private struct NotificationState {
        var facts = NotificationFacts()
        var actions: [Symbol: NotificationAction] = [:]
    }

    /// Folds events in their order, and gives how many notifications they are about.
    static func fold(_ events: [NormalisedEvent]) throws -> Int {
        var step = FoldStep()
        for event in events { try step.take(event) }
        return try step.derive()
    }

    private mutating func take(_ event: NormalisedEvent) throws {
        let kind = Array(event.kind.name.utf8).withUnsafeBytes { Folds.Event.Kind($0) }
        let id = UUIDValue(high: event.id.high, low: event.id.low)
        let folded = try event.data.withUnsafeBytes { data in
            try Folds.Event(
                kind: kind,
                id: id,
                at: event.effectiveAt.moment,
                occurredAt: event.occurredAt.moment,
                receivedAt: event.receivedAt.moment,
                occurrence: event.occurrence?.moment,
                data: data,
                symbols: &symbols
            )
        }
        let device = symbols.names.symbol(of: event.deviceID)
        if folded.context != .none {
            devices[device, default: Snapshots()].contexts.append(Snapshot(at: folded.at, id: id, value: folded.context))
        }
        if folded.settings != .none {
            devices[device, default: Snapshots()].settings.append(Snapshot(at: folded.at, id: id, value: folded.settings))
        }
        guard let name = event.notificationID, kind.stage != nil else { return }
        let key = Key(device: device, notification: symbols.names.symbol(of: name), occurrence: folded.occurrence)
        var known = notifications[key] ?? NotificationState()
        try known.facts.merge(folded)
        if kind == .response {
            var action = NotificationAction(folded)
            if let before = known.actions[action.action] { try action.merge(before) }
            known.actions[action.action] = action
        }
        notifications[key] = known
    }

    private func derive() throws -> Int {
        let bounds = (0..<200).map { Int64(100_000 * $0 * $0) }
        var engagement = EngagementRollup(latencyBounds: bounds)
        var cohort = CohortRollup(symbols)
        var outcomes = OutcomeRollup(bounds: bounds)
        var presence = Presence()
        let categories = Categories()
        let devices = devices.mapValues(\.periods)
        for (key, state) in notifications {
            var facts = state.facts
            for action in state.actions.values { try facts.merge(try ActionChange(action, known: nil)) }
            let row = NotificationRow(
                facts,
                isSchedule: false,
                of: devices[key.device] ?? DevicePeriods(),
                categories: categories,
                symbols: symbols
            )
            guard row.cohortAt != .none else { continue }
            let counted = Counted(facts: facts, row: row)
            try engagement.add(counted, app: 1, sign: 1)
            try cohort.add(counted, app: 1, device: key.device, sign: 1)
            try outcomes.add(counted, app: 1, sign: 1)
            try presence.add(counted, app: 1, device: key.device, sign: 1)
        }
        return engagement.counts.rows.isEmpty ? 0 : notifications.count
    }
}

extension Timestamp {
    /// As PostgreSQL counts it: since 2000.
    fileprivate var moment: Moment { microseconds - 946_684_800_000_000 }
}
