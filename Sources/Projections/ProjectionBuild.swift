internal import Logging
internal import Postgres
internal import Schema

/// A version of a group that is built beside the one that serves, in a schema of its own, on one connection.
struct ProjectionBuild: Sendable {
    /// What the version is for, and with that the first part of its schema's name.
    enum Purpose: String, Sendable {
        /// To serve, once it is swapped.
        case next
        /// To be compared with what serves.
        case verify
    }

    let files: ProjectionFiles
    let purpose: Purpose
    let connection: Connection
    let logger: Logger

    var group: ProjectionGroup { files.group }
    var schema: String { "projection_\(purpose.rawValue)_\(group.leader)" }

    static let sessionSettings = ProjectionBatch.sessionSettings.merging([
        "work_mem": "256MB", "temp_buffers": "128MB", "maintenance_work_mem": "256MB", "statement_timeout": "0",
    ]) { _, new in new }

    /// The only one at work on this version, until it is released.
    ///
    /// - Throws: ``ProjectionBuildError``; `PostgresError`.
    func claim() async throws -> HeldLock {
        if let lock = try await HeldLock.take("build of \(schema)", connection.configuration) { return lock }
        let percent = try await progress().map { " (\($0.percent) %)" } ?? ""
        let work = purpose == .next ? "a rebuild" : "a verification"
        throw ProjectionBuildError("\(work) of \(group.leader) is under way already\(percent): wait for it, or stop it")
    }

    /// Has the version that serves stand still until this is released: its batches find it taken.
    ///
    /// - Throws: `PostgresError`, with SQLSTATE 55P03 where a batch took longer than is waited for.
    func holdServing() async throws -> HeldLock {
        try await HeldLock.keep(
            "SELECT projection.lock_version($1, $2)",
            [.text(ProjectionGroup.servingSchema), .text(group.leader)],
            connection.configuration
        )
    }

    /// Takes up what is there of the same definition, else begins.
    ///
    /// - Returns: the position to go on from; nil where it begins.
    /// - Throws: `PostgresError`.
    func prepare(mayResume: Bool) async throws -> Int64? {
        try await connection.withTransaction { connection in
            if mayResume, let position = try await found() { return position }
            try await discard(schema)
            try await connection.execute(script: "CREATE SCHEMA \(schema)")
            // Where a search path names a schema that tables are made in, it comes first.
            try await connection.execute(
                script: "SET LOCAL search_path = \(schema), projection, log, pg_catalog, public"
            )
            try await files.make(on: connection)
            try await files.register(schema: schema, on: connection)
            try await connection.query("SELECT projection.begin($1, $2)", [.text(schema), .text(group.leader)])
            try await connection.query("SELECT notilog.grant_projection($1::name)", [.text(schema)])
            return nil
        }
    }

    /// The position of a version with this definition, whose schema is there.
    private func found() async throws -> Int64? {
        try await connection.query(
            """
            SELECT position FROM projection.version
            WHERE schema_name = $1 AND leader = $2 AND tables = projection.checksum($3)
              AND functions = projection.checksum($4) AND to_regnamespace(schema_name) IS NOT NULL
            """,
            [.text(schema), .text(group.leader), .text(files.tablesDefinition), .text(files.functionsDefinition)]
        ).first?.get(0)
    }

    /// Drops a version that does not serve.
    func discard(_ schema: String) async throws {
        try await connection.query("SELECT projection.discard($1, $2)", [.text(schema), .text(group.leader)])
    }

    /// A stepper that applies what is new to this version.
    ///
    /// - Parameter behind: groups whose serving versions it must not overtake, beside those it is declared to come after.
    func stepper(batchLimit: Int64, behind: [String] = []) -> ProjectionStepper {
        ProjectionStepper(
            ProjectionBatch(group: group, schema: schema, behind: behind),
            batchLimit: batchLimit,
            logger: logger
        )
    }

    /// Applies until nothing is left of what was there as the last batch began.
    func catchUp(
        _ stepper: inout ProjectionStepper,
        batchDone: (ProjectionBuildProgress) async -> Void
    ) async throws {
        while true {
            try Task.checkCancellation()
            let step: ProjectionStepper.Step
            do {
                step = try await stepper.step(on: connection)
            } catch let error as PostgresError where error.isContention {
                continue
            }
            switch step {
            case .applied(_, _, let isBehind):
                if let progress = try await progress() { await batchDone(progress) }
                // Under steady ingest there is always something newer.
                if !isBehind { return }
            case .setAside:
                if let progress = try await progress() { await batchDone(progress) }
            case .narrowed: continue
            case .busy: try await ContinuousClock().sleep(for: .milliseconds(20))
            case .idle, .paused: return
            case .replaced:
                throw ProjectionBuildError("the version of \(group.leader) being built was discarded: run it again")
            }
        }
    }

    /// How far it is; nil where it is gone.
    func progress() async throws -> ProjectionBuildProgress? {
        try await connection.query(
            "SELECT begun_after, position, target FROM projection.version WHERE schema_name = $1 AND leader = $2",
            [.text(schema), .text(group.leader)]
        ).first.map {
            ProjectionBuildProgress(begunAfter: try $0.get(0), position: try $0.get(1), target: try $0.get(2))
        }
    }

    /// What this version could not apply.
    func setAside() async throws -> [SetAsideEvent] {
        try await SetAsideEvent.list(schema: schema, leaders: [group.leader], on: connection)
    }
}
