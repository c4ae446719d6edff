/// A report's parameters and columns, from the header of its file in `sql/reports`.
public struct ReportDefinition: Sendable, Equatable {
    /// Its name: of its file and of the function `report.<name>`.
    public var name: String
    /// Its purpose, in a sentence or two.
    public var purpose: String
    /// The projections it reads; `log` stands for the log itself.
    public var reads: [String]
    /// What it reads one by one, beside the edges of its range, so that it takes the longer the more there is; nil for nothing.
    public var byRows: String?
    /// The checkpoints of those projections: a projection of a group shares its leader's.
    public var checkpoints: [String]
    /// Its parameters.
    public var parameters: [ReportParameterDefinition]
    /// The dimensions that can filter it, each a repeatable parameter; empty for null.
    public var filters: [String]
    /// Its columns, in order.
    public var columns: [ReportColumn]
    /// The columns of a terminal table, the most important first, in case not all of them fit.
    public var tableColumns: [String]
    /// Whether its rows are single things on pages, newest first, rather than aggregates.
    public var isListing = false

    /// Whether its parameter `limit` bounds the keys with rows of their own; a row `other` sums the rest.
    public var isBounded: Bool {
        !isListing && parameter("limit") != nil
    }

    /// Columns that tell rows apart although they do not stand first: classes, outcomes and periods of one group.
    static let laterKeys: Set<String> = ["attributed", "class", "outcome", "since", "until"]

    /// Whether the columns of keys that stand first name a row: within one interval no two rows have the same values there, except
    /// the row `other`.
    public var namesRowsByFirstKeys: Bool {
        let later = columns.drop { $0.name == "interval_start" || $0.isKey }
        return !isListing && !later.contains(where: \.isLaterKey)
    }

    /// Stands for every dimension that an app named in lists of what is accepted; an app's own is `attribute.` and its key.
    public static let ownDimension = "attribute.KEY"

    /// Whether a name is that of a filter.
    func isFilter(_ name: String) -> Bool {
        filters.accepts(dimension: name)
    }

    /// Its path in HTTP.
    public var path: String {
        isListing ? "/v1/\(name)" : "/v1/reports/\(name)"
    }

    /// Names that ``ReportParameters`` accepts for this report.
    public var acceptedNames: [String] {
        parameters.map(\.name) + unusedNames + filters + ["format", "min_position"]
    }

    /// Names that every report accepts so that one question can be put to all, and that change nothing in this one: it times no
    /// response, or leaves out by itself what is immature.
    public var unusedNames: [String] {
        ["window", "mature"].filter { parameter($0) == nil }
    }

    /// The columns of an answer, under their names there: instead of `by_1` and `by_2` each dimension that `by` accepts.
    public var answerColumns: [ReportColumn] {
        columns.flatMap { column -> [ReportColumn] in
            guard let by = parameters.first(where: { $0.kind == .dimensions }) else { return [column] }
            switch column.name {
            case "by_1":
                return by.accepted.filter { $0 != "none" }.map { name in
                    var dimension = column
                    dimension.name = name
                    dimension.description = "Where `\(by.name)` names it; null where nothing says it"
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

extension [String] {
    /// Whether a dimension is one of these, or may be one that an app named: which it did, the report says when it runs.
    func accepts(dimension name: String) -> Bool {
        contains(name) || contains(ReportDefinition.ownDimension) && name.hasPrefix("attribute.")
    }
}

/// A parameter of a report.
public struct ReportParameterDefinition: Sendable, Equatable {
    /// How a parameter's text is parsed.
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
        /// A name, or any text that the report itself parses
        case text
        /// A whole number within ``ReportParameterDefinition/bounds``
        case whole
        /// `true` or `false`
        case flag
    }

    /// Its name, the same in SQL, HTTP and on the command line.
    public var name: String
    /// How its text is read.
    public var kind: Kind
    /// The default, in words if it is not a value.
    public var defaultText: String
    /// The accepted values, in words.
    public var acceptedText: String
    /// The accepted values, if they can be listed.
    public var accepted: [String]
    /// Its meaning.
    public var description: String

    /// The lowest and the highest number accepted, which ``acceptedText`` writes as `1 to 1000`.
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
    /// Its unit (`notifications`, `fraction`, `seconds`, …); nil if it has none.
    public var unit: String?
    /// Its meaning.
    public var description: String
    /// When what it says of a range no longer changes.
    public var maturity = Maturity.atOnce
    /// Whether it is a difference of two fractions, which people read in percentage points.
    public var isDifference = false
    /// The column of the same row that a rate, or a bound of one, is divided by; nil for anything else.
    public var denominator: String?

    /// When what a column says of a range no longer changes, but for what arrives late.
    public enum Maturity: Sendable, Equatable {
        /// When the range is over: a count of notifications or devices
        case atOnce
        /// When `window` is over too: a rate, and a count of what was done within it or of those whose window is over
        case afterWindow
        /// Never: a count of responses at any time, which grows with age in every range; with a key in the row of that key alone
        case never(key: String?)
    }
}

extension ReportColumn {
    /// Whether it grows with age in the row of a key, and so is more in an older range.
    public func isGrowing(in key: [String?]) -> Bool {
        guard case .never(let only) = maturity else { return false }
        return only.map { key == [$0] } ?? true
    }

    /// Whether it holds a number of a unit that says something of its row, rather than tells it apart.
    public var isFigure: Bool {
        unit != nil && !isLaterKey && ["bigint", "integer", "double precision"].contains(type)
    }

    /// Whether it may belong to the key of a row where it stands first.
    public var isKey: Bool {
        unit == nil && ["text", "integer"].contains(type)
    }

    /// Whether it tells rows apart although it does not stand first.
    public var isLaterKey: Bool {
        ReportDefinition.laterKeys.contains(name)
    }
}
