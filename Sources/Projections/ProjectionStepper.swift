internal import Logging
internal import Metrics
internal import Pacing
internal import Postgres
internal import Schema

/// Applies a lane of a version of a group batch by batch. If a batch fails because of an event in it, or exceeds its time
/// limit, the stepper halves the range until it finds the event, sets it aside and continues.
///
/// It holds no connection: after one broke, it goes on with the next.
struct ProjectionStepper: Sendable {
    /// Once as many events as this have failed with one error among so many positions, the projection is at fault, not the events.
    static let mostAlike: (events: Int32, among: Int64) = (20, 200)

    /// The lowest number of notifications in a slice, after reductions.
    static let leastSliceRows: Int32 = 100

    /// The number of positions below which a batch is not made smaller for its time: a small one takes its time whatever its
    /// size, so that smaller ones would only fall behind.
    static let leastLimit: Int64 = 5_000

    /// How many holders have to end while they apply an event alone, before it is set aside. Others may have been killed: where
    /// services are killed every few seconds and the machine is slow, three in a row end at one event by chance.
    static let triesAlone: Int32 = 4

    /// How many events a holder applies one by one if others began and ended at its checkpoint.
    static let mostAlone: Int64 = 1_000

    private(set) var batch: ProjectionBatch
    private let batchLimit: Int64
    let time: ProjectionTimeLimit
    /// How long a batch should take at most: an erasure waits that long, and what is killed has that much to do again.
    private let aim: Duration
    let logger: Logger
    private var limit: Int64
    /// A lower number of notifications in a slice, after one exceeded its time limit.
    var sliceRows: Int32?
    /// The search for a notification at fault in a slice that failed.
    var sliceSearch: SliceSearch?
    /// An event that failed or exceeded its time limit alone in its batch, while a batch without it succeeded.
    private var suspectedPosition: Int64?
    /// The end of the last range that failed: an event up to there is at fault.
    private var suspectedUpTo: Int64?
    private var version: Int64?
    private var isHolder = false
    /// Up to here events are applied one by one: holders before this one ended where it began.
    private var aloneUpTo: Int64?
    /// The event to apply alone next, and the last one that was noted.
    private var alone: (next: Int64, noted: Int64?) = (0, nil)
    /// The number of positions applied, and the number at which ANALYZE runs next.
    private var applied: (positions: Int64, analyzedAt: Int64) = (0, 1_000)

    enum Step: Sendable, Equatable {
        case applied(from: Int64, to: Int64, left: ProjectionBatch.Remaining)
        case setAside(position: Int64)
        /// After a failed batch the next ones are smaller.
        case narrowed
        case idle(at: Int64)
        case busy
        case paused
        case replaced
    }

    init(
        _ batch: ProjectionBatch,
        batchLimit: Int64,
        firstBatch: Int64 = 1_000,
        aim: Duration = .seconds(2),
        timeLimits: (batch: Duration, event: Duration),
        version: Int64? = nil,
        logger: Logger
    ) {
        self.batch = batch
        self.batchLimit = batchLimit
        time = ProjectionTimeLimit(whole: timeLimits.batch, positions: batchLimit, least: timeLimits.event)
        self.logger = logger
        self.version = version
        self.aim = min(aim, timeLimits.batch / 4)
        limit = min(batchLimit, firstBatch)
    }

