/// Error codes, by the names of their conditions in PostgreSQL's documentation (Appendix A), as ``PostgresError/sqlState`` has
/// them.
public enum SQLState {
    /// A time limit of the server, or a request to cancel, ended the statement.
    public static let queryCanceled = "57014"
    /// The server's administrator ended the session.
    public static let adminShutdown = "57P01"
    /// Another session of the server crashed.
    public static let crashShutdown = "57P02"
    /// The server is starting, recovering or shutting down.
    public static let cannotConnectNow = "57P03"

    /// Transactions that ran at the same time have no order.
    public static let serializationFailure = "40001"
    /// Transactions waited for each other.
    public static let deadlockDetected = "40P01"
    /// A lock was not granted within `lock_timeout`.
    public static let lockNotAvailable = "55P03"
    /// An object is in no state for what was asked; also raised by functions of Notilog.
    public static let objectNotInPrerequisiteState = "55000"

    /// The transaction takes no writes.
    public static let readOnlySQLTransaction = "25006"
    /// The session's transaction was idle for too long.
    public static let idleInTransactionSessionTimeout = "25P03"
    /// There is no prepared statement of that name.
    public static let invalidSQLStatementName = "26000"
    /// What is asked for does not exist in this form, as a plan of a table that has changed.
    public static let featureNotSupported = "0A000"

    /// A value is not what it has to be.
    public static let dataException = "22000"
    /// A number is beyond its type.
    public static let numericValueOutOfRange = "22003"
    /// A parameter has a value that is not accepted; also raised by functions of Notilog.
    public static let invalidParameterValue = "22023"
    /// There is such a row already.
    public static let uniqueViolation = "23505"
    /// A row breaks a check; also that a partitioned table has no partition for it.
    public static let checkViolation = "23514"

    /// There is no such schema.
    public static let invalidSchemaName = "3F000"
    /// There is no such table.
    public static let undefinedTable = "42P01"
    /// There is no such function.
    public static let undefinedFunction = "42883"
    /// There is such a function already.
    public static let duplicateFunction = "42723"
    /// A function cannot be defined so.
    public static let invalidFunctionDefinition = "42P13"
    /// A table or a view cannot be defined so.
    public static let invalidTableDefinition = "42P16"
    /// An object is of another type.
    public static let wrongObjectType = "42809"
    /// The role lacks a right.
    public static let insufficientPrivilege = "42501"

    /// The disk is full.
    public static let diskFull = "53100"
    /// The server has no memory left.
    public static let outOfMemory = "53200"
    /// There are as many connections as there may be.
    public static let tooManyConnections = "53300"
    /// A limit of the configuration is reached.
    public static let configurationLimitExceeded = "53400"
    /// An error inside of the server.
    public static let internalError = "XX000"

    /// Raised by functions of Notilog: a report's parameter has a value that is not accepted.
    public static let invalidReportParameter = "RP400"
    /// Raised by functions of Notilog: there is no app, or no role, of that name.
    public static let unknownName = "RP404"
    /// Raised by functions of Notilog: transactions that write to a cell do not end.
    public static let busyCell = "NL408"
    /// Raised by functions of Notilog: events are of a lane that another cell has, or another database takes over from this one.
    public static let otherCell = "NL409"
    /// Raised by functions of Notilog: a cell does not answer.
    public static let silentCell = "NL503"
}
