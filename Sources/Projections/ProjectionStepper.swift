internal import Logging
internal import Metrics
internal import Postgres
internal import Schema

/// Applies a version of a group batch by batch. Where a batch fails because of an event in it, or is not done in its time,
/// it closes in on that one by halves, sets it aside and goes on.
///
/// It stays with one connection, and is made anew with another.
struct ProjectionStepper: Sendable {
    /// How many events may fail alike among how many positions: more are no events at fault, but a projection.
    static let mostAlike: (events: Int32, among: Int64) = (20, 200)

    /// How many notifications a slice goes through, and the fewest that one is cut down to.
    static let usualSliceRows: Int32 = 10_000
    static let leastSliceRows: Int32 = 100

    let batch: ProjectionBatch
    private let batchLimit: Int64
    private let time: ProjectionTimeLimit
    private let logger: Logger
    private var limit: Int64
    /// Fewer notifications in a slice than usual, where one took too long.
    private var sliceRows: Int32?
    /// The event that was not applied in its time, alone in its batch, while others were.
    private var slowPosition: Int64?
    /// The end of the last range that failed: something up to there is at fault.
    private var suspectedUpTo: Int64?
    private var version: Int64?
    /// Positions applied by it, and how many there are when tables that have grown get their first statistics.
    private var applied: (positions: Int64, analyzedAt: Int64) = (0, 1_000)

    enum Step: Sendable, Equatable {
        case applied(from: Int64, to: Int64, isBehind: Bool)
        case setAside(position: Int64)
        /// A batch failed; the next ones are smaller.
        case narrowed
        case idle(at: Int64)
        case busy
        case paused
        case replaced
    }

    init(
        _ batch: ProjectionBatch,
        batchLimit: Int64,
        timeLimits: (batch: Duration, event: Duration) = (.seconds(120), .seconds(10)),
        logger: Logger
    ) {
        self.batch = batch
        self.batchLimit = batchLimit
        time = ProjectionTimeLimit(whole: timeLimits.batch, positions: batchLimit, least: timeLimits.event)
        self.logger = logger
        limit = batchLimit
    }

    /// One transaction.
    ///
    /// - Throws: `PostgresError` where the group cannot go on: what was lost or refused whatever the event, a projection
    ///   that fails without any event, or more events that fail alike than can be the events' fault.
    mutating func step(on connection: Connection) async throws -> Step {
        let end = suspectedUpTo.map { ProjectionBatch.Limit.halfway(to: $0) } ?? .positions(limit)
        let begun = ContinuousClock.now
        let (outcome, version) = try await batch.apply(
            on: connection,
            limit: end,
            time: time,
            // Whoever looks for one event leaves the slices for later.
            sliceRows: suspectedUpTo == nil ? sliceRows : 0,
            version: version
        )
        if self.version == nil { self.version = version }
        switch outcome {
        case .applied(let from, let to, let isBehind):
            passed(to)
            if ContinuousClock.now - begun < time.whole / 4 {
                limit = min(batchLimit, limit * 2)
                sliceRows = sliceRows.flatMap { $0 < Self.usualSliceRows / 2 ? $0 * 2 : nil }
            }
            await analyze(after: to - from, on: connection)
            return .applied(from: from, to: to, isBehind: isBehind)
        case .failed(let from, let to, let error):
            // A slice alone: no event is at fault.
            guard to > from else { throw error }
            guard to - from == 1 else {
                suspectedUpTo = to
                return .narrowed
            }
            try await setAside(after: from, error, on: connection)
            passed(to)
            return .setAside(position: to)
        case .timedOut(let from, let to, let error):
            return try await narrow(from: from, to: to, error, on: connection)
        case .idle(let at): return .idle(at: at)
        case .busy: return .busy
        case .paused: return .paused
        case .replaced: return .replaced
        }
    }

    private mutating func passed(_ position: Int64) {
        if let suspected = suspectedUpTo, position >= suspected { suspectedUpTo = nil }
    }

