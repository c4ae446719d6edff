internal import Deliveries
internal import EventLog
public import NotificationEvents
public import Reports

/// A condition on a column of a report, asked of every day and of every cell.
public struct AlertRule: Sendable {
    /// Its number.
    public var id: Int64
    /// The name of its app.
    public var app: String
    /// Its name.
    public var name: String
    /// The report.
    public var report: String
    /// The values of each parameter of the report.
    public var parameters: [String: [String]]
    /// When it raises an alert.
    public var condition: AlertCondition
    /// Cells of less volume are not judged.
    public var leastVolume: Int64
    /// How long after its end a day is judged, in seconds.
    public var waitSeconds: Int64
    /// The time zone of days.
    public var tz: String
    /// To whom its alerts are delivered.
    public var receivers: [String]
    /// The day that is judged next, `YYYY-MM-DD`.
    public var nextDay: String
    /// When that is.
    public var ripeAt: Timestamp
    /// When a day was judged last.
    public var judgedAt: Timestamp?
    /// Why the next day could not be judged, or why the newest message is not delivered.
    public var lastError: String?

    /// The parameters as pairs, by name.
    public var pairs: [(name: String, value: String)] { parameters.pairs }

    /// ``receivers`` without the paths of URLs, which may be secrets.
    public var shownReceivers: [String] { receivers.map { Receiver.shown($0) } }

    /// The column that it judges; nil if its report has none of that name any more.
    ///
    /// - Throws: `ReportError` if there is no such report.
    public func column(in catalogue: ReportCatalogue) throws(ReportError) -> ReportColumn? {
        try catalogue.report(report).columns.first { $0.name == condition.metric }
    }
}

/// A rule as its author wants it, checked against its report.
public struct WantedAlertRule: Sendable {
    /// Its name.
    public let name: String
    let report: String
    let parameters: [String: [String]]
    let condition: AlertCondition
    let leastVolume: Int64
    let waitSeconds: Int64
    let tz: String
    let receivers: [String]

    /// Parameters that a rule sets itself.
    private static let excluded: Set<String> = ["interval", "from", "to", "limit", "format", "min_position", "cursor"]

    /// As the database allows it, in seconds.
    private static let longestWait: Int64 = 400 * 86_400

    /// - Parameters:
    ///   - name: 1 to 100 bytes, on one line.
    ///   - report: the report's name.
    ///   - pairs: names and values of its parameters.
    ///   - condition: as ``AlertCondition/init(_:)`` reads it.
    ///   - leastVolume: cells of less volume are not judged.
    ///   - receivers: as `Receiver/init(_:)` reads them, five at most.
    /// - Throws: ``AlertRuleError`` with what is accepted.
    public init(
        name: String,
        report: String,
        pairs: [(name: String, value: String)],
        condition: String,
        leastVolume: Int64,
        receivers: [String],
        catalogue: ReportCatalogue
    ) throws(AlertRuleError) {
        guard GivenName.isAccepted(name) else { throw AlertRuleError(GivenName.rule(of: "rule")) }
        guard Self.excluded.isDisjoint(with: pairs.map(\.name)) else {
            throw AlertRuleError(
                "a rule judges single days: it takes no \(Self.excluded.sorted().joined(separator: ", "))"
            )
        }
        guard let condition = AlertCondition(condition) else { throw AlertRuleError(AlertCondition.accepted) }
        guard leastVolume >= 0 else { throw AlertRuleError("the least volume must be a whole number, 0 or more") }
        guard receivers.count <= 5, receivers.allSatisfy({ Receiver($0) != nil }) else {
            throw AlertRuleError("\(Receiver.accepted); a rule has five at most")
        }
        let parameters: ReportParameters
        do {
            parameters = try ReportParameters(pairs, for: try catalogue.report(report))
        } catch {
            throw AlertRuleError(error.message)
        }
        let definition = parameters.definition
        guard definition.parameter("from") != nil, definition.parameter("to") != nil else {
            throw AlertRuleError("the report \(report) is not of days: choose one that takes from and to")
        }
        let metrics = definition.columns.filter(\.isFigure)
        guard metrics.contains(where: { $0.name == condition.metric }) else {
            throw AlertRuleError(
                "the report \(report) has no figure \(condition.metric.prefix(100)); accepted: "
                    + metrics.map(\.name).joined(separator: ", ")
            )
        }
        // When the newest responses that count have been given, and an hour for them to arrive.
        let wait = (parameters.seconds("window") ?? 0) + 3600
        guard wait <= Self.longestWait else {
            throw AlertRuleError("a rule waits for its window and an hour, 400 days at most: choose a shorter window")
        }
        self.name = name
        self.report = report
        self.parameters = Dictionary(grouping: pairs, by: \.name).mapValues { $0.map(\.value) }
        self.condition = condition
        self.leastVolume = leastVolume
        waitSeconds = wait
        tz = self.parameters["tz"]?.first ?? "UTC"
        self.receivers = receivers
    }
}

/// Why a rule is not accepted.
public struct AlertRuleError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what is accepted, in one sentence.
    public let description: String
    /// Whether other rules are in its way: the app has one of that name, or too many.
    public let isConflict: Bool

    /// That a rule's report has rows that it cannot judge by themselves.
    static func alike(_ report: String) -> AlertRuleError {
        AlertRuleError(
            "the report \(report) has several rows of one name, which a rule cannot distinguish: choose another"
        )
    }

    init(_ description: String, isConflict: Bool = false) {
        self.description = description
        self.isConflict = isConflict
    }
}
