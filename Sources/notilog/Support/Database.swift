import EventLog
import Postgres

/// The role that a command's login must be a member of (`sql/roles.sql`).
enum NeededRole: String {
    case reader = "notilog_reader"
    case writer = "notilog_writer"
    case projector = "notilog_projector"
    case owner = "notilog_owner"
    /// Both roles of the service
    case service = "notilog_writer and of notilog_projector"
}

/// A short use of the database by a command.
enum Database {
    /// Lends a pool of few connections.
    ///
    /// - Parameter role: what is named if a right is missing.
    /// - Throws: ``CommandFailure`` if the database does not answer or has no schema of Notilog; errors of `body`.
    static func withPool<Value>(
        _ configuration: ConnectionConfiguration,
        limit: Int = 2,
        needs role: NeededRole = .writer,
        _ body: (Pool) async throws -> Value
    ) async throws -> Value {
        let pool = Pool(configuration.with(settings: [:], applicationName: "notilog"), limit: limit)
        do {
            let value = try await body(pool)
            await pool.shutDown()
            return value
        } catch {
            await pool.shutDown()
            throw explained(error, needs: role)
        }
    }

    /// The error as a message that says what to do.
    ///
    /// - Parameter role: what is named if a right is missing.
    static func explained(_ error: any Error, needs role: NeededRole = .writer) -> any Error {
        guard let error = (error as? AppendError)?.cause ?? error as? PostgresError else { return error }
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
            return CommandFailure("\(error.message): use a login that is a member of \(role.rawValue)")
        default: return CommandFailure("\(error)")
        }
    }
}
