public import Logging
internal import Pacing
public import Postgres
public import Schema

/// Compares the version in use with a rebuild: builds the group in a schema of its own up to the same position, compares
/// every table row by row, and drops the new version.
public struct ProjectionVerification: Sendable {
    /// The comparison of one table.
    public struct Table: Sendable, Equatable {
        /// Its name.
        public var name: String
        /// The number of rows in use.
        public var rows: Int64
        /// The number of rows only in the rebuild.
        public var missing: Int64
        /// The number of rows only in the version in use.
        public var extra: Int64
        /// The number of rows with the same key and other values.
        public var different: Int64
        /// The columns that differ.
        public var columns: [String]
        /// Digests of the keys of the first few such rows: the first 12 hexadecimal digits of the SHA-256 of the key's
        /// columns as a JSON array.
        public var keys: [String]

        /// Whether both are the same.
        public var isEqual: Bool { missing == 0 && extra == 0 && different == 0 }
    }

    /// The result.
    public struct Report: Sendable {
        /// The projections compared.
        public var projections: [String]
        /// The position of both versions.
        public var position: Int64
        /// Every table of the group.
        public var tables: [Table]
        /// Events set aside by the version in use, and by the rebuild; if they differ, so do the tables.
        public var setAside: (serving: [SetAsideEvent], rebuilt: [SetAsideEvent])

        /// Whether every table is the same.
        public var isEqual: Bool { tables.allSatisfy(\.isEqual) }
    }

    private let configuration: ConnectionConfiguration
    private let files: ProjectionFiles
    private let batchLimit: Int64
    private let logger: Logger

    /// - Parameters:
    ///   - configuration: the database, with a role that may create schemas.
    ///   - files: the files of the group.
    ///   - batchLimit: the most positions in one transaction.
    ///   - logger: logs events set aside.
    public init(
        _ configuration: ConnectionConfiguration,
        files: ProjectionFiles,
        batchLimit: Int64 = 100_000,
        logger: Logger
    ) {
        self.configuration = configuration.with(
            settings: ProjectionBuild.sessionSettings,
            applicationName: SessionName.verify.rawValue
        )
        self.files = files
        self.batchLimit = batchLimit
        self.logger = logger
    }

    /// Builds and compares.
    ///
    /// - Parameter progress: called after each batch.
    /// - Throws: ``ProjectionBuildError``, for example if the version in use has another definition; `PostgresError`.
    public func run(progress: (ProjectionBuildProgress) async -> Void) async throws -> Report {
        try await Connection.with(configuration) { connection in
            let build = ProjectionBuild(files: files, purpose: .verify, connection: connection, logger: logger)
            let claim = try await build.claim()
            return try await deferring({
                // In a task of its own, which is not cancelled with the verification. If this fails, for example after a broken
                // connection, the next run drops it, or retention.
                await Task {
                    if (try? await claim.check()) != nil { _ = try? await build.discard(build.schema) }
                    await claim.release()
                }.value
            }) {
                try await run(build, progress)
            }
        }
    }

    private func run(
        _ build: ProjectionBuild,
        _ progress: (ProjectionBuildProgress) async -> Void
    ) async throws -> Report {
        let group = build.group
        try await expectSameTables(on: build.connection)
        _ = try await build.prepare(mayResume: false)
        // Not beyond the version in use, or the two could not be compared.
        var lanes = try await build.openLanes(batchLimit: batchLimit, behind: [group.leader])
        return try await deferring({ await lanes.close() }) { try await compare(build, &lanes, progress) }
    }

    private func compare(
        _ build: ProjectionBuild,
        _ lanes: inout [ProjectionBuildLane],
        _ progress: (ProjectionBuildProgress) async -> Void
    ) async throws -> Report {
        try await build.catchUp(&lanes, batchDone: progress)
        let lock = try await holdServing(build)
        do {
            try await build.catchUp(&lanes, batchDone: progress)
            return try await compareAll(build, lock)
        } catch {
            await lock.release()
            throw error
        }
    }

