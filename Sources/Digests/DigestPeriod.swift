internal import NotificationEvents

/// What a digest covers: the last full day or week, beside the one before it.
struct DigestPeriod: Sendable, Equatable {
    /// Whether it is a week.
    var isWeekly: Bool
    /// The first day, `YYYY-MM-DD`.
    var from: String
    /// The day after its last one.
    var to: String
    /// The first day of the period before, which ends where this one begins.
    var before: String
    /// Where the parts of this period and of the one before end whose time to respond is over; nil for none.
    var matureTo: Timestamp?
    var matureBeforeTo: Timestamp?
    /// How long ago it ended, in seconds.
    var ageSeconds: Int64

    /// Of how many intervals a chart is, this period among them.
    private static let charted = (days: 14, weeks: 8)

    /// The first days of the intervals of a chart, the period's own last.
    var chartDays: [String] {
        let (count, step) = isWeekly ? (Self.charted.weeks, 7) : (Self.charted.days, 1)
        return (0..<count).reversed().compactMap { Timestamp.day(from, plus: -$0 * step) }
    }

    /// Where figures of responses are of equal age in this period and in the one before.
    func equalAge(windowSeconds: Int64?) -> EqualAge {
        guard let windowSeconds else { return .whole }
        if ageSeconds >= windowSeconds { return .whole }
        if let matureTo, let matureBeforeTo { return .until(matureTo, matureBeforeTo) }
        // Within the longest window of which reports have counts that is over for the whole period.
        guard let bound = Self.windows.last(where: { $0.seconds <= ageSeconds }) else { return .nowhere }
        return .within(bound.text)
    }

    private static let windows: [(seconds: Int64, text: String)] = [
        (3600, "PT1H"), (21_600, "PT6H"), (86_400, "P1D"), (259_200, "P3D"), (604_800, "P7D"), (2_592_000, "P30D"),
    ]
}

/// Where figures of responses are of equal age in two periods.
enum EqualAge: Sendable, Equatable {
    /// In all of both
    case whole
    /// Up to these moments
    case until(Timestamp, Timestamp)
    /// In all of both, for responses within a shorter window
    case within(String)
    /// Nowhere yet
    case nowhere

    /// What is compared, in words; nil where it needs none.
    ///
    /// - Parameters:
    ///   - hasCampaigns: whether some of it is of campaigns, which are not compared.
    ///   - hasOthers: whether some of it is not.
    func words(hasCampaigns: Bool, hasOthers: Bool) -> String? {
        let parts = hasCampaigns ? "Campaigns are not compared: a period may have only a part of one." : nil
        let words = [hasOthers ? ages : nil, parts].compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    private var ages: String? {
        switch self {
        case .whole: nil
        case .until(let moment, _):
            "Changes of rates and responses are of notifications before \(moment.minute), whose time to respond is over."
        case .within(let window): "Changes of rates and responses are of those within \(window), which is over in both."
        case .nowhere: "Rates and responses are too young to be compared."
        }
    }
}

extension Timestamp {
    /// The time to the minute.
    fileprivate var minute: String {
        String(description.prefix(16)).replacing("T", with: " ") + " UTC"
    }
}
