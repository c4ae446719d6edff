internal import Pacing

extension Pool {
    /// Makes a pool, lends it, and shuts it down, whether or not the work failed.
    ///
    /// - Parameters:
    ///   - configuration: where its connections go.
    ///   - limit: the most connections at a time.
    ///   - body: works with the pool.
    /// - Throws: what `body` throws.
    public static func with<Value>(
        _ configuration: ConnectionConfiguration,
        limit: Int,
        _ body: (Pool) async throws -> Value
    ) async throws -> Value {
        let pool = Pool(configuration, limit: limit)
        return try await deferring({ await pool.shutDown() }) { try await body(pool) }
    }
}
