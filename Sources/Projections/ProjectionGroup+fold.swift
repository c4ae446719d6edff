internal import Folds
internal import Postgres
internal import Schema

extension ProjectionGroup {
    /// Applies a range of the log by the fold of the group, in a transaction that `projection.begin_fold` began.
    ///
    /// - Parameters:
    ///   - sliceRows: the most notifications that it updates besides those of the events; nil for the default.
    ///   - events: the events, where they were read before.
    /// - Throws: `PostgresError`, with SQLSTATE class 22 where an event cannot be folded.
    func fold(
        _ range: FoldRange,
        sliceRows: Int32?,
        _ events: EventsRead?,
        on connection: isolated Connection
    ) async throws {
        do {
            let events = if let events { events } else { try await read(range, on: connection) }
            try await events.fold.apply(sliceRows: sliceRows, on: connection)
            try await connection.awaitAnswers()
        } catch let error as FoldError {
            throw PostgresError(error)
        }
    }

    /// Reads a range of the log for the fold of the group, in a transaction that `projection.begin_fold` or
    /// `projection.begin_reading` began.
    ///
    /// - Throws: `PostgresError`; `FoldError` where an event cannot be folded.
    func read(_ range: FoldRange, on connection: isolated Connection) async throws -> EventsRead {
        let fold: any Fold =
            switch leader {
            case "notification": try await NotificationFold.read(range, on: connection)
            case "notification_ending": try await EndingFold.read(range, on: connection)
            case "push_result": try await PushResultFold.read(range, on: connection)
            case "conversion": try await ConversionFold.read(range, on: connection)
            case "received": try await ReceivedFold.read(range, on: connection)
            case "device_token": try await TokenFold.read(range, on: connection)
            default: throw PostgresError(unexpected: "this program has no fold of the projection \(leader)")
            }
        return EventsRead(fold: fold)
    }
}

extension PostgresError {
    /// As PostgreSQL would have said it.
    fileprivate init(_ error: FoldError) {
        switch error {
        case .overflow:
            self.init(unexpected: "a count is out of range")
            sqlState = SQLState.numericValueOutOfRange
        case .value:
            self.init(unexpected: "a value of an event is not a time or number of its range")
            sqlState = SQLState.dataException
        case .packing:
            self.init(unexpected: "the facts of a notification are cut short, or of an unknown version")
            sqlState = SQLState.dataException
        }
    }
}
