internal import Folds

/// A notification of a device: `notification_id`, else the identifier of its request, and the occurrence.
struct NotificationKey: Hashable {
    var id: Symbol
    var occurrence: Moment
}

/// A notification in a batch: the facts of its events, its old row and its new row.
final class NotificationBatch {
    unowned let device: DeviceBatch
    let key: NotificationKey
    /// The facts of the batch's events; nil if it is only derived again.
    var batchFacts: NotificationFacts?
    var actions: [Symbol: NotificationAction] = [:]
    var actionChanges: [ActionChange] = []
    /// By reason.
    var removals: [Symbol: EventRollup.RemovalTimes] = [:]
    var extensionRuns: [(at: Moment, id: UUIDValue, run: Event.ExtensionRun)] = []
    var before: Counted?
    var after: Counted?
    var isLoaded = false
    /// Whether its device was erased. An erasure removes names from the row but not from the packed facts, so those are packed
    /// again.
    var isOfErased = false

    init(device: DeviceBatch, key: NotificationKey) {
        self.device = device
        self.key = key
    }

    var isSchedule: Bool { key.occurrence == .schedule }
    /// Whether its row is to be written.
    var hasChanged: Bool { after != nil && (after != before || device.isErased || isOfErased) }

    /// Merges one of its events.
    func take(_ event: Event) throws(FoldError) {
        var facts = batchFacts ?? NotificationFacts()
        try facts.merge(event)
        batchFacts = facts
        if event.kind == .response {
            var action = NotificationAction(event)
            if let known = actions[action.action] { try action.merge(known) }
            actions[action.action] = action
        }
        if let run = event.extensionRun { extensionRuns.append((event.at, event.id, run)) }
        if let removal = event.removal { take(removal, event.at) }
    }

    private func take(_ removal: Event.Removal, _ at: Moment) {
        var times = removals[removal.reason] ?? EventRollup.RemovalTimes()
        switch removal.state {
        case .pending: times.pendingAt = min(times.pendingAt, at)
        case .delivered: times.deliveredAt = min(times.deliveredAt, at)
        case .unstated: times.unstatedAt = min(times.unstatedAt, at)
        }
        removals[removal.reason] = times
    }

    /// Calls `body` with each time that is or was its cohort, or may be. The device's periods must be known around them.
    func eachTime(_ body: (Moment) -> Void) {
        for facts in [batchFacts, before?.facts] {
            for at in facts?.cohortTimes ?? [] where at != .none { body(at) }
        }
    }
}
