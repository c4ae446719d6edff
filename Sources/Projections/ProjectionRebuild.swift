public import Logging
public import Postgres
public import Schema

/// Builds a group's next version beside the one that serves, and puts it in its place.
///
/// The version that serves stays live and is read throughout. Stopped or killed at any moment, the next run goes on from
/// the last batch, unless the definition has changed since; then it begins anew.
public struct ProjectionRebuild: Sendable {
    /// What a rebuild does just now.
    public enum Phase: Sendable, Equatable {
        /// Goes on with what an earlier run left.
        case resumed(ProjectionBuildProgress)
        /// A batch was applied.
        case applied(ProjectionBuildProgress)
        /// Caught up; readers that began before are still at work.
        case waitingForReaders
        /// The swap was put off, as somebody reads the tables; the attempts so far.
        case putOff(attempts: Int)
    }

    /// What came out of it.
    public struct Report: Sendable {
        /// Rebuilt and swapped together.
        public var projections: [String]
        /// Where the new version stood as it was swapped.
        public var position: Int64
        /// Events applied by this run, at most; those that an earlier run applied not counted.
        public var positions: Int64
        /// Events that the new version could not apply.
        public var setAside: [SetAsideEvent]
        /// How often the swap had to be put off.
        public var attemptsPutOff: Int
    }

    private let configuration: ConnectionConfiguration
    private let files: ProjectionFiles
    private let batchLimit: Int64
    private let logger: Logger

    /// - Parameters:
    ///   - configuration: the database, as a role that may make schemas and owns the tables.
    ///   - files: what makes the next version.
    ///   - batchLimit: the most positions in one transaction.
    ///   - logger: told of events set aside.
    public init(
        _ configuration: ConnectionConfiguration,
        files: ProjectionFiles,
        batchLimit: Int64 = 100_000,
        logger: Logger
    ) {
        self.configuration = configuration.with(
            settings: ProjectionBuild.sessionSettings,
            applicationName: "notilog rebuild"
        )
        self.files = files
        self.batchLimit = batchLimit
        self.logger = logger
    }

    /// Builds, catches up, swaps.
    ///
    /// - Parameter phase: told how it goes.
    /// - Throws: ``ProjectionBuildError``, as where a rebuild of the group is under way; `PostgresError`.
    public func run(phase: (Phase) async -> Void) async throws -> Report {
        let connection = try await Connection.connect(configuration)
        let build = ProjectionBuild(files: files, purpose: .next, connection: connection, logger: logger)
        let result: Result<Report, any Error>
        do {
            let claim = try await build.claim()
            do {
                result = .success(try await run(build, claim, phase: phase))
            } catch {
                result = .failure(error)
            }
            await claim.release()
        } catch {
            result = .failure(error)
        }
        await connection.close()
        return try result.get()
    }

    private func run(_ build: ProjectionBuild, _ claim: HeldLock, phase: (Phase) async -> Void) async throws -> Report {
        try await build.discard(old)
        let resumed = try await build.prepare(mayResume: true)
        let begun = try await build.progress()
        if resumed != nil, let begun { await phase(.resumed(begun)) }
        var stepper = build.stepper(batchLimit: batchLimit)
        try await build.catchUp(&stepper) { await phase(.applied($0)) }
        try await polish(build)
        try await build.catchUp(&stepper) { await phase(.applied($0)) }
        try await waitForReaders(build, within: .seconds(10), phase)

        var attempts = 0
        while try await !swap(build, claim, phase) {
            attempts += 1
            await phase(.putOff(attempts: attempts))
            // Whoever queued up behind the attempt goes first.
            try await ContinuousClock().sleep(for: .milliseconds(min(2000, 200 * attempts)))
            try await build.catchUp(&stepper) { await phase(.applied($0)) }
        }
        let report = try await report(build, from: resumed ?? begun?.begunAfter ?? 0, attempts)
        try await build.discard(build.schema)
        try await build.discard(old)
        return report
    }

