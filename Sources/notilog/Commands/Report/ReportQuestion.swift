import ArgumentParser

/// What is asked of a report: its parameters as options.
struct ReportQuestion: ParsableArguments {
    @Option(help: "One or two dimensions, joined by a comma.")
    var by: String?
    @Option(help: "none, hour, day, week or month.")
    var interval: String?
    @Option(help: "The start: a date or an RFC 3339 time.")
    var from: String?
    @Option(help: "The end, not included.")
    var to: String?
    @Option(help: "The time zone of dates and intervals, such as Europe/Berlin.")
    var tz: String?
    @Option(help: "How long a response may take, as an ISO 8601 duration such as P3D.")
    var window: String?
    @Flag(help: "Leave out notifications younger than the window, whose time to respond is not over.")
    var mature = false
    @Option(help: "The denominator of rates: reached, delivered or presented.")
    var per: String?
    @Option(help: "The number of groups with rows of their own, largest first; the others share one row.")
    var limit: Int?
    @OptionGroup var more: ReportPairs

    /// Names and values, as a report takes them.
    func pairs() throws -> [(name: String, value: String)] {
        let given: [(String, String?)] = [
            ("by", by), ("interval", interval), ("from", from), ("to", to), ("tz", tz), ("window", window),
            ("mature", mature ? "true" : nil), ("per", per), ("limit", limit.map(String.init)),
        ]
        return try given.compactMap { name, value in value.map { (name: name, value: $0) } } + more.pairs()
    }

    /// Parameters as a list shows them: each name once, with its values.
    static func words(_ parameters: [String: [String]]) -> String {
        parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.joined(separator: ","))" }
            .joined(separator: " ")
    }
}
