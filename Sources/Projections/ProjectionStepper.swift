internal import Logging
internal import Metrics
internal import Postgres

/// Applies a version of a group batch by batch. Where a batch fails because of an event in it, it closes in on that one
/// by halves, sets it aside and goes on.
///
/// It stays with one connection, and is made anew with another.
struct ProjectionStepper: Sendable {
    /// How many events may fail alike among how many positions: more are no events at fault, but a projection.
    static let mostAlike: (events: Int32, among: Int64) = (20, 200)

    let batch: ProjectionBatch
    private let batchLimit: Int64
    private let logger: Logger
    private var limit: Int64
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

    init(_ batch: ProjectionBatch, batchLimit: Int64, logger: Logger) {
        self.batch = batch
        self.batchLimit = batchLimit
        self.logger = logger
        limit = batchLimit
    }

    /// One transaction.
    ///
    /// - Throws: `PostgresError` where the group cannot go on: what was lost or refused whatever the event, a projection
    ///   that fails without any event, or more events that fail alike than can be the events' fault.
    mutating func step(on connection: Connection) async throws -> Step {
        let end = suspectedUpTo.map { ProjectionBatch.Limit.halfway(to: $0) } ?? .positions(limit)
        let (outcome, version) = try await batch.apply(on: connection, limit: end, version: version)
        if self.version == nil { self.version = version }
        switch outcome {
        case .applied(let from, let to, let isBehind):
            if let suspected = suspectedUpTo, to >= suspected { suspectedUpTo = nil }
            limit = min(batchLimit, limit * 2)
            await analyze(after: to - from, on: connection)
            return .applied(from: from, to: to, isBehind: isBehind)
        case .failed(let from, let to, let error):
            guard to - from == 1 else {
                suspectedUpTo = to
                return .narrowed
            }
            try await setAside(after: from, error, on: connection)
            if let suspected = suspectedUpTo, to >= suspected { suspectedUpTo = nil }
            return .setAside(position: to)
        case .idle(let at): return .idle(at: at)
        case .busy: return .busy
        case .paused: return .paused
        case .replaced: return .replaced
        }
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
    /// Whether an event may be what makes a batch fail, rather than the server, the connection or the time it took:
    /// SQLSTATE classes 21–23, 2F, 38, 39, 42, 44, 54, 0A, P0 and an internal error (XX000).
    var mayBePoison: Bool {
        guard let sqlState, !isRetriable else { return false }
        return sqlState == "XX000"
            || ["0A", "21", "22", "23", "2F", "38", "39", "42", "44", "54", "P0"].contains(String(sqlState.prefix(2)))
    }
}
