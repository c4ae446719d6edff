internal import Postgres

extension ReportRunner {
    /// Checks what of a report's parameters only the database can judge: the time zone, the range, and its intervals.
    ///
    /// - Parameter parameters: those of a report that is to run later.
    /// - Throws: ``ReportError`` if one is not accepted; `PostgresError`.
    public func check(_ parameters: ReportParameters) async throws {
        do {
            try await pool.query(
                "SELECT reporting.divided_period($1, $2, $3, $4, now())",
                [
                    .text(parameters.text("interval") ?? "none"), .text(parameters.time("from")),
                    .text(parameters.time("to")), .text(parameters.text("tz") ?? "UTC"),
                ]
            )
        } catch let error as PostgresError {
            throw Self.reportError(error) ?? error
        }
    }
}
