internal import CLibPQ

/// Statements that are sent before the answers to those before them are read (PostgreSQL documentation, 34.5).
struct Pipeline {
    /// Those that were not answered yet, in their order.
    var unanswered: [StatementCache.Key] = []
}

extension Connection {
    /// Sends one statement whose rows nobody needs, and returns before it has run: the caller makes the next one ready while the
    /// server works.
    ///
    /// Statements run in the order in which they are sent. Where one fails, the next call on the connection throws its error. Use
    /// it inside a transaction: those sent after it then fail too, and nothing of any stays.
    ///
    /// - Throws: as ``query(_:_:cached:within:)``, also what a statement sent earlier failed with.
    public func send(_ sql: String, _ parameters: [Parameter] = []) async throws {
        try await cancellable { connection throws(PostgresError) in try connection.push(sql, parameters) }
    }

    /// Waits until everything that was sent has run.
    ///
    /// - Throws: as ``query(_:_:cached:within:)``, with the error of the first statement that failed.
    public func awaitAnswers() async throws {
        try await cancellable { connection throws(PostgresError) in _ = try connection.ready() }
    }

    /// Runs one statement once with each of several lists of parameters, and gives the rows of each in turn, while the server
    /// makes those of the next. Use it inside a transaction.
    ///
    /// - Parameters:
    ///   - sql: one statement.
    ///   - parameters: the values of each run.
    ///   - body: takes the rows of one; what it throws ends the reading.
    /// - Throws: as ``query(_:_:cached:within:)``; what `body` throws.
    public func query(
        _ sql: String,
        each parameters: [[Parameter]],
        caller: isolated (any Actor)? = #isolation,
        _ body: (Rows) throws -> Void
    ) async throws {
        try await begin(sql, each: parameters)
        for _ in parameters { try body(try await next()) }
        try await awaitAnswers()
    }

    private func begin(_ sql: String, each parameters: [[Parameter]]) async throws {
        try await cancellable { connection throws(PostgresError) in
            _ = try connection.ready()
            for one in parameters { try connection.push(sql, one) }
        }
    }

    /// The rows of the first statement that is unanswered.
    private func next() async throws -> Rows {
        try await cancellable { connection throws(PostgresError) in
            let pointer = try connection.usable()
            guard let key = connection.pipeline?.unanswered.removeFirst() else {
                throw PostgresError(unexpected: "no statement was sent ahead")
            }
            return Rows(try connection.pull(key, pointer))
        }
    }

    /// Sends a statement in a pipeline, which it begins where there is none.
    private func push(_ sql: String, _ parameters: [Parameter]) throws(PostgresError) {
        let key = StatementCache.Key(sql: sql, types: parameters.map(\.type))
        var pointer = try usable()
        let statement: StatementCache.Statement
        if let known = statements.find(key) {
            statement = known
        } else {
            // What a statement gives is described before it is sent, and descriptions are read at once.
            pointer = try ready()
            statement = try prepare(key, cached: true, pointer)
        }
        if pipeline == nil {
            guard PQenterPipelineMode(pointer) == 1 else { throw failure(nil, pointer) }
            pipeline = Pipeline()
        }
        // Each is synchronised by itself: a server that waits for the next one then knows that it is idle in a transaction, and how
        // long it may be. Without, it would keep the locks of a client that is frozen for ever.
        guard send(statement, parameters, pointer) == 1, PQpipelineSync(pointer) == 1 else {
            throw failure(nil, pointer)
        }
        pipeline?.unanswered.append(key)
    }

    /// The result of the next statement that was sent.
    private func pull(_ key: StatementCache.Key, _ pointer: OpaquePointer) throws(PostgresError) -> ResultHandle {
        let result = answer(pointer)
        let end = PQgetResult(pointer).map(ResultHandle.init)
        do throws(PostgresError) {
            let result = try check(result, pointer)
            guard end?.status == PGRES_PIPELINE_SYNC else { throw failure(end, pointer) }
            return result
        } catch {
            // A plan that no longer holds is made again at the statement's next use.
            if error.isOfStalePlan { _ = statements.remove(key) }
            throw error
        }
    }

    /// Ends a pipeline: reads what is unanswered.
    ///
    /// - Throws: the first error; those after it follow from it, as the transaction has failed.
    func endPipeline(_ pointer: OpaquePointer) throws(PostgresError) {
        guard let keys = pipeline?.unanswered else { return }
        pipeline = nil
        var failed: PostgresError?
        for key in keys {
            do throws(PostgresError) {
                _ = try pull(key, pointer)
            } catch {
                failed = failed ?? error
                if !handle.isOpen { break }
            }
        }
        if let failed, !handle.isOpen { throw failed }
        guard PQexitPipelineMode(pointer) == 1 else { throw failure(nil, pointer) }
        if let failed { throw failed }
    }
}
