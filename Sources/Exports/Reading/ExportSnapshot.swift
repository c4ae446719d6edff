internal import Postgres

/// A snapshot in which a dataset's rows, their numbers and the projections' checkpoints belong together: a REPEATABLE READ
/// transaction.
enum ExportSnapshot {
    /// The first statement of the transaction. The lock comes before the snapshot, so no version of a projection can be
    /// swapped between the checkpoint and the tables.
    static func begin(on connection: Connection) async throws {
        try await connection.query("LOCK TABLE projection.checkpoint IN ACCESS SHARE MODE")
    }

    /// Retries the transaction after a conflict, for example with another run that numbers changes, or an erasure.
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
