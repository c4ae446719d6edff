public import Postgres

/// A lock that outlives transactions: a session of its own that keeps one transaction open, and does nothing else. It ends
/// with that session, so with its process at the latest.
///
/// A holder whose session was ended must not continue as if it held the lock: call ``check()`` before work that only the
/// holder may do, and in its transaction check that no later holder has worked since.
///
/// It is here, and not beside connections, because its locks are tables and functions of `sql/lock`.
public final class HeldLock: Sendable {
    private let connection: Connection
    private let keepingAlive: Task<Void, Never>?

    private init(_ connection: Connection, keepingAlive: Task<Void, Never>?) {
        self.connection = connection
        self.keepingAlive = keepingAlive
    }

    /// Tries to take the lock of a name, for as long as it takes.
    ///
    /// - Parameter timeout: how long to try: the session of a holder that was killed ends when the server notices.
    /// - Returns: nil where another holds it.
    /// - Throws: ``PostgresError``.
    public static func take(
        _ name: String,
        _ configuration: ConnectionConfiguration,
        timeout: Duration = .seconds(3)
    ) async throws -> HeldLock? {
        let connection = try await open(configuration, idle: "0")
        do {
            // Made in a transaction of its own: a table that is not committed would be waited for.
            try await connection.query("SELECT lock.make_held($1)", [.text(name)])
            let deadline = ContinuousClock.now + timeout
            repeat {
                try await connection.query("BEGIN")
                if try await connection.query("SELECT lock.try_held($1)", [.text(name)]).only().get(0) {
                    try await connection.query(heartbeat)
                    return HeldLock(connection, keepingAlive: nil)
                }
                try await connection.query("ROLLBACK")
                try await ContinuousClock().sleep(for: .milliseconds(50))
            } while ContinuousClock.now < deadline
            await connection.close()
            return nil
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Holds the locks of a statement for a moment in which other work is stopped. A frozen process loses them after ten
    /// seconds.
    ///
    /// - Throws: ``PostgresError``, with SQLSTATE 55P03 if the lock was not granted within `lock_timeout`.
    public static func keep(
        _ statement: String,
        _ parameters: [Parameter],
        _ configuration: ConnectionConfiguration
    ) async throws -> HeldLock {
        let connection = try await open(configuration, idle: longestFreeze)
        do {
            try await connection.query("BEGIN")
            try await connection.query(statement, parameters)
            try await connection.query(heartbeat)
        } catch {
            await connection.close()
            throw error
        }
        return HeldLock(connection, keepingAlive: keepAlive(connection))
    }

    /// Works on what the next holder may begin anew. A process that is frozen meanwhile loses the lock after ten seconds; one that goes on
    /// holds it, and afterwards for as long as it takes.
    ///
    /// - Throws: what `work` throws; ``PostgresError`` where the lock was lost.
    public func losable<Value>(
        caller: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Value
    ) async throws -> Value {
        try await connection.query("SET idle_in_transaction_session_timeout = '\(Self.longestFreeze)'")
        let keepingAlive = Self.keepAlive(connection)
        defer { keepingAlive.cancel() }
        let value = try await work()
        // It fails where the session is gone.
        try await ask("SET idle_in_transaction_session_timeout = 0")
        return value
    }

    private static let longestFreeze = "10s"

    /// Asks the server for something every two seconds, as long as the process goes on.
    private static func keepAlive(_ connection: Connection) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                try? await ContinuousClock().sleep(for: .seconds(2))
                guard !Task.isCancelled else { return }
                // In a task of its own: cancelled in the middle of a statement, it would break the connection off.
                guard await Task(operation: { (try? await connection.query(heartbeat)) != nil }).value else { return }
            }
        }
    }

    /// A statement without a snapshot, which also ends that of the statement before: in an open transaction the server keeps it
    /// until the next one. VACUUM could remove no row of any table that was deleted since, and a rebuild would wait for it as
    /// for a reader.
    private static let heartbeat = "SHOW transaction_isolation"

    private static func open(_ configuration: ConnectionConfiguration, idle: String) async throws -> Connection {
        try await Connection.connect(
            configuration.with(
                settings: ["idle_in_transaction_session_timeout": idle, "search_path": "pg_catalog"],
                applicationName: SessionName.lock.rawValue
            )
        )
    }

    /// Looks whether it is still held.
    ///
    /// - Throws: ``PostgresError`` where it is not.
    public func check() async throws {
        try await ask(Self.heartbeat)
    }

    private func ask(_ statement: String) async throws {
        do {
            try await connection.query(statement)
        } catch var error as PostgresError where error.code == .closed {
            // A heartbeat met the reason.
            error.message =
                "a lock was lost: the server ended its session, as when the process stands still for more than 10 s"
            throw error
        }
    }

    /// Gives it back.
    public func release() async {
        keepingAlive?.cancel()
        // By a statement, as a session's end is not waited for.
        await connection.finish("ROLLBACK")
        await connection.close()
    }
}
