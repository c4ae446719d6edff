/// What a report takes and gives, as the header of its file in `sql/reports` says.
public struct ReportDefinition: Sendable, Equatable {
    /// Its name: that of its file and of the function `report.<name>`.
    public var name: String
    /// What it is for, in a sentence or two.
    public var purpose: String
    /// The projections it reads; `log` stands for the log itself.
    public var reads: [String]
    /// The checkpoints of those projections: a projection that goes with another shares the other's.
    public var checkpoints: [String]
    /// Its parameters.
    public var parameters: [ReportParameterDefinition]
    /// The dimensions that it can be filtered by, each a repeatable parameter, empty for null.
    public var filters: [String]
    /// Its columns, in order.
    public var columns: [ReportColumn]
    /// The columns that a terminal table shows, the most important first where they don't all fit.
    public var tableColumns: [String]
    /// Whether its rows are single things that go on over pages, newest first, rather than what they add up to.
    public var isListing = false

    /// Whether only so many keys as its parameter `limit` says have rows of their own, and a row `other` adds up the rest.
    public var isBounded: Bool {
        !isListing && parameter("limit") != nil
    }

    /// Where HTTP has it.
    public var path: String {
        isListing ? "/v1/\(name)" : "/v1/reports/\(name)"
    }

    /// Names that ``ReportParameters`` accepts for this report.
    public var acceptedNames: [String] {
        parameters.map(\.name) + filters + ["format", "min_position"]
    }

    /// The columns that an answer may have, under the names that it gives them: in the place of `by_1` and `by_2` each
    /// dimension that `by` accepts.
    public var answerColumns: [ReportColumn] {
        columns.flatMap { column -> [ReportColumn] in
            guard let by = parameters.first(where: { $0.kind == .dimensions }) else { return [column] }
            switch column.name {
            case "by_1":
                return by.accepted.filter { $0 != "none" }.map { name in
                    var dimension = column
                    dimension.name = name
                    dimension.description = "Where `\(by.name)` names it; null where the notification carried none"
                    return dimension
                }
            case "by_2": return []
            default: return [column]
            }
        }
    }

    /// A parameter by its name.
    public func parameter(_ name: String) -> ReportParameterDefinition? {
        parameters.first { $0.name == name }
    }
}

/// A parameter of a report.
public struct ReportParameterDefinition: Sendable, Equatable {
    /// How a parameter's text is read.
    public enum Kind: String, Sendable {
        /// One or two names of dimensions, joined by a comma, or `none`
        case dimensions
        /// One of ``ReportParameterDefinition/accepted``
        case choice
        /// An RFC 3339 time, or a date in `tz`
        case time
        /// An IANA time zone
        case zone
        /// An ISO 8601 duration in which a day is 24 h
        case duration
        /// A name, or whatever the report itself reads
        case text
        /// A whole number within ``ReportParameterDefinition/bounds``
        case whole
    }

    /// Its name, the same in SQL, HTTP and on the command line.
    public var name: String
    /// How its text is read.
    public var kind: Kind
    /// The default, in words where it is not a value.
    public var defaultText: String
    /// What is accepted, in words.
    public var acceptedText: String
    /// The values accepted, where they can be listed.
    public var accepted: [String]
    /// What it means.
    public var description: String

    /// The least and the greatest whole number accepted, which ``acceptedText`` says as `1 to 1000`.
    public var bounds: ClosedRange<Int32>? {
        let words = acceptedText.split(separator: " ")
        guard kind == .whole, words.count == 3, words[1] == "to", let least = Int32(words[0]),
            let greatest = Int32(words[2]), least <= greatest
        else { return nil }
        return least...greatest
    }
}

/// A column of a report.
public struct ReportColumn: Sendable, Equatable {
    /// Its name; a dimension's column has the dimension's name.
    public var name: String
    /// Its PostgreSQL type: text, bigint, integer, double precision, boolean, timestamptz or jsonb.
    public var type: String
    /// Its unit (`notifications`, `fraction`, `seconds`, …); nil where it has none.
    public var unit: String?
    /// What it means.
    public var description: String
}
