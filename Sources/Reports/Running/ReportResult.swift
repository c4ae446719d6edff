public import EventLog

/// A report's answer.
public struct ReportResult: Sendable {
    /// The position and time of an answer.
    public struct AsOf: Sendable, Equatable {
        /// Every event up to this position of the log is included; with several cells, the lowest of theirs.
        public var position: Position
        /// The positions of the cells, up to which every event of theirs is included; empty for a database that is alone.
        public var positions: [Position] = []
        /// When it was read, microseconds since 1970-01-01T00:00:00Z.
        public var at: Int64
        /// The age of the oldest event that is not included, since its `received_at`; 0 if there is none.
        public var lagSeconds: Double
    }

    /// The report.
    public var definition: ReportDefinition
    /// The effective parameters, including defaults, in the order of the definition; then the filters given.
    public var parameters: [(name: String, value: ReportValue)]
    /// The position and time of the answer.
    public var asOf: AsOf
    /// The columns: those of the definition, dimensions under their own names, without columns that were not requested.
    public var columns: [ReportColumn]
    /// The columns of a terminal table, the most important first.
    public var tableColumns: [String]
    /// The rows, with a value for each column.
    public var rows: [[ReportValue]]
    /// For a report that `limit` bounds: the number of keys; nil for any other.
    public var rowsTotal: Int64?
    /// For a listing: the cursor of the next page, nil on the last.
    public var nextCursor: String?
}

/// A part of a report's answer, as it is read.
public enum ReportPart: Sendable {
    /// The answer without rows; the first part
    case head(ReportResult)
    /// The next rows, at least one
    case rows([[ReportValue]])
}

/// A value in a report.
public enum ReportValue: Sendable, Equatable {
    /// Null: nobody could observe it, or a rate without a denominator
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
    /// The same, with an offset from UTC in minutes
    case localTime(Int64, utcOffsetMinutes: Int)
    /// Names; null only in filters
    case list([String?])
}

extension ReportValue {
    /// A count, a rate or seconds as a number; nil for anything else.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value.isFinite ? value : nil
        default: nil
        }
    }
}
