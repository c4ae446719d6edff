internal import HTTPTypes
internal import Reports

extension ReportFormat {
    /// The format of the `Accept` header; JSON without one.
    ///
    /// - Throws: ``Problem`` 406 where none of those that it takes is given.
    static func negotiate(_ accept: String?) throws(Problem) -> ReportFormat {
        guard let accept else { return .json }
        for range in MediaRange.parse(accept) {
            switch range.type {
            case "*/*", "application/*", "application/json": return .json
            case "application/x-ndjson": return .ndjson
            case "text/csv", "text/*": return .csv
            case "text/plain": return .table
            default: continue
            }
        }
        throw Problem(
            .notAcceptable,
            "not_acceptable",
            "Accept takes application/json, text/csv, application/x-ndjson or text/plain; or use format="
        )
    }
}
