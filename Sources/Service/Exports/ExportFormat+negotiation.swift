internal import Exports
internal import HTTPTypes

extension ExportFormat {
    /// The format that the `Accept` header asks for; NDJSON where there is none.
    ///
    /// - Throws: ``Problem`` 406 where none of those that it takes is given.
    static func negotiate(_ accept: String?) throws(Problem) -> ExportFormat {
        guard let accept else { return .ndjson }
        for range in MediaRange.parse(accept) {
            switch range.type {
            case "*/*", "application/*", "application/x-ndjson": return .ndjson
            case "text/csv", "text/*": return .csv
            default: continue
            }
        }
        throw Problem(
            .notAcceptable,
            "not_acceptable",
            "Accept takes application/x-ndjson or text/csv; or use format="
        )
    }

    /// Whether an `Accept-Encoding` header takes gzip (RFC 9110, section 12.5.3).
    static func acceptsGzip(_ header: String?) -> Bool {
        (header ?? "").split(separator: ",").contains { item in
            let parts = item.split(separator: ";").map { String($0.filter { $0 != " " && $0 != "\t" }).lowercased() }
            guard let name = parts.first, name == "gzip" || name == "*" else { return false }
            return parts.dropFirst().allSatisfy { !$0.hasPrefix("q=") || (Double($0.dropFirst(2)) ?? 1) > 0 }
        }
    }
}
