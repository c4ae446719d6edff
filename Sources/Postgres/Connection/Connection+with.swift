internal import Pacing

extension Connection {
    /// Connects, lends the connection, and closes it, whether or not the work failed.
    ///
    /// - Parameters:
    ///   - configuration: the database.
    ///   - body: works with the connection.
    /// - Throws: as ``connect(_:)``, and what `body` throws.
    public static func with<Value: Sendable>(
        _ configuration: ConnectionConfiguration,
        _ body: (Connection) async throws -> Value
    ) async throws -> Value {
        let connection = try await connect(configuration)
        return try await deferring({ await connection.close() }) { try await body(connection) }
    }
}
