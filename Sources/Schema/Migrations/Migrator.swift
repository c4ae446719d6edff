public import Logging
internal import Pacing
public import Postgres

/// Migrates a database's schema to the SQL files: forward only, each migration in a transaction of its own with its checksum.
/// Migrators take turns, a transaction each: the second one sees the work of the first.
public struct Migrator: Sendable {
    let folder: ReleaseFolder
    let logger: Logger

    /// - Parameters:
    ///   - folder: the SQL files.
    ///   - logger: logs each file applied.
    public init(folder: ReleaseFolder, logger: Logger) {
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

    /// What ``migrate(on:applied:)`` would do.
    ///
    /// - Throws: ``SchemaError`` where the database can't be migrated by these files.
    public func plan(on connection: Connection) async throws -> MigrationPlan {
        try await expectUnicode(on: connection)
        return try await plan(SQLFiles.read(folder, on: connection), on: connection)
    }

    /// Applies what is missing.
    ///
    /// - Parameter applied: told the name of each migration as it is committed.
    /// - Returns: what was done.
    /// - Throws: ``PostgresError``: for a statement that failed, with the file named in the message; ``SchemaError``
    ///   where the database can't be migrated by these files.
    @discardableResult
    public func migrate(
        on connection: Connection,
        applied: (String) -> Void = { _ in }
    ) async throws -> MigrationPlan {
        try await expectUnicode(on: connection)
        let files = try await SQLFiles.read(folder, on: connection)
        let plan = try await plan(files, on: connection)
        var done = MigrationPlan(migrations: [], reappliesFunctions: false)
        if !plan.isEmpty { try await keepBooks(on: connection) }
        for migration in files.migrations where plan.migrations.contains(migration.file) {
            let isMissing = try await turn(on: connection) { connection in
                guard try await self.plan(files, on: connection).migrations.contains(migration.file) else {
                    return false
                }
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
                return true
            }
            guard isMissing else { continue }
            done.migrations.append(migration.file)
            logger.info("migration applied", metadata: ["file": "\(migration.file)"])
            applied(migration.file)
        }
        if plan.reappliesFunctions {
            (done.reappliesFunctions, done.rolesProblem) = try await reapply(files, on: connection)
        } else {
            done.rolesProblem = try await transaction(on: connection) { try await applyRoles(files, on: $0) }
        }
        return done
    }

    /// A transaction that no other migrator is at work in.
    func turn<Value: Sendable>(
        on connection: Connection,
        _ body: (Connection) async throws -> Value
    ) async throws -> Value {
        try await transaction(on: connection, first: "LOCK TABLE migration.applied IN EXCLUSIVE MODE", body)
    }

    /// Makes the tables of what was applied, where they are missing.
    private func keepBooks(on connection: Connection) async throws {
        var attempts = 0
        while try await !connection.query(Self.hasBooks).only().get(0, as: Bool.self) {
            do {
                try await run("migrator/books.sql", on: connection)
            } catch let error as PostgresError where error.sqlState == SQLState.uniqueViolation && attempts < 20 {
                // Another migrator made the same just now.
                attempts += 1
            }
        }
    }

    /// Runs a step while the service may be at work: rather than make appends queue behind a lock that it waits for, it
    /// gives up and tries again.
    func transaction<Value: Sendable>(
        on connection: Connection,
        first statement: String? = nil,
        _ body: (Connection) async throws -> Value
    ) async throws -> Value {
        var pause = Backoff(first: .milliseconds(50), longest: .seconds(1))
        var attempts = 0
        while true {
            do {
                return try await connection.withTransaction { connection in
                    if let statement { try await connection.execute(script: statement) }
                    try await connection.execute(script: "SET LOCAL lock_timeout = '2s'")
                    return try await body(connection)
                }
            } catch let error as PostgresError
                where error.isRetriable && !error.isConnectionFailure && attempts < 20
            {
                attempts += 1
                logger.notice(
                    "a step of the migration could not get its locks or resources and will be retried",
                    metadata: ["error": "\(error)"]
                )
                await pause.wait()
            }
        }
    }

    /// Runs a script that is there before any function.
    func run(_ file: String, on connection: Connection) async throws {
        let script = try folder.read(file)
        try await named("sql/\(file)") { try await connection.execute(script: script) }
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