    /// One transaction.
    ///
    /// - Throws: `PostgresError` if the lane cannot continue: the connection was lost, the statement would fail whatever the
    ///   event, the projection fails without any event, or too many events fail with one error.
    mutating func step(on connection: Connection) async throws -> Step {
        let begun = ContinuousClock.now
        let (outcome, version) = try await applyNext(on: connection)
        if self.version == nil { self.version = version }
        switch outcome {
        case .applied(let from, let to, let left):
            if sliceSearch != nil { return narrowSlice(isBehind: left != .nothing) }
            passed(to)
            let took = ContinuousClock.now - begun
            // What was read ahead has the limit of the batch before: it says nothing of a larger one.
            let isFull = to - from >= limit || batch.ahead == nil
            if took < time.whole / 4 {
                sliceRows = sliceRows.flatMap { $0 < ProjectionGroup.usualSliceRows / 2 ? $0 * 2 : nil }
            }
            if took < (limit < Self.leastLimit ? time.whole / 4 : aim / 2) {
                if isFull { limit = min(batchLimit, limit * 2) }
            } else if took > aim, limit > Self.leastLimit {
                limit = max(Self.leastLimit, limit / 2)
            }
            await analyze(after: to - from, on: connection)
            return .applied(from: from, to: to, left: left)
        case .failed(let from, let to, true, let error):
            return try await searchSlice(from: from, to: to, error, isTimeOut: false, on: connection)
        case .failed(let from, let to, false, let error):
            guard to > from else { throw error }
            guard to - from == 1 else {
                suspectedUpTo = to
                return .narrowed
            }
            return try await setAsideIfTwice(from: from, to: to, error, isTimeOut: false, on: connection)
        case .timedOut(let from, let to, true, let error):
            sliceRows = max(Self.leastSliceRows, (sliceRows ?? ProjectionGroup.usualSliceRows) / 2)
            return try await searchSlice(from: from, to: to, error, isTimeOut: true, on: connection)
        case .timedOut(let from, let to, false, let error):
            return try await narrow(from: from, to: to, error, on: connection)
        case .unheld(let at): return try await hold(at: at, on: connection)
        case .idle(let at): return .idle(at: at)
        case .busy: return .busy
        case .paused: return .paused
        case .replaced: return .replaced
        }
    }

    /// One transaction with a slice, and no event. Where this holder was not noted yet, that comes first.
    ///
    /// A search for what is at fault is left to ``step(on:)``.
    ///
    /// - Throws: as ``step(on:)``.
    mutating func slice(on connection: Connection) async throws -> Step {
        var slices = self
        slices.limit = 0
        slices.batch.ahead = nil
        slices.sliceSearch = nil
        slices.suspectedUpTo = nil
        slices.aloneUpTo = nil
        var step = try await slices.step(on: connection)
        if !isHolder, slices.isHolder {
            isHolder = true
            slices.aloneUpTo = nil
            step = try await slices.step(on: connection)
        }
        return step
    }

    /// After a slice of the search that did not fail.
    private mutating func narrowSlice(isBehind: Bool) -> Step {
        guard var search = sliceSearch else { return .narrowed }
        if search.hasFailed {
            search.passed()
            sliceSearch = search.suspected > 0 && isBehind ? search : nil
        } else {
            // The slice is not at fault.
            sliceSearch = nil
            suspectedUpTo = search.eventsUpTo
        }
        return .narrowed
    }

    private mutating func passed(_ position: Int64) {
        if let suspected = suspectedUpTo, position >= suspected { suspectedUpTo = nil }
        alone.next = position + 1
        if let end = aloneUpTo, position >= end { aloneUpTo = nil }
    }

    /// Applies the next batch, or the next event alone. The tables of the version are read once, until something fails.
    private mutating func applyNext(
        on connection: Connection
    ) async throws -> (ProjectionBatch.Outcome, version: Int64?) {
        if batch.tables == nil { batch.tables = try await FoldVersion(batch.schema, on: connection) }
        var hasFailed = true
        defer { if hasFailed { batch.tables = nil } }
        let result = aloneUpTo == nil ? try await apply(limit, on: connection) : try await applyAlone(on: connection)
        switch result.0 {
        case .failed, .timedOut: break
        default: hasFailed = false
        }
        return result
    }

    /// Applies a range of so many positions.
    private func apply(
        _ positions: Int64,
        on connection: Connection
    ) async throws -> (ProjectionBatch.Outcome, version: Int64?) {
        var end = suspectedUpTo.map { ProjectionBatch.Limit.halfway(to: $0) } ?? .positions(positions)
        // The search for an event leaves slices for later.
        var rows = suspectedUpTo == nil ? sliceRows : 0
        var sliceTime = 1.0
        if let sliceSearch { (end, rows, sliceTime) = (.positions(0), sliceSearch.rows, sliceSearch.time) }
        return try await batch.apply(
            on: connection,
            limit: end,
            time: time,
            sliceRows: rows,
            sliceTime: sliceTime,
            version: version,
            isHeld: isHolder,
            // An event that ends the process as it is read is found where the holder began, not a batch later.
            readsAhead: applied.positions > 0
        )
    }

