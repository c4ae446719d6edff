internal import EventLog
internal import Postgres

extension ReportRunner {
    /// Checks what of a report's parameters only the database can judge: the time zone, the range and its intervals, and, by a run
    /// that reads nothing, whatever else the report itself refuses.
    ///
    /// - Parameters:
    ///   - parameters: those of a report that is to run later.
    ///   - app: the app's name.
    /// - Throws: ``ReportError`` if one is not accepted; `PostgresError`.
    public func check(_ parameters: ReportParameters, app: String) async throws {
        do {
            try await pool.query(
                "SELECT reporting.divided_period($1, $2, $3, $4, now())",
                [
                    .text(parameters.text("interval") ?? "none"), .text(parameters.time("from")),
                    .text(parameters.time("to")), .text(parameters.text("tz") ?? "UTC"),
                ]
            )
            let (nothing, asOf) = parameters.ofNothing
            let statement = ReportStatement(nothing, app: app, asOf: asOf)
            try await pool.withTransaction(isolation: .repeatableRead, readOnly: true) { connection in
                try await LogProgress.lockCheckpoints(on: connection)
                // No other cell refuses more, and one that is silent keeps nobody from saving.
                try await connection.query("SELECT set_config('notilog.here', 'on', true)")
                try await connection.query(statement.sql, statement.parameters, cached: false)
            }
        } catch let error as PostgresError {
            throw Self.reportError(error) ?? error
        }
    }
}
