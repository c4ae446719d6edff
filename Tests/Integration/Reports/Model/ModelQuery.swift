import NotificationEvents
import Reports

/// What is asked of a report and of its model alike.
struct ModelQuery: Sendable {
    let report: String
    /// One or two dimensions, or none.
    var by: [String] = []
    var from: Int64
    var to: Int64
    var asOf: Int64
    /// The time to respond, in microseconds.
    var window: Int64
    /// Whether what is younger is left out.
    var isMature = false
    var filters: [String: [String?]] = [:]
    /// How many keys have rows of their own.
    var limit = 1000
    /// Parameters that only some reports take.
    var others: [String: String] = [:]

    /// The names and values that ask the report.
    func pairs(for definition: ReportDefinition) -> [(name: String, value: String)] {
        var pairs = [("from", Self.text(from)), ("to", Self.text(to))] + others.map { ($0.key, $0.value) }
        if definition.parameter("window") != nil { pairs.append(("window", "PT\(window / 1_000_000)S")) }
        if isMature { pairs.append(("mature", "true")) }
        if definition.parameter("by") != nil {
            pairs.append(("by", by.isEmpty ? "none" : by.joined(separator: ",")))
        }
        if definition.isBounded { pairs.append(("limit", "\(limit)")) }
        for (name, values) in filters { pairs += values.map { (name, $0 ?? "") } }
        return pairs.map { (name: $0.0, value: $0.1) }
    }

    private static func text(_ time: Int64) -> String { "\(Timestamp(microseconds: time))" }

    /// Whether a notification is among those asked for.
    func takes(_ notification: LawNotification) -> Bool {
        let latest = isMature ? asOf - window : asOf
        guard let cohort = notification.cohortAt, cohort >= from, cohort < to, cohort <= latest else { return false }
        return filters.allSatisfy { name, values in values.contains(Self.dimension(name, of: notification)) }
    }

    /// What a notification is counted under, nil where it carries nothing.
    static func dimension(_ name: String, of notification: LawNotification) -> String? {
        switch name {
        case "category": notification.category
        case "requested_category": notification.requestedCategory
        case "trigger": notification.trigger
        case "interruption_level": notification.interruptionLevel
        case "campaign": notification.campaign
        case "variant": notification.variant
        case _ where name.hasPrefix("attribute."): notification.own(String(name.dropFirst("attribute.".count)))
        case _ where LawSettings.names[name] != nil: LawSettings(notification)[name]
        default: notification.context?[name]?.string
        }
    }

    /// The notifications asked for, by their dimensions, in the order of a report: by value, null last.
    func groups(of notifications: [LawNotification]) -> [(key: [String?], members: [LawNotification])] {
        let taken = Dictionary(grouping: notifications.filter(takes)) { notification in
            by.map { Self.dimension($0, of: notification) }
        }
        return taken.map { (key: $0.key, members: $0.value) }.sorted { left, right in
            for (a, b) in zip(left.key, right.key) where a != b {
                guard let a else { return false }
                guard let b else { return true }
                return Array(a.utf8).lexicographicallyPrecedes(Array(b.utf8))
            }
            return false
        }
    }

    /// Whether rows are by a dimension that the app named, whose most requested values are kept.
    var isByOwn: Bool { by.contains(where: LawOwnDimensions.names.contains) }

    /// The same, of those that count, with the columns that tell a row: as many as there may be, then all others as one.
    func bounded(
        _ notifications: [LawNotification],
        counting counts: (LawNotification) -> Bool
    ) -> [(columns: ReportModel.Record, members: [LawNotification])] {
        let groups = groups(of: notifications).map { group in
            let members = group.members.filter(counts)
            let size = isByOwn ? group.members.count(where: \.requested) : members.count
            return (key: group.key.map { $0 ?? "" }, members: members, size: size)
        }
        .filter { !$0.members.isEmpty }
        let kept = KeptKeys(groups.map { ($0.key, $0.size) }, limit: limit)
        let others = groups.filter { kept.own($0.key) == nil }.flatMap(\.members)
        return groups.filter { kept.own($0.key) != nil }.map { (kept.columns(by, $0.key), $0.members) }
            + (others.isEmpty ? [] : [(kept.columns(by, nil), others)])
    }

    /// Whether a notification was responded to within the window.
    func isEngaged(_ notification: LawNotification) -> Bool {
        guard let responded = notification.respondedAt, let cohort = notification.cohortAt else { return false }
        return responded - (notification.shownAt ?? cohort) <= window
    }

    /// Whether its time to respond is not over.
    func isImmature(_ notification: LawNotification) -> Bool { (notification.cohortAt ?? 0) > asOf - window }
}

/// A row of a report as the model has it.
typealias ModelRow = [String: ReportValue]

extension ReportValue {
    static func whole(_ number: Int) -> ReportValue { .integer(Int64(number)) }
    static func real(_ number: Double?) -> ReportValue { number.map(ReportValue.double) ?? .null }
    static func label(_ text: String?) -> ReportValue { text.map(ReportValue.text) ?? .null }

    /// Counts by name, as PostgreSQL writes `jsonb`.
    static func tally(_ counts: [String: Int]) -> ReportValue {
        .json(LawValue.object(counts.mapValues { .integer(Int64($0)) }).text)
    }
}
