internal import Pacing

/// Repeats a transaction that others were in the way of, or that lost an object that was dropped or renamed as it ran, such
/// as a table of a version that was swapped (SQLSTATE 42P01, 3F000).
///
/// - Parameters:
///   - timeout: how long.
///   - body: the work, which is one transaction.
/// - Throws: what `body` throws in the end.
@discardableResult
package func retrying<Value>(for timeout: Duration, _ body: () async throws -> Value) async throws -> Value {
    let deadline = ContinuousClock.now + timeout
    var backoff = Backoff()
    while true {
        do {
            return try await body()
        } catch let error as PostgresError where error.mayPass && ContinuousClock.now < deadline {
            try await ContinuousClock().sleep(for: backoff.next())
        }
    }
}

extension PostgresError {
    fileprivate var mayPass: Bool {
        isRetriable && !isConnectionFailure
            || sqlState == SQLState.undefinedTable || sqlState == SQLState.invalidSchemaName
    }
}
