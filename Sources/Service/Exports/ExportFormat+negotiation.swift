internal import Exports
internal import HTTPTypes

extension ExportFormat {
    /// The format of the `Accept` header; NDJSON without one.
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
}
