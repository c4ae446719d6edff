internal import Reports

extension ReportFormat {
    /// The format of the `Accept` header; JSON without one.
    ///
    /// - Throws: ``Problem`` 406 if it accepts none.
    static func negotiate(_ accept: String?) throws(Problem) -> ReportFormat {
        try MediaRange.negotiate(
            accept,
            ["application/json": .json, "text/csv": .csv, "application/x-ndjson": .ndjson, "text/plain": .table]
        )
    }
}
