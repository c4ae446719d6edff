internal import CLibPQ

/// How a transaction sees others' work (PostgreSQL documentation, 13.2).
public enum IsolationLevel: String, Sendable {
    /// Each statement sees transactions committed before it began.
    case readCommitted = "READ COMMITTED"
    /// Every statement sees transactions committed before the first one.
    case repeatableRead = "REPEATABLE READ"
}

extension Connection {
    /// Runs work in a transaction: committed where it returns, rolled back where it throws.
    ///
    /// Nobody else may use the connection meanwhile; one leased from a ``Pool`` is yours alone.
    ///
    /// - Parameters:
    ///   - isolation: the isolation level.
    ///   - readOnly: whether writing is refused.
    ///   - body: the work.
    /// - Throws: what `body` throws; ``PostgresError``; `CancellationError` where the task was cancelled. After either of a lost
    ///   connection and of a cancellation it is unknown whether the transaction took effect: the commit may have been under way.
    @discardableResult
    public func withTransaction<Value>(
        isolation: IsolationLevel = .readCommitted,
        readOnly: Bool = false,
        caller: isolated (any Actor)? = #isolation,
        _ body: (Connection) async throws -> Value
    ) async throws -> Value {
        try await query("BEGIN ISOLATION LEVEL \(isolation.rawValue)" + (readOnly ? " READ ONLY" : ""))
        do {
            let value = try await body(self)
            try await commit()
            return value
        } catch {
            await rollback()
            throw error
        }
    }

    private func commit() async throws {
        let rows = try await end("COMMIT")
        // A transaction that has failed answers COMMIT with a rollback, and no error.
        guard rows.result.commandTag == "COMMIT" else {
            throw PostgresError(.unexpected, "the transaction had failed and was rolled back")
        }
    }

    /// Rolls back; a connection that cannot, or whose task was cancelled, is closed, which rolls back as well.
    private func rollback() async {
        guard isInTransaction else { return }
        // What a statement sent ahead failed with is no reason to keep the transaction.
        if pipeline != nil { try? await awaitAnswers() }
        do {
            try await end("ROLLBACK")
        } catch {
            close()
        }
    }

    /// In a session without a limit of its own, long enough to take the files of large tables away.
    @discardableResult
    private func end(_ command: String) async throws -> Rows {
        try await query(command, within: configuration.answerLimit ?? .seconds(300))
    }
}
