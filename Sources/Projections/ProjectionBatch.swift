internal import Postgres
internal import Schema

/// One batch of one lane of a version of a group: applies new events and moves the checkpoint, in one transaction.
struct ProjectionBatch: Sendable {
    let group: ProjectionGroup
    /// The schema that holds the version.
    let schema: String
    /// The lane whose events it applies.
    let lane: Int16
    /// The groups that it must not overtake, by their versions in use.
    let behind: [String]
    /// The tables of the version; nil where each batch reads them.
    var tables: FoldVersion?
    /// Reads the events of the next batch meanwhile; nil where each batch reads its own.
    var ahead: ProjectionReadAhead?

    init(
        group: ProjectionGroup,
        schema: String = ProjectionGroup.servingSchema,
        lane: Int16 = 0,
        behind: [String] = []
    ) {
        self.group = group
        self.schema = schema
        self.lane = lane
        self.behind = group.after + behind
    }

    /// Its schema, its group, its lane: the first parameters of most functions.
    var parameters: [Parameter] { [.text(schema), .text(group.leader), .int2(lane)] }

    /// What a batch leaves to apply, as known when it began.
    enum Remaining: Sendable, Equatable {
        case nothing, slices, events
    }

    enum Outcome: Sendable, Equatable {
        /// Applied up to a position.
        case applied(from: Int64, to: Int64, left: Remaining)
        /// Not applied: an event in the range, a notification of a slice, if it had one, or the projection itself is at fault.
        case failed(from: Int64, to: Int64, hasSlice: Bool, PostgresError)
        /// Not applied within the time limit; `hasSlice` as before.
        case timedOut(from: Int64, to: Int64, hasSlice: Bool, PostgresError)
        /// No new event may be applied; the checkpoint is here.
        case idle(at: Int64)
        /// There is something to apply, from here, and this holder has not been noted.
        case unheld(at: Int64)
        /// Another service is applying this lane.
        case busy
        /// Paused.
        case paused
        /// Another version is in use than when this connection began.
        case replaced
    }

    /// The limit of a batch.
    enum Limit: Sendable, Equatable {
        /// At most this number of positions.
        case positions(Int64)
        /// Half of the range up to a position after which no event is known to be at fault.
        case halfway(to: Int64)

        func end(after: Int64, target: Int64) -> Int64 {
            switch self {
            case .positions(let count): min(target, after + count)
            case .halfway(let end): min(target, after + max(1, (end - after) / 2))
            }
        }
    }

    static let sessionSettings = [
        "search_path": "projection, log, pg_catalog, pg_temp",
        // Safe without a synchronous commit: a crash takes rows and checkpoint back together, and they are applied again.
        "synchronous_commit": "off",
        "work_mem": "64MB",
        "temp_buffers": "64MB",
        "statement_timeout": "600s",
        "lock_timeout": "30s",
        // A projector that hangs in a batch, for example with its process, gives way to another.
        "idle_in_transaction_session_timeout": "10s",
        "tcp_user_timeout": "10s",
    ]

    /// - Parameters:
    ///   - limit: the limit of the batch.
    ///   - time: the time limit.
    ///   - sliceRows: how many notifications it updates besides those of its events; nil for the default.
    ///   - sliceTime: the share of the time limit that a batch with a slice has.
    ///   - version: the number of the version when the connection began; nil accepts any.
    ///   - isHeld: whether ``hold(at:on:)`` has noted this holder.
    ///   - readsAhead: whether the events of the next batch are read meanwhile.
    /// - Returns: the outcome, and the number of the version.
    /// - Throws: `PostgresError` if neither an event nor the projection is at fault; nothing was applied then.
    func apply(
        on connection: Connection,
        limit: Limit,
        time: ProjectionTimeLimit,
        sliceRows: Int32? = nil,
        sliceTime: Double = 1,
        version: Int64?,
        isHeld: Bool = true,
        readsAhead: Bool = true
    ) async throws -> (Outcome, version: Int64?) {
        var attempt: (from: Int64, to: Int64, hasSlice: Bool)?
        var clock: ProjectionTimeLimit.Clock?
        await ahead?.awaitEvents()
        do {
            return try await connection.withTransaction { connection in
                // First the lock, then the checkpoint with a newer snapshot: two services never both do one batch,
                // and no version is swapped meanwhile.
                guard try await lock(on: connection) else { return (.busy, version) }
                let bounds = try await ProjectionBounds(of: self, on: connection)
                if let version, version != bounds.version { return (.replaced, bounds.version) }
                if bounds.isPaused { return (.paused, bounds.version) }
                guard bounds.target > bounds.position || bounds.isUnfinished else {
                    return (.idle(at: bounds.position), bounds.version)
                }
                guard isHeld else { return (.unheld(at: bounds.position), bounds.version) }
                let read = try await ahead?.take(after: bounds.position, limit, on: connection)
                let end = read?.upTo ?? limit.end(after: bounds.position, target: bounds.target)
                var hasSlice = bounds.isUnfinished && sliceRows != 0
                if hasSlice {
                    // A slice may meet a device that an erasure is changing: it waits, and events go on.
                    hasSlice = try await connection.query("SELECT lock.try_shared('background')").only().get(0)
                    guard hasSlice || end > bounds.position else { return (.busy, bounds.version) }
                }
                attempt = (bounds.position, end, hasSlice)
                clock =
                    hasSlice
                    ? try await time.begin(share: sliceTime, of: schema, on: connection)
                    : try await time.begin(positions: end - bounds.position, of: schema, on: connection)
                if readsAhead, case .positions = limit {
                    let next = limit.end(after: end, target: bounds.target)
                    await ahead?.begin(after: end, upTo: next, of: self, within: time)
                }
                try await group.apply(
                    to: schema,
                    lane: lane,
                    after: bounds.position,
                    upTo: end,
                    sliceRows: hasSlice ? sliceRows : 0,
                    tables: tables,
                    events: read?.events,
                    on: connection
                )
                let isUnfinished = try await move(from: bounds.position, to: end, on: connection)
                let left: Remaining = end < bounds.target ? .events : isUnfinished ? .slices : .nothing
                return (.applied(from: bounds.position, to: end, left: left), bounds.version)
            }
        } catch let error as PostgresError {
            // The next batch begins where this one did: nobody is to wait for what follows it.
            await ahead?.discard()
            guard let attempt else { throw error }
            if error.mayBePoison {
                return (.failed(from: attempt.from, to: attempt.to, hasSlice: attempt.hasSlice, error), version)
            }
            guard let clock, clock.isTimeOut(error) else { throw error }
            return (.timedOut(from: attempt.from, to: attempt.to, hasSlice: attempt.hasSlice, error), version)
        }
    }

