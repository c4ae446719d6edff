internal import Logging
internal import Pacing
internal import Postgres
internal import Schema

/// A version of a group that is built beside the one in use, in a schema of its own.
struct ProjectionBuild: Sendable {
    /// The purpose of the version, and the first part of its schema's name.
    enum Purpose: String, Sendable {
        /// To be used, after the swap.
        case next
        /// To be compared with the version in use.
        case verify
    }

    let files: ProjectionFiles
    let purpose: Purpose
    /// The number of lanes; nil for that of the version in use, else the group's default.
    var lanes: Int16?
    let connection: Connection
    let logger: Logger

    var group: ProjectionGroup { files.group }
    var schema: String { "projection_\(purpose.rawValue)_\(group.leader)" }

    static let sessionSettings = ProjectionBatch.sessionSettings.merging([
        "work_mem": "256MB", "temp_buffers": "128MB", "maintenance_work_mem": "256MB", "statement_timeout": "0",
    ]) { _, new in new }

    /// The name of the lock that the builder of a version holds.
    private static func claim(of schema: String) -> String { "build of \(schema)" }

    /// Discards versions of verifications that ended without discarding them: nobody continues one, and retention would wait for it.
    ///
    /// - Parameter connection: of a role that may drop schemas.
    /// - Returns: the leaders of their groups.
    /// - Throws: `PostgresError`.
    static func discardAbandoned(on connection: Connection) async throws -> [String] {
        let versions = try await connection.query(
            "SELECT schema_name, leader FROM projection.version WHERE starts_with(schema_name, 'projection_verify_') ORDER BY 2"
        ).map { (schema: try $0.get(0, as: String.self), leader: try $0.get(1, as: String.self)) }
        var discarded: [String] = []
        for (schema, leader) in versions {
            let lock = try await HeldLock.take(claim(of: schema), connection.configuration, timeout: .zero)
            guard let lock else { continue }
            try await deferring({ await lock.release() }) {
                _ = try await connection.query("SELECT projection.discard($1, $2)", [.text(schema), .text(leader)])
            }
            discarded.append(leader)
        }
        return discarded
    }

    /// Locks this version for one builder, until the lock is released.
    ///
    /// - Throws: ``ProjectionBuildError``; `PostgresError`.
    func claim() async throws -> HeldLock {
        if let lock = try await HeldLock.take(Self.claim(of: schema), connection.configuration) { return lock }
        let percent = try await progress().map { " (\($0.percent) %)" } ?? ""
        let work = purpose == .next ? "a rebuild" : "a verification"
        throw ProjectionBuildError("\(work) of \(group.leader) is under way already\(percent): wait for it, or stop it")
    }

    /// Stops the version in use until the lock is released: its batches find it locked.
    ///
    /// - Throws: `PostgresError`, with SQLSTATE 55P03 if a batch took longer than the lock timeout.
    func holdServing() async throws -> HeldLock {
        try await HeldLock.keep(
            "SELECT projection.lock_version($1, $2)",
            [.text(ProjectionGroup.servingSchema), .text(group.leader)],
            connection.configuration
        )
    }

    /// Resumes a version of the same definition, else begins one.
    ///
    /// - Returns: the position to continue from; nil for a new one.
    /// - Throws: `PostgresError`.
    func prepare(mayResume: Bool) async throws -> Int64? {
        if mayResume, let position = try await found() { return position }
        // In a transaction of its own: an erasure would wait for the dropped tables, and the new version's beginning for it.
        try await discard(schema)
        try await connection.withTransaction { connection in
            try await connection.execute(script: "CREATE SCHEMA \(schema)")
            // The schema in which tables are created comes first in the search path.
            try await connection.execute(
                script: "SET LOCAL search_path = \(schema), projection, log, pg_catalog, public"
            )
            try await files.make(on: connection)
            try await files.register(schema: schema, lanes: try await number(of: group), on: connection)
            try await connection.query("SELECT projection.begin($1, $2)", [.text(schema), .text(group.leader)])
            try await connection.query("SELECT notilog.grant_projection($1::name)", [.text(schema)])
        }
        return nil
    }

    /// The position of a version with this definition, if its schema exists.
    private func found() async throws -> Int64? {
        try await connection.query(
            "SELECT projection.resumable($1, $2, $3, $4, $5)",
            [
                .text(schema), .text(group.leader), .text(files.tablesDefinition), .text(files.functionsDefinition),
                .int2(lanes),
            ]
        ).only().get(0)
    }

    /// Drops a version that is not in use.
    func discard(_ schema: String) async throws {
        try await connection.query("SELECT projection.discard($1, $2)", [.text(schema), .text(group.leader)])
    }