    /// Applies the next event alone, after a note. One lane of a process at a time: when the process ends, it is this event's
    /// doing, not that of another lane.
    private mutating func applyAlone(on connection: Connection) async throws -> (
        ProjectionBatch.Outcome, version: Int64?
    ) {
        let (next, noted) = alone
        alone.noted = next
        return try await Self.turns.take(.alone) { [self] in
            // Once, however often this holder tries it.
            if noted != next { try await batch.holdAlone(next, on: connection) }
            return try await apply(1, on: connection)
        }
    }

    private enum Turn { case alone }
    private static let turns = Turns<Turn>(limit: 1)

    /// Notes this holder before its first batch. If others began and ended at the same checkpoint, it applies the next events
    /// one by one, and sets aside the one at which others ended.
    private mutating func hold(at position: Int64, on connection: Connection) async throws -> Step {
        guard let holding = try await batch.hold(at: position, on: connection) else { return .busy }
        isHolder = true
        let wasAlone = holding.alone == position + 1
        guard holding.began > 1 || wasAlone else { return .narrowed }
        if wasAlone, holding.tries >= Self.triesAlone {
            var error = PostgresError(unexpected: "\(holding.tries) processes ended while they applied this event")
            error.sqlState = SQLState.internalError
            try await setAside(after: position, error, on: connection)
            return .setAside(position: position + 1)
        }
        // The first statements of a new connection are slow. Run them before the event, so that their time does not count as
        // the event's.
        try await tryNoEvent(after: position, on: connection)
        aloneUpTo = position + min(batchLimit, Self.mostAlone)
        alone.next = position + 1
        return .narrowed
    }

    /// After a batch that exceeded its time limit: finds the event at fault, if there is one.
    ///
    /// - Throws: `PostgresError` if other events exceed the limit too.
    private mutating func narrow(
        from: Int64,
        to: Int64,
        _ error: PostgresError,
        on connection: Connection
    ) async throws -> Step {
        guard to - from == 1 else {
            suspectedUpTo = to
            limit = max(1, min(limit, (to - from) / 2))
            try await setAsideSlowDevices(from: from, to: to, error, on: connection)
            return .narrowed
        }
        return try await setAsideIfTwice(from: from, to: to, error, isTimeOut: true, on: connection)
    }

    /// Handles an event that failed, or exceeded its time limit, alone in its batch. The cause may be over by now: the event is
    /// tried once more after a batch without it, and set aside if it fails again.
    ///
    /// - Throws: `PostgresError` if the batch without it fails too.
    private mutating func setAsideIfTwice(
        from: Int64,
        to: Int64,
        _ error: PostgresError,
        isTimeOut: Bool,
        on connection: Connection
    ) async throws -> Step {
        guard suspectedPosition == to else {
            if isTimeOut {
                // The server is slow for all events: none is at fault.
                guard try await batch.othersAreApplied(after: to, within: time, on: connection) else { throw error }
            } else {
                try await tryNoEvent(after: from, on: connection)
            }
            suspectedPosition = to
            return .narrowed
        }
        suspectedPosition = nil
        try await setAside(after: from, error, on: connection)
        passed(to)
        return .setAside(position: to)
    }

    /// Sets aside the other events of a device with an event that was too slow before.
    private func setAsideSlowDevices(
        from: Int64,
        to: Int64,
        _ error: PostgresError,
        on connection: Connection
    ) async throws {
        let count = try await connection.query(
            "SELECT projection.set_aside_slow($1, $2, $3, $4, $5, $6)",
            batch.parameters + [.int8(from), .int8(to), .text("\(error)")]
        ).only().get(0, as: Int64.self)
        guard count > 0 else { return }
        countSetAside(count)
        logger.error(
            "set aside events of devices with an event that exceeds the time limit: \(Self.afterwards(batch.group))",
            metadata: ["projection": "\(batch.group.leader)", "version": "\(batch.schema)", "events": "\(count)"]
        )
    }

