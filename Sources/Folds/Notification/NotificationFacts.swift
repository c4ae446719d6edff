/// What the events of one notification say of it. Facts merge in any order: earliest, any, sum, first by claim.
package struct NotificationFacts: Equatable, Sendable {
    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }
        package static let isPush = Flags(rawValue: 1 << 0)
        /// A request without error, and one with.
        package static let addSucceeded = Flags(rawValue: 1 << 1)
        package static let addFailed = Flags(rawValue: 1 << 2)
        package static let pushAnswered = Flags(rawValue: 1 << 3)
        package static let pushAccepted = Flags(rawValue: 1 << 4)
        /// A presentation that shows something; one that shows nothing; one of those with badge or sound.
        package static let showed = Flags(rawValue: 1 << 5)
        package static let hid = Flags(rawValue: 1 << 6)
        package static let sounded = Flags(rawValue: 1 << 7)
        package static let filtered = Flags(rawValue: 1 << 8)
        package static let mutableContent = Flags(rawValue: 1 << 9)
        /// A request without error that says when it fires.
        package static let dueKnown = Flags(rawValue: 1 << 10)
        /// A presentation, or a delivery other than that the app was woken in the background.
        package static let witnessed = Flags(rawValue: 1 << 11)
        /// The first action carried the person's text.
        package static let hasText = Flags(rawValue: 1 << 12)
        /// A request for a push to a Live Activity.
        package static let toActivity = Flags(rawValue: 1 << 13)
    }

    package var requestedAt = Moment.none
    package var scheduledFor = Moment.none
    package var deliveredAt = Moment.none
    package var deliveryAt = Moment.none
    /// The earliest delivery that is no sweep of the delivered list.
    package var arrivedAt = Moment.none
    package var presentationAt = Moment.none
    package var respondedAt = Moment.none
    package var dismissedAt = Moment.none
    package var withdrawnAt = Moment.none
    /// The latest request without error, and the latest removal while it was pending: what is asked for again is not withdrawn.
    package var lastRequestedAt = Moment.none
    package var lastWithdrawnAt = Moment.none
    /// The app took the delivered notification away; a sweep of the delivered list no longer found it.
    package var removedAt = Moment.none
    package var goneAt = Moment.none
    /// When the server received the first of its requests.
    package var requestReceivedAt = Moment.none
    package var requests: Int32 = 0
    package var duplicateCallbacks: Int32 = 0
    package var flags: Flags = []
    package var action = Claim()
    package var alerting = Claim()
    package var requestedCategory = Claim()
    /// The latest stage first: the category that the person saw.
    package var category = Claim()
    package var trigger = Claim()
    package var interruptionLevel = Claim()
    package var campaign = Claim()
    package var variant = Claim()
    package var thread = Claim()
    /// Of the app's own dimensions.
    package var own = OwnValues()

    package init() {}

    /// The times of which the first that is known is its cohort's.
    package var cohortTimes: [Moment] {
        [scheduledFor, requestedAt, deliveredAt, deliveryAt, presentationAt, respondedAt, dismissedAt]
    }

    /// Whether the app took it back while it was pending, and has not asked for it since.
    package var isWithdrawn: Bool {
        lastWithdrawnAt != .none && (lastRequestedAt == .none || lastRequestedAt <= lastWithdrawnAt)
    }

    /// When it is counted; none where nothing says so.
    package var cohortAt: Moment { cohortTimes.first { $0 != .none } ?? .none }

    /// Takes in what an event says, but for its action.
    package mutating func merge(_ event: Event) throws(FoldError) {
        guard let stage = event.kind.stage else { return }
        let rank = Rank(stage: stage, at: event.at, id: event.id)
        deliveredAt = min(deliveredAt, event.deliveredAt)
        switch event.kind {
        case .request: try mergeRequest(event, rank)
        case .delivery:
            deliveryAt = min(deliveryAt, event.at)
            if !event.flags.contains(.deliveredList) { arrivedAt = min(arrivedAt, event.at) }
            if !event.flags.contains(.backgroundWake) { flags.insert(.witnessed) }
            if event.flags.contains(.filtered) { flags.insert(.filtered) }
            alerting.merge(rank, event.alerting)
        case .presentation:
            presentationAt = min(presentationAt, event.at)
            flags.insert(.witnessed)
            switch event.presented {
            case .unsaid: break
            case .shown: flags.insert(.showed)
            case .hidden: flags.insert(.hid)
            case .hiddenWithSound: flags.formUnion([.hid, .sounded])
            }
        case .response:
            respondedAt = min(respondedAt, event.at)
            action.merge(rank, event.action)
        case .dismissal: dismissedAt = min(dismissedAt, event.at)
        case .removal: mergeRemoval(event)
        case .pushResult:
            flags.insert(.pushAnswered)
            if event.flags.contains(.accepted) { flags.insert(.pushAccepted) }
        case .settings, .registration, .token, .authorizationRequest, .openSettings, .appOpen, .conversion, .holdout,
            .permissionPrompt, .liveActivity, .erasure, .other:
            break
        }
        if stage < 5 { mergeAttributes(event, rank) }
    }

    private mutating func mergeRequest(_ event: Event, _ rank: Rank) throws(FoldError) {
        requestedAt = min(requestedAt, event.at)
        scheduledFor = min(scheduledFor, event.scheduledFor)
        requestReceivedAt = min(requestReceivedAt, event.receivedAt)
        requests = try requests.adding(1)
        let isPush = !event.flags.isDisjoint(with: [.triggerIsPush, .fromProvider, .hasPush])
        if isPush { flags.insert(.isPush) }
        if event.flags.contains(.hasError) {
            flags.insert(.addFailed)
        } else {
            flags.insert(.addSucceeded)
            lastRequestedAt = lastRequestedAt.latest(event.at)
            if isPush || event.scheduledFor != .none || !event.flags.contains(.atLarge) { flags.insert(.dueKnown) }
        }
        if event.flags.contains(.mutableContent) { flags.insert(.mutableContent) }
        if event.flags.contains(.toActivity) { flags.insert(.toActivity) }
        alerting.merge(rank, event.alerting)
        requestedCategory.merge(rank, event.category)
    }

    private mutating func mergeRemoval(_ event: Event) {
        if event.flags.contains(.withdraws) {
            withdrawnAt = min(withdrawnAt, event.at)
            lastWithdrawnAt = lastWithdrawnAt.latest(event.at)
        }
        switch event.removal?.ending {
        case .removed: removedAt = min(removedAt, event.at)
        case .gone: goneAt = min(goneAt, event.at)
        case nil: break
        }
    }

    private mutating func mergeAttributes(_ event: Event, _ rank: Rank) {
        if event.category != .none {
            let seen: UInt8 =
                switch event.kind {
                case .response: 0
                case .dismissal: 1
                case .presentation: 2
                case .delivery: 3
                default: 4
                }
            category.merge(Rank(stage: seen, at: event.at, id: event.id), event.category)
        }
        trigger.merge(rank, event.trigger)
        interruptionLevel.merge(rank, event.interruptionLevel)
        campaign.merge(rank, event.campaign)
        variant.merge(rank, event.variant)
        thread.merge(rank, event.thread)
        for (key, value) in event.own { own.merge(key, Claim(rank: rank, value: value)) }
    }

    /// Takes in what other events of the notification say.
    ///
    /// ``Flags/hasText`` and `duplicateCallbacks` are left to ``merge(_:)-(ActionChange)``.
    package mutating func merge(_ other: borrowing NotificationFacts) throws(FoldError) {
        requestedAt = min(requestedAt, other.requestedAt)
        scheduledFor = min(scheduledFor, other.scheduledFor)
        deliveredAt = min(deliveredAt, other.deliveredAt)
        deliveryAt = min(deliveryAt, other.deliveryAt)
        arrivedAt = min(arrivedAt, other.arrivedAt)
        presentationAt = min(presentationAt, other.presentationAt)
        respondedAt = min(respondedAt, other.respondedAt)
        dismissedAt = min(dismissedAt, other.dismissedAt)
        withdrawnAt = min(withdrawnAt, other.withdrawnAt)
        lastRequestedAt = lastRequestedAt.latest(other.lastRequestedAt)
        lastWithdrawnAt = lastWithdrawnAt.latest(other.lastWithdrawnAt)
        removedAt = min(removedAt, other.removedAt)
        goneAt = min(goneAt, other.goneAt)
        requestReceivedAt = min(requestReceivedAt, other.requestReceivedAt)
        requests = try requests.adding(other.requests)
        flags.formUnion(other.flags.subtracting(.hasText))
        let first = action.value
        action.merge(other.action)
        if action.value != first { flags.remove(.hasText) }
        requestedCategory.merge(other.requestedCategory)
        mergeAttributes(other)
    }

    /// Takes in what a schedule says of its firings.
    package mutating func inherit(from schedule: borrowing NotificationFacts) {
        if schedule.flags.contains(.mutableContent) { flags.insert(.mutableContent) }
        requestedCategory.merge(schedule.requestedCategory)
        mergeAttributes(schedule)
    }

    /// Takes in an action of it that changed, once ``action`` is known.
    package mutating func merge(_ change: ActionChange) throws(FoldError) {
        duplicateCallbacks = try duplicateCallbacks.adding(change.after.duplicates - (change.before?.duplicates ?? 0))
        if change.after.action == action.value, change.after.hasText { flags.insert(.hasText) }
    }

    private mutating func mergeAttributes(_ other: borrowing NotificationFacts) {
        alerting.merge(other.alerting)
        category.merge(other.category)
        trigger.merge(other.trigger)
        interruptionLevel.merge(other.interruptionLevel)
        campaign.merge(other.campaign)
        variant.merge(other.variant)
        thread.merge(other.thread)
        own.merge(other.own)
    }
}
