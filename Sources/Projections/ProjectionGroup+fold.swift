internal import Folds
internal import Postgres
internal import Schema

extension ProjectionGroup {
    /// Applies a range of the log by the fold of the group, in a transaction that `projection.begin_fold` began.
    ///
    /// - Parameter sliceRows: the most notifications that it updates besides those of the events; nil for the default.
    /// - Throws: `PostgresError`, with SQLSTATE class 22 where an event cannot be folded.
    func fold(_ range: FoldRange, sliceRows: Int32?, on connection: isolated Connection) async throws {
        do {
            switch leader {
            case "notification": try await NotificationFold(range, sliceRows: sliceRows).apply(on: connection)
            case "notification_ending": try await EndingFold.apply(range, on: connection)
            case "push_result": try await PushResultFold.apply(range, on: connection)
            case "conversion": try await ConversionFold.apply(range, on: connection)
            case "received": try await ReceivedFold.apply(range, on: connection)
            case "device_token": try await TokenFold(range).apply(on: connection)
            default: throw PostgresError(unexpected: "this program has no fold of the projection \(leader)")
            }
            try await connection.awaitAnswers()
        } catch let error as FoldError {
            throw PostgresError(error)
        }
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
