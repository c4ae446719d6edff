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
    /// Statements run in the order in which they are sent. Where one fails, those sent after it do not run, and the next call
    /// on the connection throws its error. Use it inside a transaction.
    ///
    /// - Throws: as ``query(_:_:cached:within:)``, also what a statement sent earlier failed with.
    public func send(_ sql: String, _ parameters: [Parameter] = []) async throws {
        try await cancellable { connection throws(PostgresError) in
            let pointer = try connection.push(sql, parameters)
            // Otherwise a short one waits for more to be sent.
            guard PQflush(pointer) == 0 else { throw connection.failure(nil, pointer) }
        }
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
            var pointer = try connection.ready()
            for one in parameters {
                pointer = try connection.push(sql, one)
                guard PQsendFlushRequest(pointer) == 1 else { throw connection.failure(nil, pointer) }
            }
            guard PQflush(pointer) == 0 else { throw connection.failure(nil, pointer) }
        }
    }

    /// The rows of the first statement that is unanswered.
    private func next() async throws -> Rows {
        try await cancellable { connection throws(PostgresError) in
            let pointer = try connection.usable()
            let result = connection.answer(pointer)
            let key = connection.pipeline?.unanswered.removeFirst()
            do throws(PostgresError) {
                return Rows(try connection.check(result, pointer))
            } catch {
                connection.forget(key, after: error)
                throw error
            }
        }
    }

    /// Sends a statement in a pipeline, which it begins where there is none.
    private func push(_ sql: String, _ parameters: [Parameter]) throws(PostgresError) -> OpaquePointer {
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
        guard send(statement, parameters, pointer) == 1 else { throw failure(nil, pointer) }
        pipeline?.unanswered.append(key)
        return pointer
    }

    /// Ends a pipeline: reads what is unanswered.
    func endPipeline(_ pointer: OpaquePointer) throws(PostgresError) {
        guard let keys = pipeline?.unanswered else { return }
        pipeline = nil
        guard PQpipelineSync(pointer) == 1 else { throw failure(nil, pointer) }
        var failed: PostgresError?
        for key in keys {
            let result = answer(pointer)
            // One that was not run, because one before it failed.
            if result?.status == PGRES_PIPELINE_ABORTED { continue }
            do throws(PostgresError) {
                try check(result, pointer)
            } catch {
                failed = failed ?? error
                forget(key, after: error)
                if !handle.isOpen { throw error }
            }
        }
        let end = PQgetResult(pointer).map(ResultHandle.init)
        guard end?.status == PGRES_PIPELINE_SYNC, PQexitPipelineMode(pointer) == 1 else { throw failure(end, pointer) }
        if let failed { throw failed }
    }

    /// A plan that no longer holds is made again at the statement's next use.
    private func forget(_ key: StatementCache.Key?, after error: PostgresError) {
        guard let key, error.isOfStalePlan else { return }
        _ = statements.remove(key)
    }
}
