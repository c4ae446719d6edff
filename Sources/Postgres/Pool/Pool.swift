internal import Synchronization

/// A bounded set of connections that are lent to one task at a time.
///
/// First come, first served. A connection that failed, was cancelled, or was left inside a transaction is closed rather than
/// lent again.
public final class Pool: Sendable {
    typealias Machine = PoolStateMachine<Connection, UInt64>

    private struct State {
        var machine: Machine
        var continuations: [UInt64: CheckedContinuation<Machine.Grant, any Error>] = [:]
        /// The number of the newest caller that asked for a connection.
        var lastID: UInt64 = 0
    }

    private let state: Mutex<State>
    /// Where the connections go.
    public let configuration: ConnectionConfiguration
    private let acquireTimeout: Duration

    /// - Parameters:
    ///   - configuration: where the connections go.
    ///   - limit: the most connections at a time.
    ///   - acquireTimeout: the longest wait for one.
    public init(_ configuration: ConnectionConfiguration, limit: Int, acquireTimeout: Duration = .seconds(10)) {
        self.configuration = configuration
        self.acquireTimeout = acquireTimeout
        state = Mutex(State(machine: Machine(limit: limit)))
    }

    /// Connections leased, idle, and tasks that wait for one: for metrics.
    public var occupancy: (leased: Int, idle: Int, waiting: Int) {
        state.withLock { ($0.machine.leased, $0.machine.idle.count, $0.machine.waiting) }
    }

    /// Leases a connection for the length of `body`.
    ///
    /// - Throws: ``PostgresError`` with code `poolTimeout`, `poolClosed` or `connection`; `CancellationError`; what `body`
    ///   throws.
    @discardableResult
    public func withConnection<Value>(
        caller: isolated (any Actor)? = #isolation,
        _ body: (Connection) async throws -> Value
    ) async throws -> Value {
        let connection = try await acquire()
        let value: Value
        do {
            value = try await body(connection)
        } catch {
            await release(connection)
            throw error
        }
        await release(connection)
        return value
    }

    /// Leases a connection and runs `body` in a transaction on it; see ``Connection/withTransaction(isolation:readOnly:caller:_:)``.
    @discardableResult
    public func withTransaction<Value>(
        isolation: IsolationLevel = .readCommitted,
        readOnly: Bool = false,
        caller: isolated (any Actor)? = #isolation,
        _ body: (Connection) async throws -> Value
    ) async throws -> Value {
        try await withConnection { connection in
            try await connection.withTransaction(isolation: isolation, readOnly: readOnly, body)
        }
    }

    /// Leases a connection for one statement; see ``Connection/query(_:_:cached:within:)``.
    @discardableResult
    public func query(_ sql: String, _ parameters: [Parameter] = []) async throws -> Rows {
        try await withConnection { try await $0.query(sql, parameters) }
    }

    /// Closes idle connections and turns waiters away; leased connections are closed as they come back.
    public func shutDown() async {
        let (connections, continuations) = state.withLock { state in
            let (close, refuse) = state.machine.shutDown()
            return (close, refuse.compactMap { state.continuations.removeValue(forKey: $0) })
        }
        for continuation in continuations { continuation.resume(throwing: Self.closedError) }
        for connection in connections { await connection.close() }
    }

    private static var closedError: PostgresError { PostgresError(.poolClosed, "the connection pool is shut down") }

    private func acquire() async throws -> Connection {
        switch try await grant() {
        case .connection(let connection):
            if await connection.isReusable { return connection }
            // Idle and gone, as after a restart of the server: use another.
            await connection.close()
            return try await open()
        case .open:
            return try await open()
        }
    }

    private func open() async throws -> Connection {
        do {
            return try await Connection.connect(configuration)
        } catch {
            perform(state.withLock { $0.machine.openFailed() })
            throw error
        }
    }

    private func release(_ connection: Connection) async {
        let isReusable = await connection.isReusable
        if !isReusable { await connection.close() }
        let action = state.withLock { $0.machine.release(connection, isReusable: isReusable) }
        perform(action)
        if isReusable, let surplus = action.close { await surplus.close() }
    }

    private func perform(_ action: Machine.FreeAction) {
        guard let (waiter, grant) = action.grant else { return }
        let continuation = state.withLock { $0.continuations.removeValue(forKey: waiter) }
        continuation?.resume(returning: grant)
    }
}

extension Pool {
    private func grant() async throws -> Machine.Grant {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let timer = Timer()
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let action = state.withLock { state in
                    // Cancelled before the wait began: the handler found no waiter.
                    guard !Task.isCancelled else { return nil as Machine.AcquireAction? }
                    let action = state.machine.acquire(id)
                    if case .wait = action { state.continuations[id] = continuation }
                    return action
                }
                switch action {
                case nil: continuation.resume(throwing: CancellationError())
                case .grant(let grant): continuation.resume(returning: grant)
                case .refuse: continuation.resume(throwing: Self.closedError)
                case .wait: timer.start(acquireTimeout) { [weak self] in self?.fail(id, Self.timeoutError) }
                }
            }
        } onCancel: {
            fail(id, CancellationError())
        }
    }

    /// What a caller gets who waited too long: also where it waited for a turn before it may ask for a connection.
    package static var timeoutError: PostgresError {
        PostgresError(.poolTimeout, "no database connection came free in time")
    }

    private func fail(_ id: UInt64, _ error: any Error) {
        let continuation = state.withLock { state in
            state.machine.leave(id) ? state.continuations.removeValue(forKey: id) : nil
        }
        continuation?.resume(throwing: error)
    }
}

/// Calls once after a while, unless cancelled before.
private final class Timer: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    func start(_ duration: Duration, _ body: @escaping @Sendable () -> Void) {
        task.withLock { task in
            task = Task {
                guard (try? await ContinuousClock().sleep(for: duration)) != nil else { return }
                body()
            }
        }
    }

    func cancel() {
        task.withLock { $0?.cancel() }
    }
}
