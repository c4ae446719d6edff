internal import Folds

/// A notification of a device: `notification_id`, else the identifier of its request, and the occurrence.
struct NotificationKey: Hashable {
    var id: Symbol
    var occurrence: Moment
}

/// A notification in a batch: what events say of it, the row as it was, the row as it is.
final class NotificationBatch {
    unowned let device: DeviceBatch
    let key: NotificationKey
    /// What events of the batch say; nil where it is only derived again.
    var said: NotificationFacts?
    var actions: [Symbol: NotificationAction] = [:]
    var actionChanges: [ActionChange] = []
    /// By reason.
    var removals: [Symbol: EventRollup.RemovalTimes] = [:]
    var extensionRuns: [(at: Moment, id: EventID, run: Event.ExtensionRun)] = []
    var before: Counted?
    var after: Counted?
    var isLoaded = false
    /// It is of a device that was erased. An erasure takes names from the row, and leaves the packed facts as they were: they
    /// are packed again.
    var isOfErased = false

    init(device: DeviceBatch, key: NotificationKey) {
        self.device = device
        self.key = key
    }

    var isSchedule: Bool { key.occurrence == .schedule }
    /// Whether its row is to be written.
    var hasChanged: Bool { after != nil && (after != before || device.isErased || isOfErased) }

    /// Takes in an event of it.
    func take(_ event: Event) throws(FoldError) {
        var facts = said ?? NotificationFacts()
        try facts.merge(event)
        said = facts
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

    /// The times of which one is its cohort, or was: around them the device has to be known.
    func eachTime(_ body: (Moment) -> Void) {
        for facts in [said, before?.facts] {
            for at in facts?.cohortTimes ?? [] where at != .none { body(at) }
        }
    }
}
