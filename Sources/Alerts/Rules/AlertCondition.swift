/// When a rule raises an alert: a column of its report, and what its value must do.
public struct AlertCondition: Sendable, Equatable, CustomStringConvertible {
    /// What a value must do.
    public enum Test: Sendable, Equatable {
        /// Be less than a bound
        case below(Double)
        /// Be greater than a bound
        case above(Double)
        /// Be lower than is usual
        case falls
        /// Be higher than is usual
        case rises
        /// Be lower or higher than is usual
        case changes
    }

    /// The column.
    public var metric: String
    /// What its value must do.
    public var test: Test

    /// Reads a condition as people write it: `engagement_rate falls`, `reached < 1000`.
    public init?(_ text: String) {
        let words = text.split(separator: " ")
        guard let metric = words.first else { return nil }
        self.metric = String(metric)
        switch (words.count, words.dropFirst().first) {
        case (2, "falls"): test = .falls
        case (2, "rises"): test = .rises
        case (2, "changes"): test = .changes
        case (3, "<"), (3, ">"):
            guard let bound = Double(words[2]), bound.isFinite else { return nil }
            test = words[1] == "<" ? .below(bound) : .above(bound)
        default: return nil
        }
    }

    /// Reads a condition as the database has it.
    init?(metric: String, name: String, bound: Double?) {
        self.metric = metric
        switch (name, bound) {
        case ("below", let bound?): test = .below(bound)
        case ("above", let bound?): test = .above(bound)
        case ("falls", _): test = .falls
        case ("rises", _): test = .rises
        case ("changes", _): test = .changes
        default: return nil
        }
    }

    /// The rule of ``init(_:)``, in words.
    public static let accepted =
        "a condition is a column and what it does: 'engagement_rate falls' (or rises, or changes), 'reached < 1000' (or >)"

    /// The condition as ``init(_:)`` reads it.
    public var description: String {
        switch test {
        case .below(let bound): "\(metric) < \(Self.text(bound))"
        case .above(let bound): "\(metric) > \(Self.text(bound))"
        default: "\(metric) \(name)"
        }
    }

    /// A bound as people write it.
    private static func text(_ bound: Double) -> String {
        Int64(exactly: bound).map { "\($0)" } ?? "\(bound)"
    }

    /// The test's name in the database.
    var name: String {
        switch test {
        case .below: "below"
        case .above: "above"
        case .falls: "falls"
        case .rises: "rises"
        case .changes: "changes"
        }
    }

    /// The bound; nil for one against the usual.
    var bound: Double? {
        switch test {
        case .below(let bound), .above(let bound): bound
        default: nil
        }
    }
}
