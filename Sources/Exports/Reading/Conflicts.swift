internal import Postgres

/// Conflicts of the snapshots in which a dataset's rows, their numbers and the projections' checkpoints belong together:
/// REPEATABLE READ transactions that begin with `LogProgress.lockCheckpoints(on:)`.
enum Conflicts {
    /// Retries such a transaction after a conflict, for example with another run that numbers changes, or an erasure.
    static func retrying<Value>(_ body: () async throws -> Value) async throws -> Value {
        var attempts = 0
        while true {
            do {
                return try await body()
            } catch let error as PostgresError where error.isContention && attempts < 20 {
                attempts += 1
            }
        }
    }
}
