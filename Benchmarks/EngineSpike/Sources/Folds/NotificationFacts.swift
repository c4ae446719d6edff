/// What the events of one notification say of it. Facts merge in any order: earliest, any, sum, first by claim.
public struct NotificationFacts: Equatable, Sendable {
    public struct Flags: OptionSet, Sendable {
        public let rawValue: UInt16
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        public static let isPush = Flags(rawValue: 1 << 0)
        /// A request without error, and one with.
        public static let addSucceeded = Flags(rawValue: 1 << 1)
        public static let addFailed = Flags(rawValue: 1 << 2)
        public static let pushAnswered = Flags(rawValue: 1 << 3)
        public static let pushAccepted = Flags(rawValue: 1 << 4)
        public static let showed = Flags(rawValue: 1 << 5)
        public static let hid = Flags(rawValue: 1 << 6)
        public static let sounded = Flags(rawValue: 1 << 7)
        public static let filtered = Flags(rawValue: 1 << 8)
        public static let mutableContent = Flags(rawValue: 1 << 9)
        public static let dueKnown = Flags(rawValue: 1 << 10)
        public static let witnessed = Flags(rawValue: 1 << 11)
    }

    /// One distinct action taken on it.
    public struct Action: Equatable, Sendable {
        public var action: ByteTable.ID
        public var firstAt: Moment
        /// Callbacks to a content extension, each a press of its own; the others, of which one is no duplicate.
        public var inExtension: Int32
        public var callbacks: Int32
        public var hasText: Bool
        public var callbackReceivedAt: Moment

        public init(
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

    public var requestedAt = Moment.none
    public var scheduledFor = Moment.none
    public var deliveredAt = Moment.none
    public var deliveryAt = Moment.none
    /// The earliest delivery that is no sweep of the delivered list.
    public var arrivedAt = Moment.none
    public var presentationAt = Moment.none
    public var respondedAt = Moment.none
    public var dismissedAt = Moment.none
    public var withdrawnAt = Moment.none
    public var requestReceivedAt = Moment.none
    public var requests: Int32 = 0
    public var flags: Flags = []
    public var action = Claim()
    public var alerting = Claim()
    public var requestedCategory = Claim()
    /// The latest stage first: the category that the person saw.
    public var category = Claim()
    public var trigger = Claim()
    public var interruptionLevel = Claim()
    public var campaign = Claim()
    public var variant = Claim()
    public var thread = Claim()
    public var actions: [Action] = []

    public init() {}

    /// Takes in what an event says.
    public mutating func merge(_ event: Event) throws(FoldError) {
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
    public mutating func merge(_ other: borrowing NotificationFacts) throws(FoldError) {
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
    public mutating func inherit(from schedule: borrowing NotificationFacts) {
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