    /// Tries to take the lane's lock for the transaction.
    func lock(on connection: Connection) async throws -> Bool {
        try await connection.query("SELECT projection.try_lock_lane($1, $2, $3)", parameters).only().get(0)
    }

    /// Waits for the lane's lock, and holds it for the transaction.
    func awaitLock(on connection: Connection) async throws {
        try await connection.query("SELECT projection.lock_lane($1, $2, $3)", parameters)
    }

    /// Compare-and-set: if another service had moved the checkpoint, this batch is rolled back.
    ///
    /// - Returns: whether slices are left.
    private func move(from: Int64, to: Int64, on connection: Connection) async throws -> Bool {
        let row = try await connection.query(
            "SELECT is_moved, is_unfinished FROM projection.move_lane($1, $2, $3, $4, $5)",
            parameters + [.int8(from), .int8(to)]
        ).only()
        guard try row.get(0, as: Bool.self) else {
            throw PostgresError(unexpected: "the checkpoint of \(group.leader) was moved by another service")
        }
        return try row.get(1)
    }

    /// Applies no event and no slice, in the caller's transaction, which holds the lane: what fails then is no event's fault.
    func applyNoEvent(after position: Int64, on connection: Connection) async throws {
        try await group.apply(to: schema, lane: lane, after: position, upTo: position, sliceRows: 0, on: connection)
    }

    /// Whether events of other devices, one at a time, are applied within the shortest time limit: one of up to three events
    /// soon after a position, or, if there is none, no event at all. All of it is rolled back.
    func othersAreApplied(
        after position: Int64,
        within time: ProjectionTimeLimit,
        on connection: Connection
    ) async throws -> Bool {
        var others = try await connection.query(
            "SELECT projection.others($1, $2, lanes) FROM projection.lanes($3, $4)",
            [.int8(position), .int2(lane), .text(schema), .text(group.leader)]
        ).map { try $0.get(0, as: Int64.self) }
        if others.isEmpty { others = [position + 1] }
        for other in others where try await isApplied(other, within: time, on: connection) { return true }
        return false
    }

    private func isApplied(
        _ position: Int64,
        within time: ProjectionTimeLimit,
        on connection: Connection
    ) async throws -> Bool {
        var clock: ProjectionTimeLimit.Clock?
        do {
            try await connection.withTransaction { connection in
                try await awaitLock(on: connection)
                clock = try await time.begin(positions: 1, of: schema, on: connection)
                try await group.apply(
                    to: schema,
                    lane: lane,
                    after: position - 1,
                    upTo: position,
                    sliceRows: 0,
                    on: connection
                )
                throw RolledBack()
            }
            return true
        } catch is RolledBack {
            return true
        } catch let error as PostgresError {
            if let clock, clock.isTimeOut(error) { return false }
            // It failed, and quickly.
            guard error.mayBePoison else { throw error }
            return true
        }
    }

    /// Rolls back a transaction that only measured time.
    private struct RolledBack: Error {}

    /// Runs ANALYZE on tables that have grown.
    func analyze(on connection: Connection) async throws {
        try await connection.query("SELECT projection.analyze_new($1, $2)", [.text(schema), .text(group.leader)])
    }

    /// Records why the last batch failed, for `notilog projections list`.
    func record(failure: String, on connection: Connection) async throws {
        try await connection.query(
            "SELECT projection.note_failure($1, $2, $3)",
            [.text(group.leader), .int2(lane), .text(failure)]
        )
    }
}

/// The checkpoint of a lane of a version.
struct ProjectionBounds: Sendable {
    /// Applied up to this position.
    var position: Int64
    /// May be applied up to this position.
    var target: Int64
    var isPaused: Bool
    /// The version's number.
    var version: Int64
    /// Whether slices of its events' changes are left.
    var isUnfinished: Bool

    init(of batch: ProjectionBatch, on connection: Connection) async throws {
        let row = try await connection.query(
            """
            SELECT b.position, b.target, b.paused, b.version_id, projection.unfinished_after($1, $2, $3) IS NOT NULL
            FROM projection.bounds($1, $2, $3, $4) b
            """,
            batch.parameters + [.texts(batch.behind)]
        ).only()
        position = try row.get(0)
        target = try row.get(1)
        isPaused = try row.get(2)
        version = try row.get(3)
        isUnfinished = try row.get(4)
    }
}
