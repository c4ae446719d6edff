/// A report's answer.
public struct ReportResult: Sendable {
    /// How far the answer goes.
    public struct AsOf: Sendable, Equatable {
        /// Every event up to this position of the log is in it.
        public var position: Int64
        /// When it was read, microseconds since 1970-01-01T00:00:00Z.
        public var at: Int64
        /// The age of the oldest event that is not in it, since its `received_at`; 0 where there is none.
        public var lagSeconds: Double
    }

    /// The report.
    public var definition: ReportDefinition
    /// The parameters in force, defaults included, in the order of the definition; then the filters given.
    public var parameters: [(name: String, value: ReportValue)]
    /// How far it goes.
    public var asOf: AsOf
    /// The columns: those of the definition, dimensions under their own names, without the columns not asked for.
    public var columns: [ReportColumn]
    /// The columns of a terminal table, the most important first.
    public var tableColumns: [String]
    /// The rows, with a value for each column.
    public var rows: [[ReportValue]]
    /// Of a report whose rows are bounded by `limit`: how many keys there are; nil of any other.
    public var rowsTotal: Int64?
    /// Of a listing: where to go on, nil where nothing follows.
    public var nextCursor: String?
}

/// A part of a report's answer, as it is read.
public enum ReportPart: Sendable {
    /// Everything but rows; the first part
    case head(ReportResult)
    /// The next rows, at least one
    case rows([[ReportValue]])
}

/// A value in a report.
public enum ReportValue: Sendable, Equatable {
    /// What nobody could observe, or a rate without a denominator
    case null
    /// A count
    case integer(Int64)
    /// A rate, or seconds
    case double(Double)
    /// Yes or no
    case bool(Bool)
    /// A name
    case text(String)
    /// JSON text
    case json(String)
    /// Microseconds since 1970-01-01T00:00:00Z
    case time(Int64)
    /// The same, to be read with an offset from UTC in minutes
    case localTime(Int64, utcOffsetMinutes: Int)
    /// Names, of which none may be null but in filters
    case list([String?])
}
