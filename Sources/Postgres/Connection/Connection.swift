internal import CLibPQ

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One session with PostgreSQL, on a thread of its own or its caller's.
///
/// Calls run one at a time, in the order they come. A cancelled task breaks the connection off rather than wait: it then
/// answers every call with code `closed` and must be replaced, which ``Pool`` does by itself.
public actor Connection {
    private let executor: ThreadExecutor
    let handle: Handle
    nonisolated let interrupter = Interrupter()
    var statements = StatementCache()
    /// Whether it was refused to write. A session keeps the default that it began with after the database's has changed.
    private var isRefusedToWrite = false
    /// Whether a COPY is under way, in which nothing else may be sent.
    var isCopying = false
    /// What was sent ahead of its answers, if something was.
    var pipeline: Pipeline?
    /// Where it is connected, and how the session was set up.
    public nonisolated let configuration: ConnectionConfiguration

    /// The connection's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    private init(_ configuration: ConnectionConfiguration, _ executor: ThreadExecutor) {
        self.configuration = configuration
        self.executor = executor
        handle = Handle(nil)
    }

    /// Connects and sets the session up.
    ///
    /// - Throws: ``PostgresError`` with code `connection` (its message never holds a password; SQLSTATE 57P03 where the
    ///   server starts, stops or recovers and takes no connections), or what the server says to a setting; `CancellationError` where the task was cancelled before.
    public static func connect(_ configuration: ConnectionConfiguration) async throws -> Connection {
        try await connect(configuration, on: ThreadExecutor())
    }

    /// Connects on the thread of an actor that is the connection's only user, and need not change threads to use it.
    package static func connect(
        _ configuration: ConnectionConfiguration,
        on executor: ThreadExecutor
    ) async throws -> Connection {
        try Task.checkCancellation()
        let connection = Connection(configuration, executor)
        try await connection.open()
        do {
            try await connection.set(configuration.sessionSettings)
        } catch {
            await connection.close()
            throw error
        }
        return connection
    }

    private func open() throws {
        let pointer = withParameters { PQconnectdbParams($0, $1, 1) }
        // Taken over before anything can throw: a failed connect leaves a handle to finish, too.
        handle.adopt(pointer)
        guard let pointer else { throw PostgresError(.connection, "out of memory for a connection") }
        guard PQstatus(pointer) == CONNECTION_OK else {
            var error = PostgresError(connection: pointer)
            if !configuration.isReadable { error.message = Self.unreadable }
            close()
            // libpq keeps no SQLSTATE of a connection refused, but tells a server that starts or recovers from any other.
            if withParameters({ PQpingParams($0, $1, 1) }) == PQPING_REJECT {
                error.sqlState = SQLState.cannotConnectNow
            }
            throw error
        }
        guard interrupter.attach(socket: PQsocket(pointer)) else {
            close()
            throw PostgresError(
                .connection,
                "no file descriptor is left for the connection: raise the limit of open files"
            )
        }
    }

    private static let unreadable =
        """
        the connection string cannot be read: check the names of its parameters, percent-encode what is special in a URL's user \
        and password (% : / @ [ ]), and quote values with spaces in a libpq string
        """

    private func withParameters<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let parameters = configuration.parameters
        return withCStrings(parameters.map(\.keyword)) { keywords in
            withCStrings(parameters.map(\.value)) { values in body(keywords, values) }
        }
    }

    /// Changes settings of the session, such as `search_path`. A server that does not answer is given as long as it has to
    /// take a connection.
    ///
    /// - Throws: as ``query(_:_:cached:within:)``.
    public func set(_ settings: [String: String]) async throws {
        let names = settings.keys.sorted()
        let calls = names.indices.map { "set_config($\(2 * $0 + 1), $\(2 * $0 + 2), false)" }
        let values = names.flatMap { [Parameter.text($0), .text(settings[$0])] }
        try await cancellable(within: .seconds(configuration.connectTimeoutSeconds)) {
            connection throws(PostgresError) in
            _ = try connection.run("SELECT " + calls.joined(separator: ", "), values, cached: false)
        }
    }

    /// Ends the session. Later calls throw code `closed`.
    public func close() {
        interrupter.detach()
        handle.finish()
    }

    /// Breaks the connection off at once, from any thread, also while a statement runs.
    public nonisolated func interrupt() {
        interrupter.interrupt()
    }

    /// Whether the connection can be lent again: open, not interrupted, in no transaction, with nothing
    /// unread, and not hung up by the server.
    public var isReusable: Bool {
        guard let pointer = try? handle.get(), !interrupter.isInterrupted, !isCopying,
            PQstatus(pointer) == CONNECTION_OK, PQtransactionStatus(pointer) == PQTRANS_IDLE, !isRefusedToWrite
        else { return false }
        return !isHungUp(pointer)
    }

    /// Whether the session is inside a transaction, failed or not.
    public var isInTransaction: Bool {
        guard let pointer = try? handle.get() else { return false }
        return PQtransactionStatus(pointer) != PQTRANS_IDLE
    }

    private func isHungUp(_ pointer: OpaquePointer) -> Bool {
        // Something to read is a notice, a notification, or the end, which often comes right after a last message.
        for _ in 0..<8 {
            var entry = pollfd(fd: PQsocket(pointer), events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 0) > 0 else { return false }
            if PQconsumeInput(pointer) == 0 || PQstatus(pointer) != CONNECTION_OK || PQsocket(pointer) < 0 {
                return true
            }
        }
        return true
    }

    /// The live handle for a statement whose answer is read at once: everything sent before is answered.
    func ready() throws(PostgresError) -> OpaquePointer {
        let pointer = try usable()
        try endPipeline(pointer)
        return pointer
    }

    /// The live handle.
    func usable() throws(PostgresError) -> OpaquePointer {
        let pointer = try handle.get()
        guard !interrupter.isInterrupted else {
            close()
            throw PostgresError(.closed, "the connection was interrupted")
        }
        guard !isCopying else { throw PostgresError(.unexpected, "a COPY is under way on this connection") }
        return pointer
    }

    /// Turns a failed result, or none, into an error, and closes what cannot be used any more.
    func failure(_ result: ResultHandle?, _ pointer: OpaquePointer) -> PostgresError {
        // Of a connection that is gone the last words may be unread; where something was sent to it, they wait for it.
        let result = result ?? (PQstatus(pointer) == CONNECTION_OK ? nil : answer(pointer))
        var error = result.map { PostgresError(result: $0.pointer) } ?? PostgresError(connection: pointer)
        if error.sqlState == nil, let farewell = handle.farewell { error = farewell }
        if error.sqlState == SQLState.readOnlySQLTransaction { isRefusedToWrite = true }
        if interrupter.isInterrupted || PQstatus(pointer) != CONNECTION_OK {
            error.code = .connection
            close()
        }
        return error
    }
}

/// Calls with an array of C strings that ends with a null pointer, good for the length of the call.
func withCStrings<Result>(_ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies.map { UnsafePointer($0) } + [nil])
}
