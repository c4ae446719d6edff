public import Logging
internal import Pacing
public import Postgres
public import Schema

/// Builds a group's next version beside the one in use, and swaps them.
///
/// The version in use stays live and readable throughout. After a stop or kill the next run continues with the last batch,
/// unless the definition has changed since; then it starts over.
public struct ProjectionRebuild: Sendable {
    /// The phase of a rebuild.
    public enum Phase: Sendable, Equatable {
        /// Continues an earlier run.
        case resumed(ProjectionBuildProgress)
        /// A batch was applied.
        case applied(ProjectionBuildProgress)
        /// Caught up; transactions of earlier readers are still open.
        case waitingForReaders
        /// The swap was put off because the tables are in use; the number of attempts so far.
        case putOff(attempts: Int)
    }

    /// The result.
    public struct Report: Sendable {
        /// The projections rebuilt and swapped together.
        public var projections: [String]
        /// The position of the new version at the swap.
        public var position: Int64
        /// At most this number of events was applied by this run, not counting an earlier run's.
        public var positions: Int64
        /// Events that the new version has set aside.
        public var setAside: [SetAsideEvent]
        /// How often the swap was put off.
        public var attemptsPutOff: Int
    }

    private let configuration: ConnectionConfiguration
    private let files: ProjectionFiles
    private let batchLimit: Int64
    private let lanes: Int16?
    private let logger: Logger

    /// - Parameters:
    ///   - configuration: the database, with a role that may create schemas and owns the tables.
    ///   - files: the files of the next version.
    ///   - batchLimit: the most positions in one transaction.
    ///   - lanes: the number of lanes of the next version; nil for that of the version in use, else the group's default.
    ///   - logger: logs events set aside.
    public init(
        _ configuration: ConnectionConfiguration,
        files: ProjectionFiles,
        batchLimit: Int64 = 100_000,
        lanes: Int16? = nil,
        logger: Logger
    ) {
        self.configuration = configuration.with(
            settings: ProjectionBuild.sessionSettings,
            applicationName: SessionName.rebuild.rawValue
        )
        self.files = files
        self.batchLimit = batchLimit
        self.lanes = lanes
        self.logger = logger
    }

    /// Builds, catches up, swaps.
    ///
    /// - Parameter phase: called with each phase.
    /// - Throws: ``ProjectionBuildError``, for example if a rebuild of the group is under way; `PostgresError`.
    public func run(phase: (Phase) async -> Void) async throws -> Report {
        try await Connection.with(configuration) { connection in
            let build = ProjectionBuild(
                files: files,
                purpose: .next,
                lanes: lanes,
                connection: connection,
                logger: logger
            )
            let claim = try await build.claim()
            return try await deferring({ await claim.release() }) { try await run(build, claim, phase: phase) }
        }
    }

    private func run(_ build: ProjectionBuild, _ claim: HeldLock, phase: (Phase) async -> Void) async throws -> Report {
        try await build.discard(old)
        let resumed = try await build.prepare(mayResume: true)
        let begun = try await build.progress()
        if resumed != nil, let begun { await phase(.resumed(begun)) }
        var lanes = try await build.openLanes(batchLimit: batchLimit)
        let attempts = try await deferring({ await lanes.close() }) {
            try await complete(build, &lanes, claim, phase)
        }
        let report = try await report(build, from: resumed ?? begun?.begunAfter ?? 0, attempts)
        try await build.discard(build.schema)
        try await build.discard(old)
        return report
    }