    /// Where the version that served is until it is dropped.
    private var old: String { "projection_old_\(files.group.leader)" }

    /// What needs the whole table, before the last events come.
    private func polish(_ build: ProjectionBuild) async throws {
        do {
            try await build.connection.query("SELECT projection.carry($1)", [.text(build.schema)])
        } catch let error as PostgresError where error.isContention {
            // Somebody reads it for long, as a dump does. At the swap it is done again.
        }
        try await build.connection.query("SELECT projection.analyze($1)", [.text(build.schema)])
    }

    /// A statement that began before the version came so far, and comes to read it after the swap, would see less of it.
    /// Waited for a while only, as an idle transaction may never end, and seldom reads projections.
    private func waitForReaders(
        _ build: ProjectionBuild,
        within limit: Duration,
        _ phase: (Phase) async -> Void
    ) async throws {
        let now = try await build.connection.query("SELECT pg_current_xact_id()::text").only().get(0, as: String.self)
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        while clock.now < deadline {
            let readers = try await build.connection.query(
                "SELECT projection.older_readers($1::xid8)",
                [.text(now)]
            ).only().get(0, as: Int64.self)
            if readers == 0 { return }
            await phase(.waitingForReaders)
            try await clock.sleep(for: .milliseconds(20))
        }
    }

    /// One attempt. What serves stands still for it: it must not be ahead of what takes its place, nor may anybody still
    /// look from a time when it was.
    ///
    /// - Returns: false where a reader or a batch was in the way, or an event came that cannot be applied.
    private func swap(
        _ build: ProjectionBuild,
        _ claim: HeldLock,
        _ phase: (Phase) async -> Void
    ) async throws -> Bool {
        try await claim.check()
        let lock: HeldLock
        do {
            lock = try await build.holdServing()
        } catch let error as PostgresError where error.isContention {
            return false
        }
        let result: Result<Bool, any Error>
        do {
            result = .success(try await swapStandingStill(build, phase))
        } catch {
            result = .failure(error)
        }
        await lock.release()
        return try result.get()
    }

    private func swapStandingStill(_ build: ProjectionBuild, _ phase: (Phase) async -> Void) async throws -> Bool {
        let group: [Parameter] = [.text(build.schema), .text(build.group.leader)]
        do {
            try await build.connection.withTransaction { connection in
                try await connection.query("SELECT projection.overtake($1, $2)", group)
            }
        } catch let error as PostgresError where error.mayBePoison || error.isContention {
            // The next catching up sets the event aside, or comes so far by itself.
            return false
        }
        // Slices of what came last may be left to do.
        let claims = try await build.connection.query("SELECT projection.claims_as_much($1, $2)", group)
        guard try claims.only().get(0, as: Bool.self) else { return false }
        try await waitForReaders(build, within: .seconds(1), phase)
        do {
            try await build.connection.withTransaction { connection in
                // The version that serves stands still meanwhile: a dump that reads the new one is not waited for.
                try await connection.query("SET LOCAL lock_timeout = '250ms'")
                try await connection.query("SELECT projection.carry($1)", [.text(build.schema)])
                try await connection.query("SELECT projection.swap($1, $2, $3)", group + [.text(old)])
            }
            return true
        } catch let error as PostgresError where error.isContention {
            return false
        }
    }

    private func report(_ build: ProjectionBuild, from: Int64, _ attempts: Int) async throws -> Report {
        let group = build.group
        let position = try await build.connection.query(
            "SELECT position FROM projection.version WHERE schema_name = $1 AND leader = $2",
            [.text(ProjectionGroup.servingSchema), .text(group.leader)]
        ).only().get(0, as: Int64.self)
        return Report(
            projections: group.members,
            position: position,
            positions: max(0, position - from),
            setAside: try await SetAsideEvent.list(
                schema: ProjectionGroup.servingSchema,
                leaders: [group.leader],
                on: build.connection
            ),
            attemptsPutOff: attempts
        )
    }
}