    /// After a batch that was not done in its time: what of it is at fault, if anything is.
    ///
    /// - Throws: `PostgresError` where other events are not applied in that time either.
    private mutating func narrow(
        from: Int64,
        to: Int64,
        _ error: PostgresError,
        on connection: Connection
    ) async throws -> Step {
        guard to > from else {
            let fewer = (sliceRows ?? Self.usualSliceRows) / 2
            guard fewer >= Self.leastSliceRows else { throw error }
            sliceRows = fewer
            return .narrowed
        }
        guard to - from == 1 else {
            suspectedUpTo = to
            limit = max(1, min(limit, (to - from) / 2))
            try await setAsideSlowDevices(from: from, to: to, error, on: connection)
            return .narrowed
        }
        guard slowPosition == to else {
            // A server that is slow for everybody is no event's fault.
            guard try await batch.othersAreApplied(after: to, within: time, on: connection) else { throw error }
            slowPosition = to
            return .narrowed
        }
        slowPosition = nil
        try await setAside(after: from, error, on: connection)
        passed(to)
        return .setAside(position: to)
    }

    /// Of a device that an event was too slow for before, the others are set aside at once.
    private func setAsideSlowDevices(
        from: Int64,
        to: Int64,
        _ error: PostgresError,
        on connection: Connection
    ) async throws {
        let count = try await connection.query(
            "SELECT projection.set_aside_slow($1, $2, $3, $4, $5)",
            [.text(batch.schema), .text(batch.group.leader), .int8(from), .int8(to), .text("\(error)")]
        ).only().get(0, as: Int64.self)
        guard count > 0 else { return }
        Counter(label: "notilog_projection_set_aside_total", dimensions: [("projection", batch.group.leader)])
            .increment(by: count)
        logger.error(
            "events of devices whose events take too long were set aside",
            metadata: ["projection": "\(batch.group.leader)", "version": "\(batch.schema)", "events": "\(count)"]
        )
    }

    /// After a failure that says nothing of the events: a smaller batch fits into what the server has, or into its time.
    mutating func shrink() {
        limit = max(1, limit / 4)
    }

    /// At each doubling of what was applied: no more than some twenty times.
    private mutating func analyze(after positions: Int64, on connection: Connection) async {
        applied.positions += positions
        guard applied.positions >= applied.analyzedAt else { return }
        applied.analyzedAt = applied.positions * 2
        do {
            try await batch.analyze(on: connection)
        } catch {
            // Without, it is slower until autovacuum comes by.
            logger.warning(
                "no statistics were gathered",
                metadata: ["version": "\(batch.schema)", "error": "\(error)"]
            )
        }
    }

    private func setAside(after: Int64, _ error: PostgresError, on connection: Connection) async throws {
        let group = batch.group
        let isSetAside = try await connection.withTransaction { connection in
            try await connection.query(
                "SELECT projection.lock_version($1, $2)",
                [.text(batch.schema), .text(group.leader)]
            )
            return try await connection.query(
                "SELECT projection.set_aside($1, $2, $3, $4, $5, $6, $7, $8)",
                [
                    .text(batch.schema), .text(group.leader), .texts(group.members), .int8(after),
                    .text(error.sqlState ?? ""), .text("\(error)"), .int4(Self.mostAlike.events),
                    .int8(Self.mostAlike.among),
                ]
            ).only().get(0, as: Bool.self)
        }
        guard isSetAside else {
            throw PostgresError(
                unexpected:
                    "held at \(after), as \(Self.mostAlike.events) events of the last \(Self.mostAlike.among) failed alike, the last with: \(error)"
            )
        }
        Counter(label: "notilog_projection_set_aside_total", dimensions: [("projection", group.leader)]).increment()
        logger.error(
            "an event was set aside",
            metadata: [
                "projection": "\(group.leader)", "version": "\(batch.schema)", "position": "\(after + 1)",
                "error": "\(error)",
            ]
        )
    }
}

extension PostgresError {
    /// Whether an event may be what makes a batch fail, rather than the server or the connection:
    /// SQLSTATE classes 21–23, 2F, 38, 39, 42, 44, 54, 0A, P0 and an internal error (XX000).
    var mayBePoison: Bool {
        guard let sqlState, !isRetriable else { return false }
        return sqlState == "XX000"
            || ["0A", "21", "22", "23", "2F", "38", "39", "42", "44", "54", "P0"].contains(String(sqlState.prefix(2)))
    }
}
