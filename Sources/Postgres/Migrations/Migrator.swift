public import Logging

/// Brings a database's schema to that of the SQL files: forward only, each migration in a transaction of its own with
/// its checksum, one migrator at a time.
public struct Migrator: Sendable {
    private let folder: SQLFolder
    private let logger: Logger

    /// Migrators wait for each other under this advisory lock ("NOTImigr" in ASCII).
    private static let lockKey: Int64 = 0x4E4F_5449_6D69_6772

    /// - Parameters:
    ///   - folder: the SQL files.
    ///   - logger: told of each file applied.
    public init(folder: SQLFolder, logger: Logger) {
        self.folder = folder
        self.logger = logger
    }

    /// Compares the database with the files, and changes nothing.
    ///
    /// - Throws: ``PostgresError``.
    public func state(on connection: Connection) async throws -> SchemaState {
        try await state(SQLFiles.read(folder, on: connection), on: connection)
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
        // A connection that broke has given the lock back by itself.
        _ = try? await connection.query("SELECT pg_advisory_unlock($1)", [.int8(Self.lockKey)])
        return try result.get()
    }

    private func migrateLocked(on connection: Connection) async throws -> MigrationPlan {
        let files = try await SQLFiles.read(folder, on: connection)
        let plan = try await plan(files, on: connection)
        guard !plan.isEmpty else { return plan }
        try await connection.execute(script: Self.bookkeeping)
        for migration in files.migrations where plan.migrations.contains(migration.file) {
            try await named("sql/migrations/\(migration.file)") {
                try await connection.withTransaction { connection in
                    try await connection.execute(script: migration.sql)
                    try await connection.query(
                        "INSERT INTO migration.applied (version, file, checksum) VALUES ($1, $2, $3)",
                        [.int4(migration.version), .text(migration.file), .text(migration.checksum)]
                    )
                }
            }
            logger.info("migration applied", metadata: ["file": "\(migration.file)"])
        }
        if plan.reappliesFunctions { try await reapply(files, on: connection) }
        return plan
    }

    private func reapply(_ files: SQLFiles, on connection: Connection) async throws {
        try await connection.withTransaction { connection in
            // Bodies may name functions of files that come later.
            try await connection.execute(script: "SET LOCAL check_function_bodies = off; " + Self.dropRoutines)
            for file in files.replaceable {
                try await named("sql/\(file.file)") {
                    try await connection.execute(script: "SET LOCAL search_path = \(file.searchPath)")
                    try await connection.execute(script: file.sql)
                }
            }
            try await connection.query(
                """
                INSERT INTO migration.replaceable (checksum) VALUES ($1)
                ON CONFLICT (only_row) DO UPDATE SET checksum = excluded.checksum, applied_at = now()
                """,
                [.text(files.replaceableChecksum)]
            )
        }
        logger.info("functions applied", metadata: ["files": "\(files.replaceable.count)"])
    }

    private func named<Value>(_ file: String, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch var error as PostgresError {
            error.message = "\(file): \(error.message)"
            throw error
        }
    }
}
