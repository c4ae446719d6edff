internal import CLibPQ

extension Connection {
    /// Runs one statement and gives its rows.
    ///
    /// It is prepared once on each connection and kept by its text, so the text should not vary with the values.
    ///
    /// - Parameters:
    ///   - sql: one statement, with `$1`, `$2`, … for the parameters.
    ///   - parameters: their values.
    ///   - cached: false for a statement that will not come again.
    ///   - limit: how long the answer may take, where the transaction has another `statement_timeout` than the session; nil
    ///     for ten seconds more than the session's.
    /// - Throws: ``PostgresError``; `CancellationError` where the task was cancelled, in which case the connection is
    ///   interrupted unless the statement had not begun.
    @discardableResult
    public func query(
        _ sql: String,
        _ parameters: [Parameter] = [],
        cached: Bool = true,
        within limit: Duration? = nil
    ) async throws -> Rows {
        try await cancellable(within: limit) { connection throws(PostgresError) in
            try connection.run(sql, parameters, cached: cached)
        }
    }

    /// Runs one statement at the end of some work, also of a task that was cancelled: what gives a lock back. Where it fails, the
    /// connection is gone, and with it what there was to give back.
    public func finish(_ sql: String, _ parameters: [Parameter] = []) async {
        _ = await Task { try? await query(sql, parameters) }.value
    }

    /// Runs several statements without parameters, as a script of migrations has them, in one implicit transaction
    /// unless it holds transaction commands.
    ///
    /// - Throws: as ``query(_:_:cached:within:)``.
    public func execute(script: String) async throws {
        try await cancellable { connection throws(PostgresError) in try connection.run(script: script) }
    }

    /// Runs blocking work on the connection's thread; a cancelled task breaks the connection off, and so does a server
    /// that does not answer in time.
    ///
    /// - Parameters:
    ///   - isWatched: false for work that waits for something else than an answer.
    ///   - limit: how long an answer may take, where the session's own limit does not hold.
    func cancellable<Value: Sendable>(
        isWatched: Bool = true,
        within limit: Duration? = nil,
        _ body: @Sendable (isolated Connection) throws(PostgresError) -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        if isWatched, let limit = limit ?? configuration.answerLimit { interrupter.watch(for: limit) }
        defer { interrupter.endWatch() }
        do {
            return try await withTaskCancellationHandler {
                try body(self)
            } onCancel: {
                interrupter.interrupt()
            }
        } catch let error as PostgresError where error.isConnectionFailure && Task.isCancelled {
            throw CancellationError()
        }
    }

    /// Runs a statement, whether or not the task is cancelled.
    @discardableResult
    func run(_ sql: String, _ parameters: [Parameter], cached: Bool) throws(PostgresError) -> Rows {
        let pointer = try ready()
        let key = StatementCache.Key(sql: sql, types: parameters.map(\.type))
        let isKnown = statements.find(key) != nil
        do {
            return try execute(try prepare(key, cached: cached, pointer), parameters, pointer)
        } catch {
            // A plan made before a table changed, or a statement lost to DISCARD: prepared once more, now or, where that
            // would be inside a transaction that has already failed, at its next use.
            guard isKnown, error.isOfStalePlan else { throw error }
            let name = statements.remove(key)
            guard handle.isOpen, PQtransactionStatus(pointer) == PQTRANS_IDLE else { throw error }
            if let name { deallocate(name, pointer) }
        }
        return try execute(try prepare(key, cached: cached, pointer), parameters, pointer)
    }

    func prepare(
        _ key: StatementCache.Key,
        cached: Bool,
        _ pointer: OpaquePointer
    ) throws(PostgresError) -> StatementCache.Statement {
        if let known = statements.find(key) { return known }
        let name = cached ? statements.makeName() : ""
        let types = key.types.map(\.rawValue)
        try check(answer(to: PQsendPrepare(pointer, name, key.sql, Int32(types.count), types), pointer), pointer)
        let description = try check(answer(to: PQsendDescribePrepared(pointer, name), pointer), pointer)
        let isBinary = (0..<description.columnCount).allSatisfy { description.type($0).hasBinaryDecoding }
        if cached, let evicted = statements.insert(key, name: name, isBinary: isBinary) { deallocate(evicted, pointer) }
        return StatementCache.Statement(name: name, isBinary: isBinary, lastUse: 0)
    }

    private func execute(
        _ statement: StatementCache.Statement,
        _ parameters: [Parameter],
        _ pointer: OpaquePointer
    ) throws(PostgresError) -> Rows {
        Rows(try check(answer(to: send(statement, parameters, pointer), pointer), pointer))
    }

    /// - Returns: 1 if it was sent.
    func send(
        _ statement: StatementCache.Statement,
        _ parameters: [Parameter],
        _ pointer: OpaquePointer
    ) -> Int32 {
        let values = parameters.map { $0.buffer.map { UnsafePointer($0.start.assumingMemoryBound(to: CChar.self)) } }
        let lengths = parameters.map { Int32($0.buffer?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: parameters.count)
        return withExtendedLifetime(parameters) {
            PQsendQueryPrepared(
                pointer,
                statement.name,
                Int32(parameters.count),
                values,
                lengths,
                formats,
                statement.isBinary ? 1 : 0
            )
        }
    }

    func run(script: String) throws(PostgresError) {
        let pointer = try ready()
        try check(answer(to: PQsendQuery(pointer, script), pointer), pointer)
    }

    private func deallocate(_ name: String, _ pointer: OpaquePointer) {
        if let result = PQexec(pointer, "DEALLOCATE \(name)") { PQclear(result) }
    }

    /// Reads the server's answer: the last result, or the first that is an error. If the server ends the session, the first error
    /// says why, and the last, which `PQexec` would keep, only that the connection is gone.
    ///
    /// - Parameter sent: what the sending function gave, 1 where it was sent.
    /// - Returns: nil where nothing was sent, or nothing answered.
    func answer(to sent: Int32 = 1, _ pointer: OpaquePointer) -> ResultHandle? {
        var answer: ResultHandle?
        while sent == 1, let next = PQgetResult(pointer) {
            let result = ResultHandle(next)
            if answer?.status != PGRES_FATAL_ERROR { answer = result }
            // A copy gives the same result until it is done.
            if result.isCopy { break }
        }
        return answer
    }

    /// The error of a failed result.
    @discardableResult
    func check(_ result: ResultHandle?, _ pointer: OpaquePointer) throws(PostgresError) -> ResultHandle {
        guard let result else { throw failure(nil, pointer) }
        switch result.status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            return result
        case _ where result.isCopy:
            // The server now waits for COPY data that will not come.
            close()
            throw PostgresError(.unexpected, "COPY was run as a query")
        default:
            throw failure(result, pointer)
        }
    }
}
