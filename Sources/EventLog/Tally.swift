public import Logging
internal import Pacing
public import Postgres
public import ServiceLifecycle
internal import Synchronization

/// Counts what leaves no row in the log, by app, quarter hour of receipt, kind and outcome, for the activity report.
///
/// Gathered in memory and added to `log.tally` every second: a crash may lose a second's counts, never an event.
public final class Tally: Service {
    struct Key: Hashable {
        var app: AppID
        var quarterHour: Int64
        var kind: String
        var outcome: String
    }

    private let counts = Mutex<[Key: Int64]>([:])
    private let pool: Pool
    private let logger: Logger
    private static let quarterHour: Int64 = 900_000_000

    /// - Parameters:
    ///   - pool: lends a connection for each flush.
    ///   - logger: told where a flush fails; its counts are kept for the next.
    public init(pool: Pool, logger: Logger) {
        self.pool = pool
        self.logger = logger
    }

    /// Counts.
    ///
    /// - Parameters:
    ///   - app: whose.
    ///   - at: when it was received, microseconds since 1970.
    ///   - kind: the event's kind; empty where it is not known.
    ///   - outcome: `duplicate`, or the code of a rejection.
    ///   - events: how many.
    public func count(app: AppID, at: Int64, kind: String, outcome: String, events: Int64 = 1) {
        let start = at - ((at % Self.quarterHour) + Self.quarterHour) % Self.quarterHour
        counts.withLock { $0[Key(app: app, quarterHour: start, kind: kind, outcome: outcome), default: 0] += events }
    }

    /// Adds the counts to the database.
    ///
    /// - Throws: `PostgresError`; the counts are then kept.
    public func flush() async throws {
        let taken = counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
        guard !taken.isEmpty else { return }
        // In one order everywhere, or two flushes could wait for each other.
        let rows = taken.sorted {
            ($0.key.app, $0.key.quarterHour, $0.key.kind, $0.key.outcome)
                < ($1.key.app, $1.key.quarterHour, $1.key.kind, $1.key.outcome)
        }
        do {
            try await pool.query(
                "SELECT log.tally_add($1, $2, $3, $4, $5)",
                [
                    .apps(rows.map(\.key.app)), .timestamptzs(rows.map(\.key.quarterHour)),
                    .texts(rows.map(\.key.kind)),
                    .texts(rows.map(\.key.outcome)), .int8s(rows.map(\.value)),
                ]
            )
        } catch {
            counts.withLock { $0.merge(taken, uniquingKeysWith: +) }
            throw error
        }
    }

    /// Flushes every second, and once more at the end.
    public func run() async {
        let flushing = Recurring(
            "write event counts",
            every: .pause(.seconds(1)),
            retry: { _ in .seconds(1) },
            logger: logger
        ) {
            try await self.flush()
            return 0
        }
        await flushing.run()
        // In a task of its own, because this one may be cancelled; an unavailable database does not delay the stop.
        let last = Task { await flushing.runOnce() }
        let limit = Task {
            try await ContinuousClock().sleep(for: .seconds(3))
            last.cancel()
        }
        await last.value
        limit.cancel()
    }
}
