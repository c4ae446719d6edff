/// How rows are written.
public enum ExportFormat: String, Sendable, CaseIterable {
    /// One JSON object a line (application/x-ndjson).
    case ndjson
    /// A line of column names, then one line a row (RFC 4180, lines end with LF); null is empty, the empty text is `""`.
    case csv

    /// Reads a format's name.
    ///
    /// - Throws: ``ExportError`` with the accepted names.
    public init(name: String) throws(ExportError) {
        guard let format = ExportFormat(rawValue: name) else {
            throw ExportError(
                .unknownFormat,
                "unknown export format: use ndjson or csv",
                accepted: Self.allCases.map(\.rawValue)
            )
        }
        self = format
    }

    /// The media type.
    public var contentType: String {
        switch self {
        case .ndjson: "application/x-ndjson"
        case .csv: "text/csv; charset=utf-8; header=present"
        }
    }
}
