public import Postgres

/// What operators do with apps and keys, each change told to every running service at once.
public struct Administration: Sendable {
    let pool: Pool

    /// - Parameter pool: a pool whose role may write `notilog.app` and `notilog.api_key`.
    public init(_ pool: Pool) {
        self.pool = pool
    }

    /// Makes a change and notifies the services of it in one transaction.
    func change<Value: Sendable>(_ body: @Sendable (Connection) async throws -> Value) async throws -> Value {
        try await pool.withTransaction { connection in
            let value = try await body(connection)
            try await connection.query("SELECT notilog.notify_keys()")
            return value
        }
    }
}

/// Why an operator's command was not carried out; the message says what to do.
public struct AdministrationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, in one sentence that says what to do next.
    public let message: String

    /// The message.
    public var description: String { message }

    /// - Parameter message: as the property of the same name.
    public init(_ message: String) {
        self.message = message
    }
}
