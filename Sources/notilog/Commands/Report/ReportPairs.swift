import ArgumentParser

/// Parameters of a report that options give as pairs of a name and a value.
struct ReportPairs: ParsableArguments {
    @Option(
        name: .customLong("filter"),
        help: "DIMENSION=VALUE; may be repeated; an empty value selects rows without one."
    )
    var filters: [String] = []
    @Option(name: .customLong("param"), help: "Any other parameter of the report, as NAME=VALUE.")
    var others: [String] = []

    /// Names and values, as a report takes them.
    ///
    /// - Throws: `ValidationError` if an option is not a pair.
    func pairs() throws -> [(name: String, value: String)] {
        try (filters + others).map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw ValidationError("--filter and --param take NAME=VALUE, such as category=news")
            }
            return (String(parts[0]), String(parts[1]))
        }
    }
}