    /// Applies events until the next version has all of them, and swaps it in.
    ///
    /// - Returns: how often the swap was put off.
    private func complete(
        _ build: ProjectionBuild,
        _ lanes: inout [ProjectionBuildLane],
        _ claim: HeldLock,
        _ phase: (Phase) async -> Void
    ) async throws -> Int {
        try await build.catchUp(&lanes) { await phase(.applied($0)) }
        try await polish(build)
        try await build.catchUp(&lanes) { await phase(.applied($0)) }
        try await waitForReaders(build, within: .seconds(10), phase)

        let clock = ContinuousClock()
        var attempts = 0
        while true {
            let begun = clock.now
            if try await swap(build, &lanes, claim, phase) { break }
            attempts += 1
            await phase(.putOff(attempts: attempts))
            // Sessions that queued up behind the attempt go first, and the version in use has most of the time.
            let pause = max(.milliseconds(min(2000, 200 * attempts)), (clock.now - begun) * 2)
            try await clock.sleep(for: pause)
            try await build.catchUp(&lanes) { await phase(.applied($0)) }
        }
        return attempts
    }

    /// The schema of the old version until it is dropped.
    private var old: String { "projection_old_\(files.group.leader)" }

    /// The work that needs the whole table, before the last events arrive.
    private func polish(_ build: ProjectionBuild) async throws {
        do {
            try await build.connection.query("SELECT projection.carry($1)", [.text(build.schema)])
        } catch let error as PostgresError where error.isContention {
            // A long transaction, such as a dump, reads it. The swap does it again.
        }
        try await build.connection.query("SELECT projection.analyze($1)", [.text(build.schema)])
    }

    /// A statement that began before the last batch, and reads the new version after the swap, would miss rows. This waits for
    /// such statements, but not for long: an idle transaction may never end, and seldom reads projections.
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

    /// One attempt. The version in use stops for it: it must not be ahead of the new one, and no snapshot may be older
    /// than its last batch.
    ///
    /// - Returns: false if a reader or a batch was in the way, or an event failed.
    private func swap(
        _ build: ProjectionBuild,
        _ lanes: inout [ProjectionBuildLane],
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
        return try await deferring({ await lock.release() }) { try await swapStandingStill(build, &lanes, phase) }
    }

    private func swapStandingStill(
        _ build: ProjectionBuild,
        _ lanes: inout [ProjectionBuildLane],
        _ phase: (Phase) async -> Void
    ) async throws -> Bool {
        let group: [Parameter] = [.text(build.schema), .text(build.group.leader)]
        do {
            try await build.connection.withTransaction { connection in
                try await build.group.overtake(with: build.schema, on: connection)
            }
        } catch let error as PostgresError where error.mayBePoison || error.isContention {
            // The next attempt sets the event aside, or catches up by itself.
            return false
        }
        guard try await claimsAsMuch(build, &lanes) else { return false }
        try await waitForReaders(build, within: .seconds(1), phase)
        do {
            try await build.connection.withTransaction { connection in
                // The version in use is stopped meanwhile, so this does not wait for a dump that reads the new one.
                try await connection.query("SET LOCAL lock_timeout = '250ms'")
                try await connection.query("SELECT projection.carry($1)", [.text(build.schema)])
                try await connection.query("SELECT projection.swap($1, $2, $3)", group + [.text(old)])
            }
            return true
        } catch let error as PostgresError where error.isContention {
            return false
        }
    }

    /// How long the version in use is stopped while slices of the new one are applied.
    private static let longestStanding = Duration.seconds(5)

    /// Whether the new version is as complete as the one in use. Slices of the last events may be left; they are applied for a
    /// while.
    private func claimsAsMuch(_ build: ProjectionBuild, _ lanes: inout [ProjectionBuildLane]) async throws -> Bool {
        let group: [Parameter] = [.text(build.schema), .text(build.group.leader)]
        let deadline = ContinuousClock.now + Self.longestStanding
        while true {
            for index in lanes.indices {
                let claims = try await build.connection.query("SELECT projection.claims_as_much($1, $2)", group)
                if try claims.only().get(0, as: Bool.self) { return true }
                guard ContinuousClock.now < deadline else { return false }
                try await lanes[index].slice()
            }
        }
    }

    private func report(_ build: ProjectionBuild, from: Int64, _ attempts: Int) async throws -> Report {
        let group = build.group
        let position = try await build.servedPosition()
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
