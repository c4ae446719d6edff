internal import EventLog
internal import Logging
internal import Pacing
internal import Postgres
internal import Schema

/// The database at the start of the service, with a schema that this release supports.
struct ServiceStore: Sendable {
    /// For sessions that accept events and answer requests.
    let database: ConnectionConfiguration
    /// The databases that the log is in: that one, or the cells of which it is the coordinator.
    let cells: Cells
    /// What sessions need that settle the log and apply projections, in any of them.
    let projectorSettings: [String: String]
    /// The folder of the release's SQL files.
    let folder: ReleaseFolder
    /// The release's SQL files, read once: the next release may replace those on disk.
    let files: SQLFiles

    /// Checks the database before anything starts. Each session takes the role with only the rights that it needs.
    ///
    /// - Throws: ``ServiceError`` if the schema does not fit this release; `PostgresError`.
    static func open(
        _ database: ConnectionConfiguration,
        _ folder: ReleaseFolder,
        logger: Logger
    ) async throws -> ServiceStore {
        let connection = try await firstConnection(database, logger)
        let migrator = Migrator(folder: folder, logger: logger)
        if let problem = try await migrator.encodingProblem(on: connection) { throw ServiceError(problem) }
        let roles = try await SessionRoles.find(on: connection)
        let files = try await migrator.files(on: connection)
        try await connection.set(roles.settings(.writer))
        let state: SchemaState
        do {
            state = try await migrator.state(files, on: connection)
        } catch let error as PostgresError where error.sqlState == SQLState.insufficientPrivilege {
            // A migration that was interrupted has not granted the roles anything yet; the login itself may see that.
            try await connection.set(["role": "none"])
            guard let problem = try? await migrator.state(files, on: connection).problem else { throw error }
            throw ServiceError(problem)
        }
        if let problem = state.problem { throw ServiceError(problem) }
        // Before what each part logs of the statements that fail for it. One that is promoted takes events, so this ends nothing.
        if try await connection.query("SELECT pg_is_in_recovery()").only().get(0, as: Bool.self) {
            logger.error(
                "the server is a standby, which takes no events: set NOTILOG_DATABASE_URL to the primary, or promote the standby"
            )
        }
        let cells = try await Cells.read(database.with(settings: roles.settings(.writer)), on: connection)
        await connection.close()
        for cell in cells.all.dropFirst() { try await check(cell, migrator, files, logger) }
        if case .newer(let version) = state {
            logger.notice(
                "a later release migrated the database: this release still works with it; update when you can",
                metadata: ["migration": "\(version)"]
            )
        }
        return ServiceStore(
            database: database.with(settings: roles.settings(.writer)),
            cells: cells,
            projectorSettings: roles.settings(.projector),
            folder: folder,
            files: files
        )
    }

    /// Checks the schema of another cell. One that does not answer keeps no service from starting: the others take events meanwhile.
    private static func check(
        _ cell: Cell,
        _ migrator: Migrator,
        _ files: SQLFiles,
        _ logger: Logger
    ) async throws {
        do {
            let configuration = cell.database.with(settings: [:], applicationName: SessionName.serve.rawValue)
            let problem = try await Connection.with(configuration) { connection -> String? in
                if let problem = try await migrator.encodingProblem(on: connection) { return problem }
                return try await migrator.state(files, on: connection).problem
            }
            if let problem { throw ServiceError("cell \(cell.number): \(problem)") }
        } catch let error as PostgresError where error.isConnectionFailure {
            logger.warning(
                "a cell does not answer: its devices' events are refused, and reports fail, until it does",
                metadata: ["cell": "\(cell.number)", "error": "\(error)"]
            )
        }
    }

    /// Waits for a server that is starting or recovering, because both may start with the machine; but not for one that does
    /// not run.
    private static func firstConnection(
        _ database: ConnectionConfiguration,
        _ logger: Logger
    ) async throws -> Connection {
        let configuration = database.with(settings: [:], applicationName: SessionName.serve.rawValue)
        let end = ContinuousClock.now + .seconds(60)
        var backoff = Backoff(first: .milliseconds(100), longest: .seconds(2))
        while true {
            do {
                return try await Connection.connect(configuration)
            } catch let error as PostgresError
                where error.sqlState == SQLState.cannotConnectNow && ContinuousClock.now < end
            {
                logger.notice("the database accepts no connections yet, waiting for it")
                await backoff.wait()
            }
        }
    }
}
