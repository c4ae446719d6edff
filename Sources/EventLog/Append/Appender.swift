internal import Logging
internal import NotificationEvents
internal import Pacing
internal import Postgres
internal import Synchronization

/// One writer: its connection, and what it does with a batch that PostgreSQL refuses.
///
/// It works on its connection's thread, so that a batch wakes no other.
actor Appender {
    private let executor = ThreadExecutor()
    private let number: Int
    private let configuration: ConnectionConfiguration
    private let queue: AppendQueue
    private let observer: AppendObserver
    private let logger: Logger
    private var connection: Connection?
    /// The statement that ``giveUp()`` cancels, from outside.
    private nonisolated let current = Mutex<(connection: Connection?, isGivenUp: Bool)>((nil, false))
    private var backoff = Backoff(first: .milliseconds(50), longest: .seconds(1))

    init(
        _ number: Int,
        _ configuration: ConnectionConfiguration,
        queue: AppendQueue,
        observer: AppendObserver,
        logger: Logger
    ) {
        self.number = number
        self.configuration = configuration
        self.queue = queue
        self.observer = observer
        self.logger = logger
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Writes the events of the queue until it is closed and empty.
    func run() async {
        while let batch = await nextBatch() {
            await write(batch)
        }
        await disconnect()
    }

    /// Interrupts the statement under way, and does not connect again. Waiting senders are told that their events may not be
    /// stored.
    nonisolated func giveUp() {
        let connection = current.withLock { current in
            current.isGivenUp = true
            return current.connection
        }
        connection?.interrupt()
    }

    /// Connects first. While that fails, waiting submissions fail too, and later ones are refused: so it goes on until it succeeds.
    private func nextBatch() async -> [Submission]? {
        repeat {
            if connection == nil { await connectOrFailWaiting() }
        } while connection == nil && queue.isWithoutWriters && !Task.isCancelled
        return await queue.next(for: number)
    }

    private func connectOrFailWaiting() async {
        do {
            _ = try await connected()
        } catch {
            let failure = error as? AppendError ?? .unavailable(because: error)
            observer.failed(failure)
            queue.failAllWaiting(failure)
            var pause = backoff
            await pause.wait()
            backoff = pause
        }
    }

    private func connected() async throws -> Connection {
        if let connection {
            if await connection.isReusable { return connection }
            await disconnect()
        }
        guard !current.withLock({ $0.isGivenUp }) else { throw AppendError.stopped }
        let new = try await Connection.connect(configuration, on: executor)
        connection = new
        let isGivenUp = current.withLock { current in
            current.connection = new
            return current.isGivenUp
        }
        if isGivenUp { new.interrupt() }
        backoff.reset()
        queue.writerConnected()
        return new
    }

    private func disconnect() async {
        guard let old = connection else { return }
        connection = nil
        current.withLock { $0.connection = nil }
        queue.writerDisconnected()
        await old.close()
    }

    private func write(_ taken: [Submission]) async {
        let clock = ContinuousClock()
        let start = clock.now
        let batch = taken.filter { start - $0.since < Submission.writerTimeout }
        for late in taken where start - late.since >= Submission.writerTimeout {
            late.continuation.resume(throwing: AppendError.overloaded(wait: queue.wait))
        }
        guard let oldest = batch.map(\.since).min() else { return }
        let parts = batch.map { SubmissionPart(app: $0.app, events: $0.events[...]) }
        do {
            let results = try await store(parts, until: oldest + Submission.answerTimeout)
            observer.committed(batch, results, took: clock.now - start)
            noteRejections(results)
            for (submission, results) in zip(batch, results) { submission.continuation.resume(returning: results) }
        } catch {
            logger.warning(
                "events were not stored: their senders are asked to send them again; if it goes on, see whether PostgreSQL takes writes",
                metadata: [
                    "error": "\(error)", "submissions": "\(batch.count)",
                    "events": "\(batch.reduce(0) { $0 + $1.events.count })",
                ]
            )
            let failure = error as? AppendError ?? .unavailable(because: error)
            observer.failed(failure)
            for submission in batch { submission.continuation.resume(throwing: failure) }
            await disconnect()
        }
    }

    /// Logs one line per batch, however many of its events PostgreSQL refused.
    private func noteRejections(_ results: [[AppendResult]]) {
        let reasons = results.joined().compactMap { if case .rejected(let reason) = $0 { reason } else { nil } }
        guard let first = reasons.first else { return }
        logger.warning(
            "PostgreSQL refused events that passed validation: their senders are answered invalid_value; report the error",
            metadata: ["error": "\(first)", "events": "\(reasons.count)"]
        )
    }

    /// Stores parts in one transaction; if PostgreSQL refuses the data, in halves, down to the invalid event.
    private func store(_ parts: [SubmissionPart], until end: ContinuousClock.Instant) async throws -> [[AppendResult]] {
        do {
            return try await attempt(parts, until: end)
        } catch let error as PostgresError where error.isRefusalOfData {
            if parts.count > 1 {
                let middle = parts.count / 2
                return try await store(Array(parts[..<middle]), until: end)
                    + store(Array(parts[middle...]), until: end)
            }
            guard let part = parts.first, part.events.count > 1 else {
                return [[.rejected(reason: "\(error)")]]
            }
            let middle = part.events.startIndex + part.events.count / 2
            let first = try await store([SubmissionPart(app: part.app, events: part.events[..<middle])], until: end)
            let second = try await store([SubmissionPart(app: part.app, events: part.events[middle...])], until: end)
            return [(first + second).flatMap { $0 }]
        }
    }

    /// Calls `log.append`. Repeats the call after a deadlock, after creating a missing partition, and once on a new connection
    /// if the old one broke: events that the first call stored are found by their ids. If the server has not answered by `end`,
    /// its connection is given up.
    private func attempt(_ parts: [SubmissionPart], until end: ContinuousClock.Instant) async throws -> [[AppendResult]]
    {
        let count = parts.reduce(0) { $0 + $1.events.count }
        guard count > 0 else { return parts.map { _ in [] } }
        let parameters = AppendParameters.make(parts)
        var pause = Backoff(first: .milliseconds(5), longest: .milliseconds(100))
        var hasMadePartitions = false
        var hasReconnected = false
        // A lock timeout is reported after one attempt.
        let lastTry = ContinuousClock.now + .seconds(4)
        while true {
            let connection = try await connected()
            do {
                let rows = try await connection.query(
                    AppendParameters.sql,
                    parameters,
                    within: max(ContinuousClock.now.duration(to: end), .milliseconds(1))
                )
                return split(try AppendParameters.results(rows, count: count), as: parts)
            } catch let error as PostgresError
                where error.isRetriable && !error.isConnectionFailure && ContinuousClock.now < lastTry
            {
                await pause.wait()
            } catch let error as PostgresError
                where error.isConnectionFailure && !hasReconnected && ContinuousClock.now + Self.reconnecting < end
            {
                hasReconnected = true
                await disconnect()
            } catch let error as PostgresError
                where error.sqlState == SQLState.checkViolation && !hasMadePartitions
            {
                // No partition for a row's received_at, as when an old item is replayed or the clock has jumped.
                hasMadePartitions = true
                try await Partitions.ensure(for: parts.flatMap { $0.events.map(\.receivedAt) }, on: connection)
            }
        }
    }

    /// The least time left before `end` for a new connection: finding that the server accepts none may take this long.
    private static let reconnecting = Duration.seconds(10)

    private func split(_ results: [AppendResult], as parts: [SubmissionPart]) -> [[AppendResult]] {
        var start = 0
        return parts.map { part in
            defer { start += part.events.count }
            return Array(results[start..<start + part.events.count])
        }
    }
}

extension PostgresError {
    /// Whether PostgreSQL refuses a value as such: data exceptions (22), constraints (23), limits such as the length of an
    /// index entry (54).
    fileprivate var isRefusalOfData: Bool {
        guard let sqlState else { return false }
        return ["22", "23", "54"].contains(String(sqlState.prefix(2)))
    }
}
