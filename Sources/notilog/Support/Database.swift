import EventLog
import Logging
import Postgres
import Schema

/// A short use of the database by a command.
enum Database {
    /// Lends a pool of few connections.
    ///
    /// - Parameters:
    ///   - role: what the command's login must be a member of; it is named if a right is missing.
    ///   - writes: whether the command changes something: then it is refused where this release cannot work.
    /// - Throws: ``CommandFailure`` if the database does not answer or has no schema of Notilog; errors of `body`.
    static func withPool<Value>(
        _ configuration: ConnectionConfiguration,
        limit: Int = 2,
        needs role: Role,
        writes: Bool = false,
        _ body: (Pool) async throws -> Value
    ) async throws -> Value {
        do {
            return try await Pool.with(configuration, limit: limit) { pool in
                if writes { try await pool.withConnection { try await expectOwnSchema($0) } }
                return try await body(pool)
            }
        } catch {
            throw explained(error, needs: [role])
        }
    }

    /// Refuses a schema that this release would harm, as the service does.
    ///
    /// - Throws: ``CommandFailure``; `PostgresError`.
    static func expectOwnSchema(_ connection: Connection) async throws {
        let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: Logger(label: "notilog"))
        switch try await migrator.state(on: connection) {
        case .tooNew(let version, _):
            throw CommandFailure(
                "a later release migrated the database to \(version), and this one must not change it: use that release's `notilog`"
            )
        case .foreign(let reason):
            throw CommandFailure(SchemaState.foreign(reason: reason).problem ?? reason)
        case .current, .missing, .older, .functionsDiffer, .newer: break
        }
    }

    /// The error as a message that says what to do.
    ///
    /// - Parameter roles: what the login must be a member of; they are named if a right is missing.
    static func explained(_ error: any Error, needs roles: [Role]) -> any Error {
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
        case SQLState.readOnlySQLTransaction:
            return CommandFailure(
                "the database is read-only, as a standby is: name the primary in --database-url or NOTILOG_DATABASE_URL"
            )
        // What Notilog's own functions refuse, in words for people.
        case SQLState.invalidParameterValue, SQLState.objectNotInPrerequisiteState: return CommandFailure(error.message)
        case SQLState.invalidSchemaName, SQLState.undefinedTable, SQLState.undefinedFunction:
            return CommandFailure("the database has no Notilog schema: run `notilog migrate`")
        case SQLState.insufficientPrivilege:
            let needed = roles.map(\.rawValue).joined(separator: " and of ")
            return CommandFailure("\(error.message): use a login that is a member of \(needed)")
        default: return CommandFailure("\(error)")
        }
    }
}
