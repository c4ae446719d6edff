public import Logging

/// Brings a database's schema to that of the SQL files: forward only, each migration in a transaction of its own with
/// its checksum, one migrator at a time.
public struct Migrator: Sendable {
    let folder: SQLFolder
    let logger: Logger

    /// Migrators wait for each other under this advisory lock ("NOTImigr" in ASCII).
    private static let lockKey: Int64 = 0x4E4F_5449_6D69_6772

    /// - Parameters:
    ///   - folder: the SQL files.
    ///   - logger: told of each file applied.
    public init(folder: SQLFolder, logger: Logger) {
        self.folder = folder
        self.logger = logger
    }

    /// Reads the files, for ``state(_:on:)`` to be asked often. Their texts, over a megabyte, are not kept.
    ///
    /// - Throws: ``PostgresError``.
    public func files(on connection: Connection) async throws -> SQLFiles {
        var files = try await SQLFiles.read(folder, on: connection)
        for index in files.migrations.indices { files.migrations[index].sql = "" }
        files.replaceable = []
        files.roles = nil
        return files
    }

    /// Compares the database with the files, and changes nothing.
    ///
    /// - Throws: ``PostgresError``.
    public func state(on connection: Connection) async throws -> SchemaState {
        try await state(files(on: connection), on: connection)
    }

    /// What ``migrate(on:)`` would do.
    ///
    /// - Throws: ``PostgresError``, with code `migration` where the database can't be migrated by these files.
    public func plan(on connection: Connection) async throws -> MigrationPlan {
        try await plan(SQLFiles.read(folder, on: connection), on: connection)
    }

    /// Applies what is missing.
    ///
    /// - Returns: what was done.
    /// - Throws: ``PostgresError``: the server's for a statement that failed, with the file named in the context; code
    ///   `migration` where the database can't be migrated by these files.
    @discardableResult
    public func migrate(on connection: Connection) async throws -> MigrationPlan {
        try await connection.query("SELECT pg_advisory_lock($1)", [.int8(Self.lockKey)])
        let result: Result<MigrationPlan, any Error>
        do {
            result = .success(try await migrateLocked(on: connection))
        } catch {
            result = .failure(error)
        }
        await connection.finish("SELECT pg_advisory_unlock($1)", [.int8(Self.lockKey)])
        return try result.get()
    }

    private func migrateLocked(on connection: Connection) async throws -> MigrationPlan {
        let files = try await SQLFiles.read(folder, on: connection)
        var plan = try await plan(files, on: connection)
        if !plan.isEmpty { try await connection.execute(script: Self.bookkeeping) }
        for migration in files.migrations where plan.migrations.contains(migration.file) {
            try await transaction(on: connection) { connection in
                try await named("sql/migrations/\(migration.file)") {
                    try await connection.execute(script: migration.sql)
                }
                try await connection.query(
                    "INSERT INTO migration.applied (version, file, checksum, oldest_service) VALUES ($1, $2, $3, $4)",
                    [
                        .int4(migration.version), .text(migration.file), .text(migration.checksum),
                        .int4(migration.oldestService),
                    ]
                )
            }
            logger.info("migration applied", metadata: ["file": "\(migration.file)"])
        }
        plan.rolesProblem =
            plan.reappliesFunctions
            ? try await reapply(files, on: connection)
            : try await transaction(on: connection) { try await applyRoles(files, on: $0) }
        return plan
    }

    /// Runs a step while the service may be at work: rather than make appends queue behind a lock that it waits for, it
    /// gives up and tries again.
    func transaction<Value: Sendable>(
        on connection: Connection,
        _ body: (Connection) async throws -> Value
    ) async throws -> Value {
        var pause = Backoff(first: .milliseconds(50), longest: .seconds(1))
        var attempts = 0
        while true {
            do {
                return try await connection.withTransaction { connection in
                    try await connection.execute(script: "SET LOCAL lock_timeout = '2s'")
                    return try await body(connection)
                }
            } catch let error as PostgresError
                where error.isRetriable && !error.isConnectionFailure && attempts < 20
            {
                attempts += 1
                logger.info("somebody is at work on a table, trying again", metadata: ["error": "\(error)"])
                await pause.wait()
            }
        }
    }

    func named<Value>(_ file: String, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch var error as PostgresError {
            error.message = "\(file): \(error.message)"
            throw error
        }
    }
}
