/// The formats of a report.
public enum ReportFormat: String, Sendable, CaseIterable {
    /// One JSON document with the report's name, parameters, as_of, columns and rows
    case json
    /// RFC 4180, with a header line
    case csv
    /// One JSON object a line
    case ndjson
    /// Aligned text, for people
    case table

    /// The Content-Type of the format.
    public var contentType: String {
        switch self {
        case .json: "application/json"
        case .csv: "text/csv; charset=utf-8; header=present"
        case .ndjson: "application/x-ndjson"
        case .table: "text/plain; charset=utf-8"
        }
    }
}
