internal import EventLog
public import NotificationEvents

/// A subscription: the figures of a saved view by mail, each day or each week.
public struct Digest: Sendable {
    /// Its number.
    public var id: Int64
    /// The name of its app.
    public var app: String
    /// The question that it answers.
    public var question: DigestQuestion
    /// When it is due.
    public var schedule: DigestSchedule
    /// To whom it is delivered: `mailto:NAME@HOST`.
    public var receiver: String
    /// When it is due next.
    public var dueAt: Timestamp
    /// When it was made last.
    public var madeAt: Timestamp?
    /// Why it could not be made, or why the newest one is not delivered.
    public var lastError: String?
}

/// What a digest asks: a saved view.
public struct DigestQuestion: Sendable {
    /// The view's name.
    public var view: String
    /// Its report.
    public var report: String
    /// The values of each parameter.
    public var parameters: [String: [String]]

    /// Makes a question.
    public init(view: String, report: String, parameters: [String: [String]]) {
        self.view = view
        self.report = report
        self.parameters = parameters
    }

    /// The time zone of days.
    public var tz: String { parameters["tz"]?.first ?? "UTC" }

    /// Whether it is of some campaigns alone.
    var isOfCampaigns: Bool { parameters["campaign"]?.contains { !$0.isEmpty } ?? false }

    /// What a digest sets itself.
    private static let own: Set<String> = ["from", "to", "interval", "limit"]
    /// What the question's words leave out: also what does not say what is asked.
    private static let unsaid = own.union(["source", "tz"])

    /// The parameters but those that a digest sets itself, by name.
    var pairs: [(name: String, value: String)] {
        parameters.filter { !Self.own.contains($0.key) }.pairs
    }

    /// The question in words: `engagement by category, window P1D, campaign spring-sale or none`.
    var words: String {
        var words = report
        if let by = parameters["by"], by != ["none"] { words += " by " + by.joined(separator: " and ") }
        for (name, values) in parameters.sorted(by: { $0.key < $1.key })
        where name != "by" && !Self.unsaid.contains(name) {
            words += ", \(name) " + values.map { $0.isEmpty ? "none" : $0 }.joined(separator: " or ")
        }
        return words.count > 300 ? words.prefix(300) + "…" : words
    }
}