    private func number(of group: ProjectionGroup) async throws -> Int16 {
        if let lanes {
            guard lanes == 1 || group.lanes != nil else {
                throw ProjectionBuildError(
                    "\(group.leader) is applied in one lane, as its rows are not those of single devices: leave out --lanes"
                )
            }
            return lanes
        }
        let used = try await connection.query(
            "SELECT lanes FROM projection.version WHERE schema_name = $1 AND leader = $2",
            [.text(ProjectionGroup.servingSchema), .text(group.leader)]
        ).first?.get(0, as: Int16?.self)
        return used.flatMap { $0 } ?? group.lanes ?? 1
    }

    /// How long a batch should take at most. Batches of versions in use do not wait for it, and the larger it is, the fewer times a
    /// device's state is read and written.
    private static let aim = Duration.seconds(5)

    /// The time limits of a batch with as many positions as it may have (100,000, unless a command says otherwise), and of one event:
    /// twice those of versions in use, which read less at a time and must not stand still as long.
    static let timeLimits = (batch: Duration.seconds(120), event: Duration.seconds(10))

    /// Opens a connection for each lane.
    ///
    /// - Parameter behind: groups whose versions in use it must not overtake, besides those that it is declared to follow.
    func openLanes(batchLimit: Int64, behind: [String] = []) async throws -> [ProjectionBuildLane] {
        var result: [ProjectionBuildLane] = []
        let lanes = try await ProjectionLanes(of: group, schema, on: connection)
        for number in 0..<lanes.count {
            var batch = ProjectionBatch(group: group, schema: schema, lane: number, behind: behind)
            if group.fold != nil { batch.ahead = ProjectionReadAhead(connection.configuration) }
            let stepper = ProjectionStepper(
                batch,
                batchLimit: batchLimit,
                aim: Self.aim,
                timeLimits: Self.timeLimits,
                version: lanes.version,
                logger: logger
            )
            result.append(
                ProjectionBuildLane(
                    connection: try await Connection.connect(connection.configuration),
                    stepper: stepper
                )
            )
        }
        return result
    }

    /// Applies events, all lanes at once, until none is left that existed when the last batches began, and no slice of an event
    /// that existed when this began. A category that changes all the time always has slices of later events.
    func catchUp(
        _ lanes: inout [ProjectionBuildLane],
        batchDone: (ProjectionBuildProgress) async -> Void
    ) async throws {
        let settled: Int64 = try await connection.query("SELECT settled_position FROM log.state").only().get(0)
        try await withThrowingTaskGroup(of: (Int, ProjectionBuildLane, ProjectionBatch.Remaining).self) { tasks in
            for (index, lane) in lanes.enumerated() { tasks.addTask { try await lane.advanced(index) } }
            while let (index, lane, left) = try await tasks.next() {
                try Task.checkCancellation()
                lanes[index] = lane
                if let progress = try await progress() { await batchDone(progress) }
                switch left {
                case .nothing: continue
                case .slices: if try await isComplete(lane: Int16(index), upTo: settled) { continue }
                case .events: break
                }
                tasks.addTask { try await lane.advanced(index) }
            }
        }
    }

    /// Whether a lane has applied all events up to a position, with their slices.
    private func isComplete(lane: Int16, upTo position: Int64) async throws -> Bool {
        try await connection.query(
            """
            SELECT coalesce(least(l.position, l.unfinished_after) >= $4, false) FROM projection.version_lane l
            WHERE (l.schema_name, l.leader, l.lane) = ($1, $2, $3)
            """,
            [.text(schema), .text(group.leader), .int2(lane), .int8(position)]
        ).first?.get(0) ?? false
    }

    /// Its progress; nil if it no longer exists.
    func progress() async throws -> ProjectionBuildProgress? {
        try await connection.query(
            "SELECT begun_after, position, target FROM projection.build_progress($1, $2)",
            [.text(schema), .text(group.leader)]
        ).first.map {
            ProjectionBuildProgress(begunAfter: try $0.get(0), position: try $0.get(1), target: try $0.get(2))
        }
    }

    /// The lowest checkpoint of the lanes of the version in use.
    func servedPosition() async throws -> Int64 {
        try await connection.query(
            "SELECT coalesce(min(position), 0) FROM projection.checkpoint WHERE name = $1",
            [.text(group.leader)]
        ).only().get(0)
    }

    /// The events that this version has set aside.
    func setAside() async throws -> [SetAsideEvent] {
        try await SetAsideEvent.list(schema: schema, leaders: [group.leader], on: connection)
    }
}