    /// Makes the next batches smaller if their size may be the cause: if memory, the disk or the time did not suffice. Batches
    /// that succeed grow again.
    ///
    /// - Returns: whether they are smaller now.
    @discardableResult
    mutating func shrink(after error: any Error) -> Bool {
        guard let error = error as? PostgresError, error.mayBeSize, limit > 1 else { return false }
        limit = max(1, limit / 4)
        return true
    }

    /// Runs at each doubling of the number applied: some twenty times at most.
    private mutating func analyze(after positions: Int64, on connection: Connection) async {
        applied.positions += positions
        guard applied.positions >= applied.analyzedAt else { return }
        applied.analyzedAt = applied.positions * 2
        do {
            try await batch.analyze(on: connection)
        } catch {
            // Without statistics it is slower until autovacuum runs.
            logger.warning(
                "the new tables could not be analyzed: batches and reports are slower until autovacuum does it",
                metadata: ["version": "\(batch.schema)", "error": "\(error)"]
            )
        }
    }

    /// Counts events that were set aside, or a notification that was left as it was.
    func countSetAside(_ number: Int64 = 1) {
        Counter(label: "notilog_projection_set_aside_total", dimensions: [("projection", batch.group.leader)])
            .increment(by: number)
    }

    /// What follows from data that was set aside, and what to do.
    static func afterwards(_ group: ProjectionGroup) -> String {
        "reports leave it out; run `notilog projections retry \(group.leader)` after the fix"
    }

    /// Applies no event, and no slice. If that fails too, neither an event nor a notification is at fault.
    func tryNoEvent(after position: Int64, on connection: Connection) async throws {
        let batch = batch
        try await connection.withTransaction { connection in
            try await batch.awaitLock(on: connection)
            try await batch.applyNoEvent(after: position, on: connection)
        }
    }

    private func setAside(after: Int64, _ error: PostgresError, on connection: Connection) async throws {
        let group = batch.group
        let isSetAside = try await connection.withTransaction { connection in
            try await batch.awaitLock(on: connection)
            try await batch.applyNoEvent(after: after, on: connection)
            return try await connection.query(
                "SELECT projection.set_aside($1, $2, $3, $4, $5, $6, $7, $8)",
                batch.parameters + [
                    .int8(after),
                    .text(error.sqlState ?? ""), .text("\(error)"), .int4(Self.mostAlike.events),
                    .int8(Self.mostAlike.among),
                ]
            ).only().get(0, as: Bool.self)
        }
        guard isSetAside else {
            throw PostgresError(
                unexpected:
                    "held at \(after): \(Self.mostAlike.events) events of the last \(Self.mostAlike.among) failed with the same error; reports that read \(group.leader) go stale until a fixed release applies them; the last failed with: \(error)"
            )
        }
        countSetAside()
        logger.error(
            "set aside an event that cannot be applied: \(Self.afterwards(group))",
            metadata: [
                "projection": "\(group.leader)", "version": "\(batch.schema)", "position": "\(after + 1)",
                "error": "\(error)",
            ]
        )
    }
}

extension PostgresError {
    /// Whether a smaller batch may succeed: out of disk or memory, temp_file_limit, cancelled by a time limit, or folded for too
    /// long. A lost connection or a lock that was not granted says nothing about the size.
    fileprivate var mayBeSize: Bool {
        let ofSize = [
            SQLState.diskFull, SQLState.outOfMemory, SQLState.configurationLimitExceeded, SQLState.queryCanceled,
        ]
        return isFoldedTooLong || sqlState.map { ofSize.contains($0) } ?? false
    }

    /// Whether PostgreSQL ended the session, idle in its transaction while the batch was folded: on a machine with too much to do,
    /// or by a process that was frozen.
    var isFoldedTooLong: Bool { sqlState == SQLState.idleInTransactionSessionTimeout }

    /// Whether an event may be what makes a batch fail, rather than the server or the connection:
    /// SQLSTATE classes 21–23, 2F, 38, 39, 42, 44, 54, 0A, P0 and an internal error (XX000).
    var mayBePoison: Bool {
        guard let sqlState, !isRetriable else { return false }
        return sqlState == SQLState.internalError
            || ["0A", "21", "22", "23", "2F", "38", "39", "42", "44", "54", "P0"].contains(String(sqlState.prefix(2)))
    }
}
