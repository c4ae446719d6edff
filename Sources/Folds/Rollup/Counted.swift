/// A notification as rollups count it.
///
/// A class: each of some fifty columns and twenty rollups reads a field or two of its half kilobyte, which none copies.
package final class Counted: Equatable, Sendable {
    package let facts: NotificationFacts
    package let row: NotificationRow

    package init(facts: NotificationFacts, row: NotificationRow) {
        self.facts = facts
        self.row = row
    }

    package static func == (left: Counted, right: Counted) -> Bool {
        left === right || left.facts == right.facts && left.row == right.row
    }

    /// From which time on the time to respond runs.
    package var timedFrom: Moment { row.shownAt == .none ? row.cohortAt : row.shownAt }
}

/// What rollups tell notifications apart by.
package struct Dimension: Sendable {
    /// The name, as reports take it in `by` and as a filter; the empty string of the rows by category alone.
    package let name: StaticString
    let value: @Sendable (Counted) -> Symbol

    /// Every dimension besides the category, in which each rollup row has a value of its own.
    package static let all: [Dimension] = [
        Dimension(name: "requested_category") { $0.facts.requestedCategory.value },
        Dimension(name: "trigger") { $0.facts.trigger.value },
        Dimension(name: "interruption_level") { $0.facts.interruptionLevel.value },
        Dimension(name: "campaign") { $0.facts.campaign.value },
        Dimension(name: "variant") { $0.facts.variant.value },
        Dimension(name: "platform") { $0.row.context.platform },
        Dimension(name: "os_version") { $0.row.context.osVersion },
        Dimension(name: "app_version") { $0.row.context.appVersion },
        Dimension(name: "locale") { $0.row.context.locale },
    ]
}

/// What rollups count of a notification.
package struct Measure: Sendable {
    /// The name of the column.
    package let name: StaticString
    let value: @Sendable (Counted) -> Int64

    private init(_ name: StaticString, _ value: @escaping @Sendable (Counted) -> Int64) {
        self.name = name
        self.value = value
    }

    private init(_ name: StaticString, _ stages: NotificationRow.Stages) {
        self.init(name) { $0.row.stages.isSuperset(of: stages) ? 1 : 0 }
    }

    /// Every measure of the rollup `engagement`.
    package static let all: [Measure] = [
        Measure("notifications") { _ in 1 },
        Measure("requested", .requested),
        Measure("failed", .failed),
        Measure("reached") { $0.row.isReached ? 1 : 0 },
        Measure("reached_seen", .reachedSeen),
        Measure("reached_assumed", .reachedAssumed),
        Measure("delivered", .delivered),
        Measure("presented", .presented),
        Measure("suppressed", .suppressed),
        Measure("silent", .silent),
        Measure("responded", .responded),
        Measure("opened", .opened),
        Measure("acted", .acted),
        Measure("replied", .replied),
        Measure("app_opened", .appOpened),
        Measure("dismissed", .dismissed),
        Measure("withdrawn", .withdrawn),
        Measure("response_only", .responseOnly),
        Measure("delivered_seen") { $0.facts.deliveryAt != .none ? 1 : 0 },
        Measure("presented_seen") { $0.facts.flags.contains(.showed) ? 1 : 0 },
        Measure("dismiss_observable", .dismissObservable),
        Measure("dismiss_observed", [.dismissObservable, .dismissed]),
        Measure("delivery_observable", .deliveryObservable),
        Measure("delivery_observed", [.deliveryObservable, .delivered]),
        Measure("updates") { Int64(max($0.facts.requests - 1, 0)) },
        Measure("duplicate_callbacks") { Int64($0.facts.duplicateCallbacks) },
    ]
}
