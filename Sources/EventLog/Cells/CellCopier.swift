public import Logging
internal import Pacing
internal import Postgres
internal import Schema
public import ServiceLifecycle

/// Copies what another cell needs of a cell's events into it: registrations of categories, and what is said of tokens that devices of both
/// have. One of the services that share the cells does, the others stand by.
///
/// A copy is stored once, however often it is sent, so a copier that dies, or is frozen for ten seconds, is followed by one that begins where
/// it had recorded to be. What a cell's projections have of copies counts in positions: see `log.copied`.
public final class CellCopier: Service {
    private let cell: Cell
    private let other: Cell
    private let signal: LogSignal
    private let logger: Logger
    /// How often to look whether copies are applied.
    private let pollInterval: Duration
    /// How long to wait for the next settled event: a settler of this process says so at once.
    private static let longestWait = Duration.seconds(1)
    /// How often one that stands by looks whether it is its turn: each time it connects.
    private static let standbyPause = Duration.seconds(2)

    /// - Parameters:
    ///   - cell: the cell whose events are copied, with the role of projectors.
    ///   - other: the cell that they are copied to, with the same role.
    ///   - signal: says what is settled in the cell.
    ///   - pollInterval: how often to look whether copies are applied.
    ///   - logger: told of lost connections.
    public init(
        _ cell: Cell,
        to other: Cell,
        signal: LogSignal,
        pollInterval: Duration = .milliseconds(100),
        logger: Logger
    ) {
        func named(_ cell: Cell) -> Cell {
            let database = cell.database.with(
                settings: [
                    "statement_timeout": "60s", "lock_timeout": "5s", "idle_in_transaction_session_timeout": "10s",
                    "notilog.here": "on",
                ],
                applicationName: SessionName.copy.rawValue
            )
            return Cell(number: cell.number, database: database, lanes: cell.lanes)
        }
        self.cell = named(cell)
        self.other = named(other)
        self.signal = signal
        self.pollInterval = pollInterval
        self.logger = logger
    }

    /// Copies until the service is told to stop.
    public func run() async {
        await cancelWhenGracefulShutdown { await self.keepCopying() }
    }

    private func keepCopying() async {
        var backoff = Backoff()
        while !Task.isCancelled {
            do {
                let name = "copies to cell \(other.number)"
                guard let lock = try await HeldLock.take(name, cell.database, timeout: .zero) else {
                    try await ContinuousClock().sleep(for: Self.standbyPause)
                    continue
                }
                try await deferring({ await lock.release() }) {
                    // What a copier did that is frozen by now may be done once more by the next.
                    try await lock.losable { try await copy(under: lock) { backoff.reset() } }
                }
            } catch {
                guard !Task.isCancelled else { return }
                logger.warning(
                    "events could not be copied to another cell, and will be: reports that name a position wait for it",
                    metadata: ["to": "\(other.number)", "error": "\(error)"]
                )
                await backoff.wait()
            }
        }
    }

    /// Copies as long as the lock is held.
    ///
    /// - Parameter hasCopied: called after each round.
    private func copy(under lock: HeldLock, _ hasCopied: () -> Void) async throws {
        try await withCopies { copies in
            while true {
                try Task.checkCancellation()
                try await lock.check()
                let progress = try await copies.advance()
                hasCopied()
                switch progress {
                case .moreToCopy: continue
                case .copied: try await ContinuousClock().sleep(for: pollInterval)
                case .applied(let position):
                    await signal.waitForSettled(beyond: position, timeout: Self.longestWait)
                }
            }
        }
    }

    /// Copies what is settled, once: for tests.
    ///
    /// - Throws: `PostgresError`.
    public func copyNow() async throws {
        try await withCopies { copies in
            while case .moreToCopy = try await copies.advance() {}
        }
    }

    private func withCopies(_ body: (CellCopies) async throws -> Void) async throws {
        try await Connection.with(cell.database) { source in
            try await Connection.with(other.database) { target in
                try await body(
                    CellCopies(cell: cell.number, source: source, other: other.number, target: target)
                )
            }
        }
    }
}
