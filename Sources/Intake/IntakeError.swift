public import Ingest

/// Why nothing of a batch was taken.
public enum IntakeError: Error, Hashable, Sendable {
    /// The body as a whole is refused; nothing of it was looked at further.
    case body(BodyError)
    /// The app keeps hashed ids only, and no secret to hash with is set.
    case noHashSecret
    /// The clock that events are received by cannot be right, and why.
    case clock(String)
    /// The clock jumped, and the database does not answer whether it is right.
    case clockUnknown
}
