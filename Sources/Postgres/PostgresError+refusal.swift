extension PostgresError {
    /// Why PostgreSQL answers, and does not do what it is asked.
    public enum Refusal: Sendable {
        /// It takes no writes: it is a standby, or `default_transaction_read_only` is on (25006).
        case readOnly
        /// Its disk is full (53100).
        case diskFull
        /// It lacks memory, or a limit of its configuration is reached (other states of class 53).
        case outOfResources
        /// The server, the database or the role has as many connections as it may (53300).
        case outOfConnections
        /// It does not let the login in.
        case login
        /// The login lacks a right, or PostgreSQL the right to one of its files (42501).
        case permission
    }

    /// Why PostgreSQL refused; nil for any other failure.
    public var refusal: Refusal? {
        if isOutOfConnections { return .outOfConnections }
        if isRefusedConnection { return .login }
        guard let sqlState else { return nil }
        switch sqlState {
        case SQLState.readOnlySQLTransaction: return .readOnly
        case SQLState.insufficientPrivilege: return .permission
        case SQLState.diskFull: return .diskFull
        default: return sqlState.hasPrefix("53") ? .outOfResources : nil
        }
    }

    /// What went wrong in a few words, without the names and addresses that libpq and the server tell: for whoever is not to know
    /// them.
    public var reason: String {
        let text = Self.withoutQuoted(message, keep: nil)
        // libpq names host and address before that, and has a line for each host.
        let cause = text.firstRange(of: "failed: ").map { text[$0.upperBound...] } ?? text[...]
        let first = cause.firstRange(of: "; ").map { cause[..<$0.lowerBound] } ?? cause
        return (sqlState.map { "\($0): " } ?? "") + first
    }
}

extension PostgresError.Refusal: CustomStringConvertible {
    /// The refusal as a sentence that anybody may read: it names nothing of the database.
    public var description: String {
        switch self {
        case .readOnly: "the database is read-only"
        case .diskFull: "the database's disk is full"
        case .outOfResources: "the database is short of memory or of another resource"
        case .outOfConnections: "the database has no connection left"
        case .login: "the database does not let the service's login in"
        case .permission: "the database denies the service's login a right"
        }
    }
}
