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
    @Option(help: "The denominator of rates: reached, delivered or presented.")
    var per: String?
    @Option(help: "The number of groups with rows of their own, largest first; the others share one row.")
    var limit: Int?
    @Option(
        name: .customLong("filter"),
        help: "DIMENSION=VALUE; may be repeated; an empty value selects rows without one."
    )
    var filters: [String] = []
    @Option(name: .customLong("param"), help: "Any other parameter of the report, as NAME=VALUE.")
    var others: [String] = []

    /// Names and values, as a report takes them.
    func pairs() throws -> [(name: String, value: String)] {
        let given: [(String, String?)] = [
            ("by", by), ("interval", interval), ("from", from), ("to", to), ("tz", tz), ("window", window),
            ("per", per), ("limit", limit.map(String.init)),
        ]
        var pairs = given.compactMap { name, value in value.map { (name: name, value: $0) } }
        for pair in filters + others {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw ValidationError("--filter and --param take NAME=VALUE, such as category=news")
            }
            pairs.append((String(parts[0]), String(parts[1])))
        }
        return pairs
    }
}
