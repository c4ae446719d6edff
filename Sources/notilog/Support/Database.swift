import Postgres

/// A short use of the database by a command.
enum Database {
    /// Lends a pool of few connections.
    ///
    /// - Throws: ``CommandFailure`` if the database does not answer or has no schema of Notilog; errors of `body`.
    static func withPool<Value>(
        _ configuration: ConnectionConfiguration,
        limit: Int = 2,
        _ body: (Pool) async throws -> Value
    ) async throws -> Value {
        let pool = Pool(configuration.with(settings: [:], applicationName: "notilog"), limit: limit)
        do {
            let value = try await body(pool)
            await pool.shutDown()
            return value
        } catch {
            await pool.shutDown()
            throw explained(error)
        }
    }

    /// The error as a message that says what to do.
    static func explained(_ error: any Error) -> any Error {
        guard let error = error as? PostgresError else { return error }
        if error.isRefusedConnection {
            return CommandFailure(
                "the server answers, but does not let this login in (\(error.message)): check role, password and database in --database-url or NOTILOG_DATABASE_URL"
            )
        }
        if error.isOutOfConnections {
            return CommandFailure(
                "the server has no connection left (\(error.message)): end sessions that nobody needs (see pg_stat_activity), or raise max_connections"
            )
        }
        if error.isConnectionFailure {
            return CommandFailure(
                "the database does not answer (\(error.message)): set --database-url or NOTILOG_DATABASE_URL, or start the server"
            )
        }
        switch error.sqlState {
        case "3F000", "42P01", "42883":
            return CommandFailure("the database has no Notilog schema: run `notilog migrate`")
        case "42501":
            return CommandFailure(
                "permission denied (\(error.message)): use a login that is a member of notilog_owner"
            )
        default: return CommandFailure("\(error)")
        }
    }
}
