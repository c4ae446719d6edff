public import Postgres

extension Migrator {
    /// Whether there are the tables of what was applied, as this release has them.
    static let hasBooks = """
        SELECT to_regclass('migration.replaceable') IS NOT NULL AND EXISTS (SELECT FROM pg_attribute
          WHERE attrelid = to_regclass('migration.applied') AND attname = 'oldest_service')
        """

    /// Compares the database with files that were read before, and changes nothing.
    ///
    /// - Throws: ``PostgresError``.
    public func state(_ files: SQLFiles, on connection: Connection) async throws -> SchemaState {
        let found = try await connection.query(
            "SELECT to_regclass('migration.applied') IS NOT NULL, to_regnamespace('notilog') IS NOT NULL"
        ).only()
        guard try found.get(0, as: Bool.self) else {
            return try found.get(1, as: Bool.self)
                ? .foreign(reason: "it has a schema named notilog without a record of migrations") : .missing
        }
        // A release before this one made the table without oldest_service.
        let rows = try await connection.query(
            "SELECT version, file, checksum, (to_jsonb(a)->>'oldest_service')::int4 FROM migration.applied a ORDER BY version"
        )
        let known = Dictionary(uniqueKeysWithValues: files.migrations.map { ($0.version, $0) })
        let newest = files.migrations.last?.version ?? 0
        var applied: Set<Int32> = []
        var newer: Int32?
        var needs = newest
        for row in rows {
            let version: Int32 = try row.get("version")
            let file: String = try row.get("file")
            applied.insert(version)
            guard let migration = known[version] else {
                guard version > newest else { return .foreign(reason: "it was migrated by \(file), which is not here") }
                newer = version
                needs = max(needs, try row.get(3, as: Int32?.self) ?? version)
                continue
            }
            guard try row.get("checksum", as: String.self) == migration.checksum else {
                return .foreign(reason: "\(file) has changed since it was applied")
            }
        }
        if applied.isEmpty { return .missing }
        let pending = files.migrations.count { !applied.contains($0.version) }
        if pending > 0 { return .older(pending: pending) }
        if let newer { return needs > newest ? .tooNew(version: newer, needs: needs) : .newer(version: newer) }
        let checksum = try await connection.query("SELECT checksum FROM migration.replaceable").first
        return try checksum?.get(0, as: String.self) == files.replaceableChecksum ? .current : .functionsDiffer
    }

    /// Why a database cannot have events' texts; nil if its encoding is UTF8. In any other it fails at some of them, or stores them without
    /// a check. Ask before the files are read, because they have such texts too.
    ///
    /// - Throws: ``PostgresError``.
    public func encodingProblem(on connection: Connection) async throws -> String? {
        let row = try await connection.query(
            """
            SELECT pg_encoding_to_char(encoding)::text, EXISTS (SELECT FROM pg_namespace WHERE nspname = 'migration') FROM pg_database
            WHERE datname = current_database()
            """
        ).only()
        let encoding: String = try row.get(0)
        guard encoding != "UTF8" else { return nil }
        // As a dump leaves one that was restored into the server's own encoding.
        let next = try row.get(1, as: Bool.self) ? "restore a dump into that" : "migrate that"
        return "the database's encoding is \(encoding), and Notilog needs UTF8: create another one with "
            + "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and \(next)"
    }

    /// Refuses a database whose encoding is not that of events' texts.
    func expectUnicode(on connection: Connection) async throws {
        if let problem = try await encodingProblem(on: connection) { throw SchemaError(problem) }
    }

    func plan(_ files: SQLFiles, on connection: Connection) async throws -> MigrationPlan {
        switch try await state(files, on: connection) {
        case .current: return MigrationPlan(migrations: [], reappliesFunctions: false)
        case .functionsDiffer: return MigrationPlan(migrations: [], reappliesFunctions: true)
        case .missing: return MigrationPlan(migrations: files.migrations.map(\.file), reappliesFunctions: true)
        case .older:
            let rows = try await connection.query("SELECT version FROM migration.applied")
            let applied = Set(try rows.map { try $0.get(0, as: Int32.self) })
            let pending = files.migrations.filter { !applied.contains($0.version) }
            return MigrationPlan(migrations: pending.map(\.file), reappliesFunctions: true)
        case .newer(let version), .tooNew(let version, _):
            throw SchemaError(
                "the database was migrated to \(version) by a later release: run that release's `notilog migrate`"
            )
        case .foreign(let reason):
            throw SchemaError("the database cannot be migrated: \(reason)")
        }
    }
}
