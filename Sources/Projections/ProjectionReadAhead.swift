internal import Postgres
internal import Schema

/// Reads the events of the next batch of a lane of a version under construction, on a connection of its own, while the batch before
/// it is folded and written: PostgreSQL and the fold wait for each other less.
///
/// What it has read holds as if the batch itself had read it. Its transaction holds the lock `background`, which whatever changes
/// stored events takes exclusively, until the batch holds it too. Where somebody waits for that lock as the batch begins, what was
/// read is thrown away, and the batch reads by itself. So it does where reading fails: then it is the batch that fails.
actor ProjectionReadAhead {
    /// A range whose events are read.
    private struct Reading {
        let range: ClosedRange<Int64>
        let task: Task<EventsRead?, Never>
    }

    private let configuration: ConnectionConfiguration
    private var connection: Connection?
    private var reading: Reading?

    /// - Parameter configuration: of the connection that applies the batches.
    init(_ configuration: ConnectionConfiguration) {
        // As long as a batch may take on a slow machine. A process that is frozen keeps an erasure waiting as long.
        self.configuration = configuration.with(settings: ["idle_in_transaction_session_timeout": "30s"])
    }

    /// Begins to read the events of a batch's version and lane. Call it in a transaction of the batch before.
    ///
    /// - Parameters:
    ///   - after: events after this position;
    ///   - upTo: and up to this one.
    ///   - batch: knows its tables.
    ///   - time: limits its statements as those of a batch.
    func begin(after: Int64, upTo: Int64, of batch: ProjectionBatch, within time: ProjectionTimeLimit) async {
        guard batch.group.fold != nil, upTo - after > 1, let tables = batch.tables else { return }
        await discard()
        reading = Reading(
            range: after...upTo,
            task: Task { await self.read(after: after, upTo: upTo, of: batch, tables, within: time) }
        )
    }

    /// Waits until everything that it began to read is there.
    func awaitEvents() async {
        guard let task = reading?.task else { return }
        await withTaskCancellationHandler {
            _ = await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Gives the events after a position to a batch, in its transaction, which holds the lane.
    ///
    /// - Parameter limit: the limit of the batch.
    /// - Returns: nil where they were not read, or may have changed since.
    /// - Throws: `PostgresError` of the batch's connection.
    func take(
        after position: Int64,
        _ limit: ProjectionBatch.Limit,
        on connection: Connection
    ) async throws -> (events: EventsRead, upTo: Int64)? {
        guard let reading else { return nil }
        let (after, upTo) = (reading.range.lowerBound, reading.range.upperBound)
        guard case .positions(let count) = limit, after == position, upTo - after <= count,
            let events = await reading.task.value,
            try await connection.query("SELECT lock.try_shared('background')").only().get(0, as: Bool.self)
        else {
            await discard()
            return nil
        }
        self.reading = nil
        // Had its session ended, with its lock, an erasure could have come before the batch's lock.
        guard await end() else { return nil }
        return (events, upTo)
    }

    /// Throws away what was read, and lets go of the lock.
    func discard() async {
        guard let reading else { return }
        self.reading = nil
        reading.task.cancel()
        _ = await reading.task.value
        _ = await end()
    }

    func close() async {
        await discard()
        await connection?.close()
        connection = nil
    }

    private func read(
        after: Int64,
        upTo: Int64,
        of batch: ProjectionBatch,
        _ tables: FoldVersion,
        within time: ProjectionTimeLimit
    ) async -> EventsRead? {
        do {
            let connection = try await connected()
            // Each statement sees what was committed before it, whatever the role's default: the first one takes the lock.
            try await connection.query("BEGIN ISOLATION LEVEL READ COMMITTED")
            let lanes = try await connection.query("SELECT projection.begin_reading($1, $2, $3)", batch.parameters)
                .only().get(0, as: Int16?.self)
            guard let lanes else { return nil }
            try await time.beginReading(positions: upTo - after, on: connection)
            let range = batch.group.range(after: after, upTo: upTo, lane: batch.lane, of: lanes)
            return try await tables.applied { try await batch.group.read(range, on: connection) }
        } catch {
            // The batch meets the same error where it matters, and says which event is at fault.
            return nil
        }
    }

    private func connected() async throws -> Connection {
        if let connection { return connection }
        let connection = try await Connection.connect(configuration)
        self.connection = connection
        return connection
    }

    /// Ends the transaction.
    ///
    /// - Returns: whether it was open until now.
    private func end() async -> Bool {
        guard let connection else { return false }
        do {
            // Without one, COMMIT is a warning.
            if await connection.isInTransaction {
                try await connection.query("COMMIT", within: .seconds(300))
                return true
            }
        } catch {
            // Ended by the server, or broken off.
        }
        await connection.close()
        self.connection = nil
        return false
    }
}
