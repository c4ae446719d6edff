public import Logging
internal import Pacing
internal import Postgres
internal import Schema
public import ServiceLifecycle

/// Copies what other cells need of a cell's events into them: registrations of categories, and what is said of tokens that devices of
/// several cells have. One of the services that share the cell does, the others stand by.
///
/// A copy is stored once, however often it is sent, so a copier that dies is followed by one that begins where it had recorded to be. What
/// a cell's projections have of copies counts in positions: see `log.copied`.
public final class CellCopier: Service {
    private let cell: Cell
    private let others: [Cell]
    private let signal: LogSignal
    private let logger: Logger
    /// How often to look for what other processes stored, and whether copies are applied.
    private let pollInterval: Duration

    private static let positionsAtATime: Int64 = 10_000
    private static let eventsAtATime: Int32 = 2_000
    private static let lock = "copies to other cells"

    /// - Parameters:
    ///   - cell: the cell whose events are copied, with the role of projectors.
    ///   - cells: all cells, with the same role.
    ///   - signal: says what is settled in the cell.
    ///   - pollInterval: how often to look whether copies are applied.
    ///   - logger: told of lost connections.
    public init(
        _ cell: Cell,
        of cells: [Cell],
        signal: LogSignal,
        pollInterval: Duration = .milliseconds(75),
        logger: Logger
    ) {
        func named(_ cell: Cell) -> Cell {
            let database = cell.database.with(
                settings: ["statement_timeout": "60s", "lock_timeout": "5s", "jit": "off", "notilog.here": "on"],
                applicationName: SessionName.copy.rawValue
            )
            return Cell(number: cell.number, database: database, lanes: cell.lanes)
        }
        self.cell = named(cell)
        others = cells.filter { $0.number != cell.number }.map(named)
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
                guard let lock = try await HeldLock.take(Self.lock, cell.database) else { continue }
                try await deferring({ await lock.release() }) {
                    let sessions = CellSessions()
                    try await deferring({ await sessions.close() }) {
                        while true {
                            try Task.checkCancellation()
                            try await lock.check()
                            let isBusy = try await copyOnce(sessions)
                            backoff.reset()
                            if !isBusy { try await ContinuousClock().sleep(for: pollInterval) }
                        }
                    }
                }
            } catch {
                guard !Task.isCancelled else { return }
                logger.warning(
                    "events could not be copied to other cells, and will be: reports that name a position wait for it",
                    metadata: ["cell": "\(cell.number)", "error": "\(error)"]
                )
                await backoff.wait()
            }
        }
    }

    /// Copies what is settled, once, to every cell that answers: for tests and commands.
    ///
    /// - Throws: the first `PostgresError`, after every cell was tried.
    public func copyNow() async throws {
        let sessions = CellSessions()
        try await deferring({ await sessions.close() }) {
            while try await copyOnce(sessions) {}
        }
    }

    /// One round. A cell that does not answer holds up no other.
    ///
    /// - Returns: whether there is more to copy.
    private func copyOnce(_ sessions: CellSessions) async throws -> Bool {
        let source = try await sessions.connection(to: cell)
        let settled = try await LogPositions.read(on: source).settled
        var isBusy = false
        var failure: (any Error)?
        for other in others {
            do {
                let target = try await sessions.connection(to: other)
                let copies = CellCopies(cell: cell.number, source: source, other: other.number, target: target)
                if try await copies.advance(to: settled, Self.positionsAtATime, Self.eventsAtATime) { isBusy = true }
            } catch {
                await sessions.close(other)
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return isBusy
    }
}

/// The sessions of a copier, one with each cell.
private actor CellSessions {
    private var connections: [Int16: Connection] = [:]

    func connection(to cell: Cell) async throws -> Connection {
        if let known = connections[cell.number] { return known }
        let new = try await Connection.connect(cell.database)
        connections[cell.number] = new
        return new
    }

    func close(_ cell: Cell) async {
        await connections.removeValue(forKey: cell.number)?.close()
    }

    func close() async {
        for connection in connections.values { await connection.close() }
        connections = [:]
    }
}
