import UnixSignals

/// What SIGINT and SIGTERM do to work that has to tidy up.
enum Interruption {
    /// Works, and cancels the work at the first such signal. What it then throws as it was cancelled is a `CancellationError`.
    static func cancelling<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value
    {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let working = Task(operation: work)
        let listening = Task {
            for await _ in signals {
                working.cancel()
                return
            }
        }
        defer { listening.cancel() }
        do {
            return try await working.value
        } catch {
            throw working.isCancelled ? CancellationError() : error
        }
    }
}
