/// What is derived of a notification: its stages, and the device as it was when it is counted.
package struct NotificationRow: Equatable, Sendable {
    package struct Stages: OptionSet, Sendable {
        package let rawValue: Int32
        package init(rawValue: Int32) { self.rawValue = rawValue }
        package static let requested = Stages(rawValue: 1 << 0)
        package static let failed = Stages(rawValue: 1 << 1)
        package static let delivered = Stages(rawValue: 1 << 2)
        package static let presented = Stages(rawValue: 1 << 3)
        package static let suppressed = Stages(rawValue: 1 << 4)
        package static let silent = Stages(rawValue: 1 << 5)
        package static let responded = Stages(rawValue: 1 << 6)
        package static let dismissed = Stages(rawValue: 1 << 7)
        package static let withdrawn = Stages(rawValue: 1 << 8)
        package static let responseOnly = Stages(rawValue: 1 << 9)
        package static let reachedSeen = Stages(rawValue: 1 << 10)
        package static let reachedAssumed = Stages(rawValue: 1 << 11)
        package static let reachUnknown = Stages(rawValue: 1 << 12)
        package static let opened = Stages(rawValue: 1 << 13)
        package static let acted = Stages(rawValue: 1 << 14)
        package static let replied = Stages(rawValue: 1 << 15)
        package static let appOpened = Stages(rawValue: 1 << 16)
        package static let dismissObservable = Stages(rawValue: 1 << 17)
        package static let deliveryObservable = Stages(rawValue: 1 << 18)
        package static let alerting = Stages(rawValue: 1 << 19)
    }

    package var cohortAt = Moment.none
    package var shownAt = Moment.none
    package var stages: Stages = []
    package var context = Symbols.Context()
    package var settings = SettingsInForce()

    package init() {}

    package init(
        _ facts: NotificationFacts,
        isSchedule: Bool,
        of device: DevicePeriods,
        categories: Categories,
        symbols: Symbols
    ) {
        let flags = facts.flags
        if !isSchedule { cohortAt = facts.cohortAt }
        shownAt = facts.deliveredAt
        if shownAt == .none { shownAt = facts.arrivedAt }
        if shownAt == .none { shownAt = facts.presentationAt }
        if shownAt == .none { shownAt = facts.scheduledFor }
        if shownAt == .none, flags.contains(.isPush) { shownAt = facts.requestedAt }

        let responded = facts.respondedAt != .none
        let dismissed = facts.dismissedAt != .none
        let seen = facts.deliveryAt != .none || facts.presentationAt != .none
        let requested = !isSchedule && flags.contains(.addSucceeded)
        let delivered = seen || responded || dismissed
        let presented = flags.contains(.showed) || responded || dismissed
        let hidden = !flags.isDisjoint(with: [.hid, .filtered]) && !presented
        let refused =
            flags.contains(.addFailed) && !flags.contains(.addSucceeded)
            || flags.contains(.pushAnswered) && !flags.contains(.pushAccepted)
        let failed = !isSchedule && refused && !delivered
        let withdrawn = !isSchedule && facts.isWithdrawn && !delivered
        let isAlerting = facts.alerting.isNone || facts.alerting.value == symbols.yes
        set(.alerting, isAlerting)
        let alive = isAlerting && !(failed || withdrawn || hidden)

        if cohortAt != .none { settings = symbols.settings(device.settings(at: cohortAt)) }
        let denied = settings.isDenied
        if cohortAt != .none { context = symbols.context(device.context(at: cohortAt)) }
        let reachedSeen = alive && (flags.contains(.witnessed) || seen && !denied)
        let assumed = alive && !seen && requested && !denied
        let reachedAssumed = assumed && flags.contains(.dueKnown)

        set(.requested, requested)
        set(.failed, failed)
        set(.delivered, delivered)
        set(.presented, presented)
        set(.suppressed, hidden && !flags.contains(.sounded))
        set(.silent, hidden && flags.contains(.sounded))
        set(.responded, responded)
        set(.dismissed, dismissed)
        set(.withdrawn, withdrawn)
        set(.responseOnly, (responded || dismissed) && !seen && facts.requestedAt == .none)
        set(.reachedSeen, reachedSeen)
        set(.reachedAssumed, reachedAssumed)
        set(.reachUnknown, assumed && !flags.contains(.dueKnown))
        set(.deliveryObservable, requested && flags.contains(.mutableContent) && device.extends && !denied)
        let category = facts.category.value
        if reachedSeen || reachedAssumed {
            set(.dismissObservable, categories.hasCustomDismiss(category, version: context.appVersion))
        }
        if !facts.action.isNone {
            let action = facts.action.value
            if action == symbols.default {
                stages.formUnion([.opened, .appOpened])
            } else {
                let button = categories.action(action, of: category, version: context.appVersion)
                stages.insert(flags.contains(.hasText) || button.isTextInput ? .replied : .acted)
                set(.appOpened, button.isForeground)
            }
        }
    }

    @inline(__always)
    private mutating func set(_ stage: Stages, _ holds: Bool) {
        if holds { stages.insert(stage) }
    }

    /// Whether it counts as reached, seen or assumed.
    package var isReached: Bool { !stages.isDisjoint(with: [.reachedSeen, .reachedAssumed]) }
}