    /// Compares on one snapshot; releases `lock` once the snapshot is taken.
    private func compareAll(_ build: ProjectionBuild, _ lock: HeldLock) async throws -> Report {
        let group = build.group
        return try await build.connection.withTransaction(isolation: .repeatableRead) { connection in
            let names = try await connection.query("SELECT projection.shared_tables($1)", [.text(build.schema)])
                .map { try $0.get(0, as: String.self) }
            for name in names {
                try await connection.query("LOCK TABLE projection.\(name) IN ACCESS SHARE MODE", cached: false)
            }
            let position = try await build.servedPosition()
            try await lock.check()
            await lock.release()
            var tables: [Table] = []
            for name in names { tables.append(try await compare(name, with: build.schema, on: connection)) }
            return Report(
                projections: group.members,
                position: position,
                tables: tables,
                setAside: (
                    try await SetAsideEvent.list(
                        schema: ProjectionGroup.servingSchema,
                        leaders: [group.leader],
                        on: connection
                    ), try await build.setAside()
                )
            )
        }
    }

    /// Finishes the slices of the version in use, and applies no event, on a connection of its own.
    private func finishSlices() async throws {
        try await Connection.with(configuration) { connection in
            for lane in 0..<(try await ProjectionLanes(of: files.group, on: connection).count) {
                try await finishSlices(of: lane, on: connection)
            }
        }
    }

    private func finishSlices(of lane: Int16, on connection: Connection) async throws {
        var stepper = ProjectionStepper(
            ProjectionBatch(group: files.group, lane: lane),
            batchLimit: 0,
            timeLimits: ProjectionBuild.timeLimits,
            logger: logger
        )
        while try await ProjectionBounds(of: stepper.batch, on: connection).isUnfinished {
            switch try await stepper.step(on: connection) {
            case .paused:
                throw ProjectionBuildError("\(files.group.leader) is paused with unfinished slices: resume it first")
            case .replaced:
                throw ProjectionBuildError(
                    "another version of \(files.group.leader) is in use now: run the command again"
                )
            case .busy: try await ContinuousClock().sleep(for: .milliseconds(20))
            case .applied, .setAside, .narrowed, .idle: continue
            }
        }
    }

    /// Stops the version in use only until both are at one position, without slices left, and the snapshot is taken.
    private func holdServing(_ build: ProjectionBuild) async throws -> HeldLock {
        while true {
            try await finishSlices()
            let lock = try await build.holdServing()
            do {
                let unfinished = try await build.connection.query(
                    "SELECT count(unfinished_after) FROM projection.checkpoint WHERE name = $1",
                    [.text(files.group.leader)]
                ).only().get(0, as: Int64.self)
                if unfinished == 0 { return lock }
                await lock.release()
            } catch {
                await lock.release()
                throw error
            }
        }
    }

    private func expectSameTables(on connection: Connection) async throws {
        let isSame = try await connection.query(
            "SELECT tables = projection.checksum($2) FROM projection.version WHERE schema_name = 'projection' AND leader = $1",
            [.text(files.group.leader), .text(files.tablesDefinition)]
        ).first?.get(0, as: Bool.self)
        guard isSame == true else {
            throw ProjectionBuildError(
                "\(files.group.leader) uses the tables of another release: run `notilog projections rebuild \(files.group.leader)`"
            )
        }
    }

    private func compare(_ name: String, with schema: String, on connection: Connection) async throws -> Table {
        let row = try await connection.query(
            "SELECT * FROM projection.compare($1, $2)",
            [.text(schema), .text(name)]
        ).only()
        return Table(
            name: name,
            rows: try row.get(0),
            missing: try row.get(1),
            extra: try row.get(2),
            different: try row.get(3),
            columns: try row.get(4),
            keys: try row.get(5)
        )
    }
}
