internal import EventLog
public import Logging
public import NotificationEvents
internal import Pacing
public import Postgres
internal import Synchronization

/// The clock that events are received by: this machine's, as long as it can be right.
///
/// All times of an event are judged by when it was received. By a clock that is years ahead every event is too old, and by
/// one that lies before what retention has dropped as well: all of it would be refused for good, and clients would drop it.
/// So a time of day that jumped against the timers of this process counts only where PostgreSQL's clock agrees.
public final class ReceiptClock: Sendable {
    /// What PostgreSQL says.
    struct Reference: Sendable {
        /// Its clock, microseconds since 1970.
        var now: Int64
        /// Before this moment the log holds nothing any more, microseconds since 1970.
        var floor: Int64
        /// When it said so, by the timers of this process.
        var instant = ContinuousClock.now
    }

    /// A time of day that was found right, and when that was by the timers of this process.
    private struct Anchor {
        var time: Int64
        var instant: ContinuousClock.Instant
    }

    /// By how much the time of day may leave the timers before it is compared.
    static let unnoticed: Int64 = 60_000_000
    /// By how much it may differ from PostgreSQL's, in microseconds.
    public static let tolerance: Int64 = 3_600_000_000

    private struct State {
        var anchor: Anchor?
        /// Said already.
        var isWrong = false
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Int64
    private let logger: Logger
    private let reference: Recent<Reference?>

    /// - Parameters:
    ///   - now: the time of day, microseconds since 1970.
    ///   - logger: told of a clock that is wrong.
    ///   - reference: asks PostgreSQL; it must end by itself.
    init(
        now: @escaping @Sendable () -> Int64 = SystemClock.microseconds,
        logger: Logger,
        reference: @escaping @Sendable () async throws -> Reference
    ) {
        self.now = now
        self.logger = logger
        // Not kept, as it may have been cut in between; whoever asks while it is asked for shares the answer.
        self.reference = Recent(for: .zero) { try? await reference() }
    }

    /// - Parameters:
    ///   - pool: lends the connection by which PostgreSQL is asked.
    ///   - logger: told of a clock that is wrong.
    public convenience init(_ pool: Pool, logger: Logger) {
        self.init(logger: logger) { try await .find(pool) }
    }

    /// The time of day.
    ///
    /// - Throws: ``IngestionError/clock(_:)`` where it cannot be right; ``IngestionError/clockUnknown`` where it jumped and nobody
    ///   can say whether it is; `CancellationError`.
    public nonisolated(nonsending) func time() async throws -> Timestamp {
        let time = now()
        if isContinued(time) { return Timestamp(microseconds: time) }
        guard let reference = try await reference.value() else { throw IngestionError.clockUnknown }
        let (compared, instant) = (now(), ContinuousClock.now)
        if let problem = reference.problem(with: compared, at: instant) {
            let isNew = state.withLock { state in
                defer { state = State(anchor: nil, isWrong: true) }
                return !state.isWrong
            }
            if isNew { logger.error("events are refused until the clock is right", metadata: ["reason": "\(problem)"]) }
            throw IngestionError.clock(problem)
        }
        state.withLock { $0 = State(anchor: Anchor(time: compared, instant: instant)) }
        return Timestamp(microseconds: compared)
    }

    /// What is wrong with the time of day; nil also where PostgreSQL does not say.
    ///
    /// - Throws: `CancellationError`.
    public func problem() async throws -> String? {
        try await reference.value()?.problem(with: now(), at: .now)
    }

    /// Whether the time of day went on as the timers did, since it was last looked at.
    private func isContinued(_ time: Int64) -> Bool {
        let instant = ContinuousClock.now
        return state.withLock { state in
            guard let last = state.anchor else { return false }
            let elapsed = (instant - last.instant) / .microseconds(1)
            guard abs(Double(time - last.time) - elapsed) < Double(Self.unnoticed) else { return false }
            if instant > last.instant { state.anchor = Anchor(time: time, instant: instant) }
            return true
        }
    }
}

extension ReceiptClock.Reference {
    /// What is wrong with a time of day, for whoever sets clocks.
    fileprivate func problem(with time: Int64, at instant: ContinuousClock.Instant) -> String? {
        let difference = time - now - Int64((instant - self.instant) / .microseconds(1))
        if abs(difference) > ReceiptClock.tolerance {
            return "the service's clock is \(abs(difference) / 1_000_000) s \(difference > 0 ? "ahead of" : "behind") "
                + "PostgreSQL's: set the one that is wrong"
        }
        guard time < floor else { return nil }
        return "the clocks of the service and of PostgreSQL are earlier than events that retention has dropped: "
            + "set both"
    }

    /// Asks PostgreSQL.
    ///
    /// - Throws: `PostgresError`.
    static func find(_ pool: Pool) async throws -> Self {
        let sql = "SELECT clock_timestamp(), greatest(floor, '1970-01-01 00:00:00+00') FROM log.state"
        let row = try await pool.query(sql).only()
        return Self(now: try row.get(0), floor: try row.get(1))
    }
}
