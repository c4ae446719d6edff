internal import Exports

extension ExportFormat {
    /// The format of the `Accept` header; NDJSON without one.
    ///
    /// - Throws: ``Problem`` 406 if it accepts none.
    static func negotiate(_ accept: String?) throws(Problem) -> ExportFormat {
        try MediaRange.negotiate(accept, ["application/x-ndjson": .ndjson, "text/csv": .csv])
    }
}
