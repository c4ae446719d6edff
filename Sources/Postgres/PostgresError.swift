/// What went wrong between this process and PostgreSQL.
///
/// A struct over a private code, so that a new kind of failure breaks nobody's `switch`. It never holds a bound value:
/// where PostgreSQL quotes data in a message or a detail, that part is left out.
public struct PostgresError: Error, Sendable, Equatable {
    /// The kind of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case server, connection, closed, unexpected, decoding, poolTimeout, poolClosed
        }
        private let kind: Kind

        private init(_ kind: Kind) { self.kind = kind }

        /// The server refused a statement; see ``PostgresError/sqlState``.
        public static let server = Code(.server)
        /// The connection could not be made, or broke. Whether a statement under way took effect is not known.
        public static let connection = Code(.connection)
        /// The connection had been closed before the call.
        public static let closed = Code(.closed)
        /// The server sent an unexpected answer (a COPY where rows were expected).
        public static let unexpected = Code(.unexpected)
        /// A value is not of the type asked for.
        public static let decoding = Code(.decoding)
        /// No connection of the pool came free in time.
        public static let poolTimeout = Code(.poolTimeout)
        /// The pool is shut down.
        public static let poolClosed = Code(.poolClosed)

        /// The code's name, for logs and metrics.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public var code: Code
    /// What happened, in one sentence and without data.
    public var message: String
    /// PostgreSQL's five-character error code (PostgreSQL documentation, Appendix A); nil where no server spoke.
    public var sqlState: String?
    /// `ERROR`, `FATAL` or `PANIC`, not translated.
    public var severity: String?
    /// The server's detail; nil for classes 22 and 23, where it quotes data.
    public var detail: String?
    /// The server's suggestion.
    public var hint: String?
    /// The violated constraint's name.
    public var constraint: String?

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The database sent an answer that the caller does not expect.
    public init(unexpected message: String) {
        self.init(.unexpected, message)
    }

    /// Whether the connection is gone, rather than a statement refused: SQLSTATE class 08, a shutdown (57P01–57P03), or
    /// no answer at all.
    public var isConnectionFailure: Bool {
        if code == .connection || code == .closed { return true }
        guard let sqlState else { return false }
        return sqlState.hasPrefix("08")
            || [SQLState.adminShutdown, SQLState.crashShutdown, SQLState.cannotConnectNow].contains(sqlState)
    }

    /// Whether a server answered, and refused the connection for good: there is no such role or database, or it does not let
    /// this one in. libpq gives the words alone.
    public var isRefusedConnection: Bool {
        guard code == .connection else { return false }
        // libpq's own words, where the server asks for a password and there is none.
        if message.contains("no password supplied") { return true }
        guard message.contains("FATAL: ") else { return false }
        return !isOutOfConnections
            && !["the database system is", "terminating connection"].contains { message.contains($0) }
    }

    /// Whether the server, the database or the role has as many connections as it may. libpq gives the words alone.
    public var isOutOfConnections: Bool {
        if sqlState == SQLState.tooManyConnections { return true }
        return code == .connection
            && ["sorry, too many clients", "too many connections for", "remaining connection slots"]
                .contains { message.contains($0) }
    }

    /// Whether another transaction was in the way: a serialisation failure (40001), a deadlock (40P01), or a lock not granted
    /// in time (55P03). The transaction is rolled back; retry it from its beginning.
    ///
    /// Code that retries checks this, or ``isRetriable``, rather than single SQLSTATEs.
    public var isContention: Bool {
        let ofOthers = [SQLState.serializationFailure, SQLState.deadlockDetected, SQLState.lockNotAvailable]
        return sqlState.map { ofOthers.contains($0) } ?? false
    }

    /// Whether the same work may succeed when tried again from its beginning: where others were in the way
    /// (``isContention``), lost connections, a server short of connections or memory (class 53), and a function that a
    /// migration replaced just as it was called, or a table that it changed just as a plan for it was used.
    public var isRetriable: Bool {
        if isConnectionFailure || isContention || code == .poolTimeout { return true }
        guard let sqlState else { return false }
        if sqlState == SQLState.internalError, message.hasPrefix("cache lookup failed for function") { return true }
        if sqlState == SQLState.featureNotSupported, message.hasPrefix("cached plan must not change result type") {
            return true
        }
        return sqlState.hasPrefix("53")
    }

    /// Whether a statement has to be prepared once more: a table that it names changed (0A000), or it was lost to DISCARD (26000).
    var isOfStalePlan: Bool {
        sqlState == SQLState.featureNotSupported || sqlState == SQLState.invalidSQLStatementName
    }

    /// Whether the fault is in the data or the statement (classes 22 and 23, 42, 54 and 0A): repeating it is of no use.
    public var isDataError: Bool {
        guard let sqlState else { return false }
        return ["22", "23", "42", "54", "0A"].contains(String(sqlState.prefix(2)))
    }
}

extension PostgresError: CustomStringConvertible {
    /// Severity, SQLSTATE, message, constraint and hint; never the detail or a value.
    public var description: String {
        var text = message
        if let sqlState { text = "\(severity ?? "ERROR") \(sqlState): \(text)" }
        if let constraint { text += " (constraint \(constraint))" }
        if let hint { text += "; \(hint)" }
        return text
    }
}
