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
        package static let showed = Flags(rawValue: 1 << 5)
        package static let hid = Flags(rawValue: 1 << 6)
        package static let sounded = Flags(rawValue: 1 << 7)
        package static let filtered = Flags(rawValue: 1 << 8)
        package static let mutableContent = Flags(rawValue: 1 << 9)
        package static let dueKnown = Flags(rawValue: 1 << 10)
        package static let witnessed = Flags(rawValue: 1 << 11)
    }

    /// One distinct action taken on it.
    package struct Action: Equatable, Sendable {
        package var action: ByteTable.ID
        package var firstAt: Moment
        /// Callbacks to a content extension, each a press of its own; the others, of which one is no duplicate.
        package var inExtension: Int32
        package var callbacks: Int32
        package var hasText: Bool
        package var callbackReceivedAt: Moment

        package init(
            action: ByteTable.ID,
            firstAt: Moment,
            inExtension: Int32,
            callbacks: Int32,
            hasText: Bool,
            callbackReceivedAt: Moment
        ) {
            self.action = action
            self.firstAt = firstAt
            self.inExtension = inExtension
            self.callbacks = callbacks
            self.hasText = hasText
            self.callbackReceivedAt = callbackReceivedAt
        }
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
    package var requestReceivedAt = Moment.none
    package var requests: Int32 = 0
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
    package var actions: [Action] = []

    package init() {}

    /// Takes in what an event says.
    package mutating func merge(_ event: Event) throws(FoldError) {
        guard let stage = event.kind.stage else { return }
        let place = Place(stage: stage, at: event.at, id: event.id)
        deliveredAt = min(deliveredAt, event.deliveredAt)
        switch event.kind {
        case .request: try mergeRequest(event, place)
        case .delivery:
            deliveryAt = min(deliveryAt, event.at)
            if !event.flags.contains(.deliveredList) { arrivedAt = min(arrivedAt, event.at) }
            if !event.flags.contains(.backgroundWake) { flags.insert(.witnessed) }
            if event.flags.contains(.filtered) { flags.insert(.filtered) }
            alerting.merge(place, event.alerting)
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
            action.merge(place, event.action)
            let isInExtension = event.flags.contains(.inExtension)
            try merge(
                Action(
                    action: event.action,
                    firstAt: event.at,
                    inExtension: isInExtension ? 1 : 0,
                    callbacks: isInExtension ? 0 : 1,
                    hasText: event.flags.contains(.hasText),
                    callbackReceivedAt: isInExtension ? .none : event.receivedAt
                )
            )
        case .dismissal: dismissedAt = min(dismissedAt, event.at)
        case .removal: if event.flags.contains(.withdraws) { withdrawnAt = min(withdrawnAt, event.at) }
        case .pushResult:
            flags.insert(.pushAnswered)
            if event.flags.contains(.accepted) { flags.insert(.pushAccepted) }
        case .settings, .registration, .other: break
        }
        guard stage < 5 else { return }
        if event.category != ByteTable.none {
            let seen: UInt8 =
                switch stage {
                case 3: 0
                case 4: 1
                case 2: 2
                case 1: 3
                default: 4
                }
            category.merge(Place(stage: seen, at: event.at, id: event.id), event.category)
        }
        trigger.merge(place, event.trigger)
        interruptionLevel.merge(place, event.interruptionLevel)
        campaign.merge(place, event.campaign)
        variant.merge(place, event.variant)
        thread.merge(place, event.thread)
    }

    private mutating func mergeRequest(_ event: Event, _ place: Place) throws(FoldError) {
        requestedAt = min(requestedAt, event.at)
        scheduledFor = min(scheduledFor, event.scheduledFor)
        requestReceivedAt = min(requestReceivedAt, event.receivedAt)
        requests = try Self.sum(requests, 1)
        let isPush = !event.flags.isDisjoint(with: [.triggerIsPush, .fromProvider, .hasPush])
        if isPush { flags.insert(.isPush) }
        if event.flags.contains(.hasError) {
            flags.insert(.addFailed)
        } else {
            flags.insert(.addSucceeded)
            if isPush || event.scheduledFor != .none || !event.flags.contains(.atLarge) { flags.insert(.dueKnown) }
        }
        if event.flags.contains(.mutableContent) { flags.insert(.mutableContent) }
        alerting.merge(place, event.alerting)
        requestedCategory.merge(place, event.category)
    }

    /// Takes in what was known of it.
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
        requestReceivedAt = min(requestReceivedAt, other.requestReceivedAt)
        requests = try Self.sum(requests, other.requests)
        flags.formUnion(other.flags)
        action.merge(other.action)
        requestedCategory.merge(other.requestedCategory)
        mergeAttributes(other)
        for action in other.actions { try merge(action) }
    }

    /// Takes in what a schedule says of its firing.
    package mutating func inherit(from schedule: borrowing NotificationFacts) {
        if schedule.flags.contains(.mutableContent) { flags.insert(.mutableContent) }
        requestedCategory.merge(schedule.requestedCategory)
        mergeAttributes(schedule)
    }

    private mutating func mergeAttributes(_ other: borrowing NotificationFacts) {
        alerting.merge(other.alerting)
        category.merge(other.category)
        trigger.merge(other.trigger)
        interruptionLevel.merge(other.interruptionLevel)
        campaign.merge(other.campaign)
        variant.merge(other.variant)
        thread.merge(other.thread)
    }

    private mutating func merge(_ other: Action) throws(FoldError) {
        guard let index = actions.firstIndex(where: { $0.action == other.action }) else {
            actions.append(other)
            return
        }
        actions[index].firstAt = min(actions[index].firstAt, other.firstAt)
        actions[index].inExtension = try Self.sum(actions[index].inExtension, other.inExtension)
        actions[index].callbacks = try Self.sum(actions[index].callbacks, other.callbacks)
        actions[index].hasText = actions[index].hasText || other.hasText
        actions[index].callbackReceivedAt = min(actions[index].callbackReceivedAt, other.callbackReceivedAt)
    }

    private static func sum(_ left: Int32, _ right: Int32) throws(FoldError) -> Int32 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        if overflow { throw .overflow }
        return sum
    }
}
