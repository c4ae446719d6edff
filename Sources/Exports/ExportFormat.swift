/// How rows are written.
public enum ExportFormat: String, Sendable, CaseIterable {
    /// A JSON object a line (application/x-ndjson).
    case ndjson
    /// A line of names, then one a row (RFC 4180, lines ended by LF); null is empty, the empty text is `""`.
    case csv

    /// Reads a format's name.
    ///
    /// - Throws: ``ExportError`` that names the accepted ones.
    public init(name: String) throws(ExportError) {
        guard let format = ExportFormat(rawValue: name) else {
            throw ExportError(
                .unknownFormat,
                "there is no such format of exports: take ndjson or csv",
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
