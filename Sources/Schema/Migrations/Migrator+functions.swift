internal import Logging
internal import Postgres

extension Migrator {
    /// Drops the routines that this transaction has not made or replaced: all of them, before it made any.
    private func dropReplaceable(on connection: Connection) async throws {
        try await run("migrator/drop_replaceable.sql", on: connection)
    }

    /// Applies functions, projections' tables, reports and roles in one transaction.
    ///
    /// Functions are replaced in place, so that a service at work never calls one that is just gone; only those whose
    /// file or signature is gone are dropped, after the others are there. Where that cannot be done, as one gives another
    /// result now, all are dropped first.
    ///
    /// - Returns: whether it did, which it does not where another migrator was quicker; and why the roles could not be set
    ///   up, nil where they were.
    func reapply(_ files: SQLFiles, on connection: Connection) async throws -> (isDone: Bool, problem: String?) {
        let result: (isDone: Bool, problem: String?)
        do {
            result = try await turn(on: connection) { try await reapply(files, dropsFirst: false, on: $0) }
        } catch let error as PostgresError where error.needsDrop {
            result = try await turn(on: connection) { try await reapply(files, dropsFirst: true, on: $0) }
        }
        if result.isDone { logger.info("functions applied", metadata: ["files": "\(files.replaceable.count)"]) }
        return result
    }

    private func reapply(_ files: SQLFiles, dropsFirst: Bool, on connection: Connection) async throws
        -> (isDone: Bool, problem: String?)
    {
        guard try await plan(files, on: connection).reappliesFunctions else { return (false, nil) }
        let projections = try await projections(folder, on: connection)
        let kept = try await kept(projections, on: connection)
        try await connection.query(
            "SELECT set_config('notilog.kept', $1, true)",
            [.text(kept.functions.joined(separator: " "))]
        )
        // Bodies may name functions of files that come later.
        try await connection.execute(script: "SET LOCAL check_function_bodies = off")
        if dropsFirst { try await dropReplaceable(on: connection) }
        for file in files.replaceable where !kept.contains(file) {
            try await named("sql/\(file.file)") {
                try await connection.execute(script: "SET LOCAL search_path = \(file.searchPath)")
                try await connection.execute(script: file.sql)
            }
        }
        try await dropReplaceable(on: connection)
        try await connection.gatherCounts()
        try await connection.describe(files.comments { !kept.contains($0) })
        try await connection.makeReadable()
        for files in projections where !kept.groups.contains(files.group) {
            try await files.register(schema: "projection", on: connection)
        }
        try await connection.query(
            """
            INSERT INTO migration.replaceable (checksum) VALUES ($1)
            ON CONFLICT (only_row) DO UPDATE SET checksum = excluded.checksum, applied_at = now()
            """,
            [.text(files.replaceableChecksum)]
        )
        return (true, try await applyRoles(files, on: connection))
    }

    /// Applies `roles.sql`, in a transaction that continues if this session's role may not do that.
    ///
    /// - Returns: why it was not applied; nil where it was.
    func applyRoles(_ files: SQLFiles, on connection: Connection) async throws -> String? {
        guard let roles = files.roles else { return nil }
        try await connection.execute(script: "SAVEPOINT roles; SET LOCAL search_path = pg_catalog")
        do {
            try await named("sql/roles.sql") { try await connection.execute(script: roles) }
            return nil
        } catch let error as PostgresError where error.sqlState == SQLState.insufficientPrivilege {
            try await connection.execute(script: "ROLLBACK TO SAVEPOINT roles")
            return error.message
        }
    }
}

extension PostgresError {
    /// Whether CREATE OR REPLACE could not do it: another result or other parameter names, a function of another kind, or
    /// one that is there already, other columns of a view.
    fileprivate var needsDrop: Bool {
        [
            SQLState.invalidFunctionDefinition, SQLState.wrongObjectType, SQLState.duplicateFunction,
            SQLState.invalidTableDefinition,
        ].contains(sqlState ?? "")
    }
}
