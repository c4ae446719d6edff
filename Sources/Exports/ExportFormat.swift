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
            let names = Self.allCases.map(\.rawValue)
            throw ExportError(
                .unknownFormat,
                "there is no export format of this name: use \(names.joined(separator: " or "))",
                accepted: names
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
